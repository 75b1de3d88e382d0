package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// pyproject is what is read of pyproject.toml.
type pyproject struct {
	Project struct {
		Name         string              `toml:"name"`
		Dependencies []string            `toml:"dependencies"`
		Optional     map[string][]string `toml:"optional-dependencies"`
	} `toml:"project"`
	BuildSystem      map[string]any `toml:"build-system"`
	DependencyGroups map[string]any `toml:"dependency-groups"`
	Tool             map[string]any `toml:"tool"`
}

// snake is what is known of a Python project while its commands are looked for.
type snake struct {
	*place
	// pyproject is nil where there is none; text is it as it stands.
	pyproject *pyproject
	text      string
	// ini are the files in the ini format that are there, by name.
	ini map[string]string
	// lists are the files that list what is to be installed, by name.
	lists map[string]string
	// run stands before a program, "uv run "; python is the interpreter in words.
	run, python string
	needs       string
	where       string
}

// python finds the tools that the project's own files configure or install.
func (p *place) python() {
	s := &snake{place: p, ini: map[string]string{}, lists: map[string]string{}, python: "python3", needs: "python3"}
	if !s.look() {
		return
	}
	s.environment()
	s.pytest()
	s.tools()
}

// look reads the files; false where nothing says Python.
func (s *snake) look() bool {
	if text, ok := s.read("pyproject.toml"); ok {
		s.text, s.pyproject, s.where = text, &pyproject{}, "pyproject.toml"
		if err := toml.Unmarshal([]byte(text), s.pyproject); err != nil {
			s.note("pyproject.toml cannot be read: %s", firstLine(err.Error()))
		}
	}
	for _, name := range []string{"setup.cfg", "tox.ini", "pytest.ini", ".flake8", "mypy.ini", ".mypy.ini"} {
		if s.has(name) {
			s.ini[name], _ = s.read(name)
		}
	}
	for _, name := range s.list("") {
		if strings.HasSuffix(name, ".txt") && strings.Contains(name, "requirements") || name == "Pipfile" {
			s.lists[name], _ = s.read(name)
			if s.where == "" {
				s.where = name
			}
		}
	}
	for _, name := range []string{"setup.py", "setup.cfg", "tox.ini"} {
		if s.where == "" && s.has(name) {
			s.where = name
		}
	}
	return s.where != ""
}

// environment finds out who installs the dependencies, and how programs are started then.
func (s *snake) environment() {
	tool := func(name string) bool { return s.pyproject != nil && s.pyproject.Tool[name] != nil }
	managed := func(name, where, setup string) {
		s.setup(setup, where, name)
		s.run, s.python, s.needs = name+" run ", name+" run python", name
	}
	switch {
	case s.has("uv.lock"), tool("uv") && !s.has("poetry.lock"):
		setup := "uv sync"
		if len(s.pyprojectOptional()) > 0 {
			setup += " --all-extras"
		}
		managed("uv", s.lock("uv.lock"), setup)
		s.Makes = append(s.Makes, ".venv/")
	case s.has("poetry.lock"), tool("poetry"):
		managed("poetry", s.lock("poetry.lock"), "poetry install --no-interaction")
	case s.has("pdm.lock"), tool("pdm"):
		managed("pdm", s.lock("pdm.lock"), "pdm install")
		s.Makes = append(s.Makes, ".venv/")
	case s.has("Pipfile.lock"):
		managed("pipenv", "Pipfile.lock", "pipenv sync --dev")
	case s.has("Pipfile"):
		managed("pipenv", "Pipfile", "pipenv install --dev --skip-lock")
	default:
		s.ownEnvironment()
	}
	s.Makes = append(s.Makes, "__pycache__/")
}

func (s *snake) lock(name string) string {
	if s.has(name) {
		return name
	}
	return "pyproject.toml"
}

func (s *snake) pyprojectOptional() map[string][]string {
	if s.pyproject == nil {
		return nil
	}
	return s.pyproject.Project.Optional
}

// ownEnvironment makes a virtual environment where the person's checkout has one, or where the Python on PATH lacks pytest
// and the project says how it is installed. Else that Python is used as it is.
func (s *snake) ownEnvironment() {
	var dir, where string
	for _, name := range []string{".venv", "venv"} {
		if dir == "" && s.host.Beside(path.Join(s.dir, name)) {
			dir, where = name, name+" in your checkout"
		}
	}
	wants := s.wants()
	if declared := s.declared("pytest"); dir == "" && declared != "" && wants != "" && !s.host.Module("pytest") {
		dir, where = ".venv", declared+"; python3 has no pytest"
	}
	if dir == "" {
		return
	}
	s.setup("python3 -m venv "+dir, where, "python3")
	if wants != "" {
		s.setup(dir+"/bin/pip install --quiet"+wants, s.where)
	}
	s.run, s.python, s.needs = dir+"/bin/", dir+"/bin/python", "python3"
	s.Makes = append(s.Makes, dir+"/")
	if strings.Contains(wants, " -e ") {
		s.Makes = append(s.Makes, "*.egg-info/")
	}
}

// wants is what pip has to install, as arguments.
func (s *snake) wants() string {
	var out string
	for _, name := range sortedNames(s.lists) {
		out += " -r " + shellWord(name)
	}
	usual := []string{"dev", "test", "tests", "testing"}
	if s.has("setup.py") || s.pyproject != nil && (s.pyproject.BuildSystem != nil || s.pyproject.Project.Name != "") {
		extra := ""
		if i := slices.IndexFunc(usual, func(n string) bool { return s.pyprojectOptional()[n] != nil }); i >= 0 {
			extra = "[" + usual[i] + "]"
		}
		out += " -e '." + extra + "'"
	}
	if s.pyproject != nil {
		if i := slices.IndexFunc(usual, func(n string) bool { return s.pyproject.DependencyGroups[n] != nil }); i >= 0 {
			out += " --group " + usual[i]
		}
	}
	return out
}

// program is the call of a program, and what it needs: through the manager or the environment that installs it, else as a
// module of the Python on PATH, else by its own name.
func (s *snake) program(name string) (call string, needs []string) {
	switch {
	case s.run != "" && s.declared(name) != "":
		return s.run + name, []string{s.needs}
	case s.run == "" && s.host.Module(name):
		return s.python + " -m " + name, []string{s.needs}
	}
	return name, []string{name}
}

// tool takes a program of the project's as a usual command; arguments follow it.
func (s *snake) tool(f Found, program, arguments string) {
	f.Command, f.Needs = s.program(program)
	f.Command += arguments
	s.usually(f)
}

func (s *snake) usually(f Found) {
	if f.Needs == nil {
		f.Needs = []string{s.needs}
	}
	s.take(usual, "python", f)
}
