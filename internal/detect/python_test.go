package detect

import "testing"

func TestPython(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "uv", tree: files{"uv.lock": "", "pyproject.toml": `[project]
name = "x"
dependencies = ["httpx"]
[project.optional-dependencies]
docs = ["mkdocs"]
[dependency-groups]
dev = ["pytest>=8", "mypy", "ruff"]
[tool.ruff]
line-length = 100
[tool.ruff.format]
quote-style = "single"
[tool.mypy]
packages = ["x"]
`}, want: `
setup: uv sync --all-extras (uv.lock)
format!: uv run ruff format . (pyproject.toml:8)
lint ruff: uv run ruff check . (pyproject.toml:8)
types mypy?: uv run mypy (pyproject.toml:12)
test: uv run pytest (pyproject.toml:7)
`},
		{name: "poetry", tree: files{"poetry.lock": "", "pyproject.toml": "[tool.poetry]\nname = \"x\"\n[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\nblack = {version = \"*\"}\n"}, want: `
setup: poetry install --no-interaction (poetry.lock)
format!: poetry run black . (pyproject.toml:5)
test: poetry run pytest (pyproject.toml:4)
`},
		{name: "requirements and no environment", tree: files{
			"requirements-dev.txt": "# tools\npytest==8.0\nflake8\n", "setup.cfg": "[metadata]\nname = x\n[flake8]\nmax-line-length = 100\n[mypy]\nfiles = x\n",
		}, modules: []string{"pytest", "mypy"}, want: `
lint flake8: flake8 (setup.cfg:3)
types mypy?: python3 -m mypy (setup.cfg:5)
test: python3 -m pytest (requirements-dev.txt:2)
`},
		{name: "an environment in the checkout", tree: files{
			"requirements.txt": "flask\n", "pyproject.toml": "[build-system]\nrequires = [\"setuptools\"]\n[project]\nname = \"x\"\n[project.optional-dependencies]\ntest = [\"pytest\"]\n",
		}, beside: []string{".venv"}, want: `
setup: python3 -m venv .venv (.venv in your checkout)
setup: .venv/bin/pip install --quiet -r requirements.txt -e '.[test]' (pyproject.toml)
test: .venv/bin/pytest (pyproject.toml:6)
`},
		{name: "no environment and no pytest", tree: files{"requirements-dev.txt": "pytest\n"}, want: `
setup: python3 -m venv .venv (requirements-dev.txt:1; python3 has no pytest)
setup: .venv/bin/pip install --quiet -r requirements-dev.txt (requirements-dev.txt)
test: .venv/bin/pytest (requirements-dev.txt:1)
`},
		{name: "unittest", tree: files{"setup.py": "", "tests/test_a.py": "import unittest\n"}, want: `
test: python3 -m unittest discover -s tests (tests/test_a.py)
`},
		{name: "tests that need pytest and nothing that says so", tree: files{"requirements.txt": "", "test_a.py": "def test_a():\n    pass\n"}, want: `
test: pytest (test_a.py)
`},
		{name: "tox", tree: files{"tox.ini": "[tox]\nenvlist = py3\n"}, want: `
test: tox (tox.ini:1)
`},
		{name: "pipenv", tree: files{"Pipfile": "[dev-packages]\npytest = \"*\"\n", "Pipfile.lock": "{}"}, want: `
setup: pipenv sync --dev (Pipfile.lock)
test: pipenv run pytest (Pipfile:2)
`},
		{name: "a name that only begins like a tool's", tree: files{"requirements.txt": "pytest-cov\nblackbox\n"}},
		{name: "not TOML", tree: files{"pyproject.toml": "[[\n"}, want: `
# pyproject.toml cannot be read: toml: line 2: expected '.' or ']' to end table name, but got '\n' instead
`},
	})
}
