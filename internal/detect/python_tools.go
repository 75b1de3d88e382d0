package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

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
		s.Makes = append(s.Makes, ".pytest_cache/")
		s.tool(Found{Kind: Test, Where: where}, "pytest", "")
	case strings.Contains(text, "unittest") && strings.HasPrefix(file, "tests/"):
		s.usually(Found{Kind: Test, Command: s.python + " -m unittest discover -s tests", Where: file})
	case strings.Contains(text, "unittest"):
		s.usually(Found{Kind: Test, Command: s.python + " -m unittest", Where: file})
	case section(s.ini["tox.ini"], "tox") != 0:
		s.usually(Found{Kind: Test, Command: "tox", Where: fmt.Sprintf("tox.ini:%d", section(s.ini["tox.ini"], "tox")), Needs: []string{"tox"}})
	case strings.Contains(text, "def test_"):
		s.tool(Found{Kind: Test, Where: file}, "pytest", "")
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
		s.tool(Found{Kind: Lint, Name: "ruff", Where: where}, "ruff", " check .")
		if s.formatsWithRuff() {
			s.tool(Found{Kind: Format, Where: where, Fix: true}, "ruff", " format .")
		}
	}
	if where := s.evidence("black"); where != "" {
		s.tool(Found{Kind: Format, Where: where, Fix: true}, "black", " .")
	}
	if where := s.evidence("flake8", "flake8"); where != "" {
		s.tool(Found{Kind: Lint, Name: "flake8", Where: where}, "flake8", "")
	}
	if where := s.evidence("mypy", "mypy"); where != "" {
		arguments := " ."
		if s.mypyNamesFiles() {
			arguments = ""
		}
		s.tool(Found{Kind: Types, Name: "mypy", Where: where, Optional: true}, "mypy", arguments)
	}
	if where := s.evidence("pyright"); where != "" || s.has("pyrightconfig.json") {
		if where == "" {
			where = "pyrightconfig.json"
		}
		s.tool(Found{Kind: Types, Name: "pyright", Where: where, Optional: true}, "pyright", "")
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
	return s.declared(tool)
}

// declared says where a tool is named as something to install; empty where it is not.
func (s *snake) declared(tool string) string {
	// "pytest>=8" in a list, pytest = "*" in a table, pytest==8 on a line.
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
