package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// pyproject is what is read of pyproject.toml.
type pyproject struct {
	Project struct {
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
		s.Makes = append(s.Makes, ".venv")
	case s.has("poetry.lock"), tool("poetry"):
		managed("poetry", s.lock("poetry.lock"), "poetry install --no-interaction")
	case s.has("pdm.lock"), tool("pdm"):
		managed("pdm", s.lock("pdm.lock"), "pdm install")
		s.Makes = append(s.Makes, ".venv")
	case s.has("Pipfile.lock"):
		managed("pipenv", "Pipfile.lock", "pipenv sync --dev")
	case s.has("Pipfile"):
		managed("pipenv", "Pipfile", "pipenv install --dev --skip-lock")
	default:
		s.ownEnvironment()
	}
	s.Makes = append(s.Makes, "__pycache__")
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

// ownEnvironment makes a virtual environment as the person's checkout has one; without one the Python on PATH is used.
func (s *snake) ownEnvironment() {
	var dir string
	for _, name := range []string{".venv", "venv"} {
		if dir == "" && s.beside(name) {
			dir = name
		}
	}
	if dir == "" {
		return
	}
	s.setup("python3 -m venv "+dir, dir+" in your checkout", "python3")
	var wants []string
	for _, name := range sortedNames(s.lists) {
		wants = append(wants, "-r "+name)
	}
	if s.has("setup.py") || s.pyproject != nil && s.pyproject.BuildSystem != nil {
		extra := ""
		for _, name := range []string{"dev", "test", "tests", "testing"} {
			if _, there := s.pyprojectOptional()[name]; there {
				extra = "[" + name + "]"
				break
			}
		}
		wants = append(wants, "-e '."+extra+"'")
	}
	if len(wants) > 0 {
		s.setup(dir+"/bin/pip install --quiet "+strings.Join(wants, " "), s.where)
	}
	s.run, s.python, s.needs = dir+"/bin/", dir+"/bin/python", "python3"
	s.Makes = append(s.Makes, dir)
}

// module is the call of a program: through the manager or the environment, else as a module of the Python on PATH, which
// finds it where no script of it is on PATH.
func (s *snake) module(name string) string {
	if s.run != "" {
		return s.run + name
	}
	return s.python + " -m " + name
}

func (s *snake) usually(f Found) {
	if f.Needs == nil {
		f.Needs = []string{s.needs}
	}
	s.take(usual, "python", f)
}

// pytest finds the tests.
func (s *snake) pytest() {
	where := s.evidence("pytest", "pytest", "tool:pytest")
	if _, own := s.ini["pytest.ini"]; own {
		where = "pytest.ini"
	}
	file, text := s.aTest()
	if where == "" && (s.has("conftest.py") || s.has("tests/conftest.py") || strings.Contains(text, "import pytest")) {
		where = file
	}
	switch {
	case where != "":
		s.Makes = append(s.Makes, ".pytest_cache")
		s.usually(Found{Kind: Test, Command: s.module("pytest"), Where: where})
	case strings.Contains(text, "unittest") && strings.HasPrefix(file, "tests/"):
		s.usually(Found{Kind: Test, Command: s.python + " -m unittest discover -s tests", Where: file})
	case strings.Contains(text, "unittest"):
		s.usually(Found{Kind: Test, Command: s.python + " -m unittest", Where: file})
	case section(s.ini["tox.ini"], "tox") != 0:
		s.usually(Found{Kind: Test, Command: "tox", Where: fmt.Sprintf("tox.ini:%d", section(s.ini["tox.ini"], "tox")), Needs: []string{"tox"}})
	case strings.Contains(text, "def test_"):
		s.usually(Found{Kind: Test, Command: s.module("pytest"), Where: file})
	}
}

// aTest is a file of tests, and its text.
func (s *snake) aTest() (file, text string) {
	for _, dir := range []string{"tests", "test", ""} {
		for _, pattern := range []string{"test_*.py", "*_test.py"} {
			if name, ok := s.hasLike(dir, pattern); ok {
				text, _ = s.read(name)
				return name, text
			}
		}
	}
	return "", ""
}

// tools finds linters, type checkers and formatters.
func (s *snake) tools() {
	if where := s.evidence("ruff"); where != "" || s.has("ruff.toml") || s.has(".ruff.toml") {
		if where == "" {
			where, _ = s.first("ruff.toml", ".ruff.toml")
		}
		s.usually(Found{Kind: Lint, Name: "ruff", Command: s.module("ruff") + " check .", Where: where})
		if s.formatsWithRuff() {
			s.usually(Found{Kind: Format, Command: s.module("ruff") + " format .", Where: where, Fix: true})
		}
	}
	if where := s.evidence("black"); where != "" {
		s.usually(Found{Kind: Format, Command: s.module("black") + " .", Where: where, Fix: true})
	}
	if where := s.evidence("flake8", "flake8"); where != "" {
		s.usually(Found{Kind: Lint, Name: "flake8", Command: s.module("flake8"), Where: where})
	}
	if where := s.evidence("mypy", "mypy"); where != "" {
		command := s.module("mypy")
		if !s.mypyNamesFiles() {
			command += " ."
		}
		s.usually(Found{Kind: Types, Name: "mypy", Command: command, Where: where, Optional: true})
	}
	if where := s.evidence("pyright"); where != "" || s.has("pyrightconfig.json") {
		if where == "" {
			where = "pyrightconfig.json"
		}
		s.usually(Found{Kind: Types, Name: "pyright", Command: s.module("pyright"), Where: where, Optional: true})
	}
}

// formatsWithRuff reports whether the project says that ruff is its formatter too.
func (s *snake) formatsWithRuff() bool {
	if s.pyproject != nil {
		if ruff, ok := s.pyproject.Tool["ruff"].(map[string]any); ok && ruff["format"] != nil {
			return true
		}
	}
	hooks, _ := s.read(".pre-commit-config.yaml")
	_, own := s.first("ruff.toml", ".ruff.toml")
	return strings.Contains(hooks, "ruff-format") || section(own, "format") != 0
}

func (s *snake) mypyNamesFiles() bool {
	if s.pyproject != nil {
		if mypy, ok := s.pyproject.Tool["mypy"].(map[string]any); ok && (mypy["files"] != nil || mypy["packages"] != nil) {
			return true
		}
	}
	files := regexp.MustCompile(`(?m)^(?:files|packages)\s*=`)
	return slices.ContainsFunc([]string{"mypy.ini", ".mypy.ini", "setup.cfg"}, func(n string) bool { return files.MatchString(s.ini[n]) })
}

// evidence says where a tool is configured or installed; empty where it is not. sections are the headings by which files
// in the ini format configure it.
func (s *snake) evidence(tool string, sections ...string) string {
	if s.pyproject != nil && s.pyproject.Tool[tool] != nil {
		return at("pyproject.toml", s.text, "[tool."+tool)
	}
	for _, name := range sortedNames(s.ini) {
		for _, heading := range sections {
			if line := section(s.ini[name], heading); line != 0 {
				return fmt.Sprintf("%s:%d", name, line)
			}
		}
	}
	// A dependency: "pytest>=8" in a list, pytest = "*" in a table, pytest==8 on a line.
	wanted := regexp.MustCompile(`(?m)(?:^\s*|["'])` + regexp.QuoteMeta(tool) + `(?:\[[^\]]*\])?\s*(?:$|["'=<>~!;#])`)
	if m := wanted.FindStringIndex(s.text); m != nil {
		return fmt.Sprintf("pyproject.toml:%d", lineOf(s.text, m))
	}
	for _, name := range sortedNames(s.lists) {
		if m := wanted.FindStringIndex(s.lists[name]); m != nil {
			return fmt.Sprintf("%s:%d", name, lineOf(s.lists[name], m))
		}
	}
	return ""
}

// lineOf is the line of a match, less the white space that it begins with.
func lineOf(text string, match []int) int {
	begin := match[0] + len(text[match[0]:match[1]]) - len(strings.TrimLeft(text[match[0]:match[1]], " \t\r\n"))
	return 1 + strings.Count(text[:begin], "\n")
}

// section is the line of a heading in an ini file, 0 for none.
func section(text, name string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "["+name+"]" {
			return i + 1
		}
	}
	return 0
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
