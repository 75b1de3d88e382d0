package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(targets []target) []string {
	var out []string
	for _, t := range targets {
		out = append(out, t.name)
	}
	return out
}

func TestMakeTargets(t *testing.T) {
	t.Parallel()
	const text = `# comment: not a target
VAR := a:b
OTHER = x: y
.PHONY: test \
	lint
.DEFAULT_GOAL := all
include other.mk
ifeq ($(OS),Windows_NT)
EXE := .exe
endif

all: prog | dirs ## Build everything: really
prog: main.c util.c
	cc -o $@ $^
test lint:: prog ; ./run $@
nothing:
%.o: %.c
	cc -c $<
$(BIN)/tool: go.mod
	go build
debug: CFLAGS = -g
define text
inside: x
	recipe
endef
long: a \
  b
	echo "quoted: text"
grouped x &: y
`
	targets, phony := makeTargets(text)
	want := []string{"all", "prog", "test", "lint", "long", "grouped", "x"}
	if diff := cmp.Diff(want, names(targets)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if !phony["test"] || !phony["lint"] || phony["all"] {
		t.Errorf("phony: %v", phony)
	}
	if targets[2].line != 15 || targets[4].line != 26 {
		t.Errorf("lines %d and %d", targets[2].line, targets[4].line)
	}
}

func TestMakefile(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "all and check", tree: files{"Makefile": "all: prog\nprog: main.c\n\tcc main.c\ncheck: all\n\t./prog --self-test\nfmt-check:\n\tx\nclean:\n\trm -f prog\ninstall:\n\tcp prog /usr\n"}, want: `
format: make fmt-check (Makefile:6)
build: make all (Makefile:1)
test: make check (Makefile:4)
`},
		{name: "a writing formatter before a looking one", tree: files{"GNUmakefile": "check-format:\n\tx\nformat:\n\tx\ntype_check:\n\tx\n", "Makefile": "test:\n\tx\n"}, want: `
format!: make format (GNUmakefile:3)
types: make type_check (GNUmakefile:5)
`},
		{name: "a target that a folder hides", tree: files{"Makefile": "test:\n\tx\nlint:\n\tx\n.PHONY: lint\n", "test/a.c": "", "lint/b": ""}, want: `
lint: make lint (Makefile:3)
# Makefile: the target test is the name of a file or folder and not .PHONY, so make does nothing for it
`},
		{name: "CRLF", tree: files{"Makefile": "test: a\r\n\tx\r\n"}, want: `
test: make test (Makefile:1)
`},
	})
}

func TestJustRecipes(t *testing.T) {
	t.Parallel()
	const text = `set shell := ["bash", "-c"]
alias t := test
version := "1"
export A := "b"

# a comment: with a colon
default: test
@test *args: build
  cargo test {{args}}
build target="debug":
  x
[private]
release version:
  x
lint path='.' : build
`
	if diff := cmp.Diff([]string{"default", "test", "build", "lint"}, names(justRecipes(text))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	const text = "version: '3'\ntasks:\n  test: go test ./...\n  build:\n    cmds: [go build]\n  hidden: {internal: true}\n  lint:\n    - golangci-lint run\n"
	if diff := cmp.Diff([]string{"test", "build", "lint"}, names(tasks(text))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, bad := range []string{"", "tasks: [", "tasks: 3", "- a"} {
		if got := tasks(bad); got != nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func TestWhatIsMade(t *testing.T) {
	t.Parallel()
	res, err := Detect(files{
		"Makefile":     ".PHONY: check\nall: rev\nrev: rev.c\n\tcc -o $@ $<\n%.o: %.c\n\tcc -c $<\ncheck: rev\n\t./test $@\n$(BIN)/x: y\n\tz > $@\n",
		"package.json": `{"dependencies": {"a": "1"}}`, "Cargo.toml": "[package]\n",
	}, host(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"*.o", "node_modules/", "rev", "target/"}, res.Makes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
