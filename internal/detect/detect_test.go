package detect

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files is a tree in memory.
type files map[string]string

func (f files) ReadFile(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (f files) List(dir string) ([]string, error) {
	names := map[string]bool{}
	for name := range f {
		rest, below := name, true
		if dir != "" {
			rest, below = strings.CutPrefix(name, dir+"/")
		}
		if first, _, deeper := strings.Cut(rest, "/"); below && deeper {
			names[first+"/"] = true
		} else if below {
			names[first] = true
		}
	}
	return slices.Collect(maps.Keys(names)), nil
}

// lines writes a result as a person would note it: a line a command, "?" for an optional one, "!" for one that mends.
func lines(r Result) string {
	var b strings.Builder
	for _, s := range r.Setup {
		fmt.Fprintf(&b, "setup: %s (%s)\n", s.Command, s.Where)
	}
	for _, f := range r.Found {
		mark := ""
		if f.Optional {
			mark += "?"
		}
		if f.Fix {
			mark += "!"
		}
		name := f.Name
		if name != string(f.Kind) {
			name = string(f.Kind) + " " + name
		}
		fmt.Fprintf(&b, "%s%s: %s (%s)\n", name, mark, f.Command, f.Where)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	for _, a := range r.First {
		fmt.Fprintf(&b, "first: %s\n", a.Command)
	}
	return b.String()
}

type detection struct {
	name   string
	tree   files
	beside []string
	// modules are those of the Python on PATH.
	modules []string
	want    string
}

func host(beside, modules []string) Host {
	return Host{
		Beside: func(path string) bool { return slices.Contains(beside, path) },
		Module: func(name string) bool { return slices.Contains(modules, name) },
	}
}

func check(t *testing.T, cases []detection) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res, err := Detect(c.tree, host(c.beside, c.modules))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimLeft(c.want, "\n"), lines(res)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "empty", tree: files{}},
		{name: "only words", tree: files{"README.md": "# x\n", "docs/go.mod": "module x\n"}},
	})
}

func TestGo(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "module", tree: files{"a_test.go": "", "go.mod": "module x\n\ngo 1.26\n"}, want: `
format!: go fmt ./... (go.mod)
lint vet: go vet ./... (go.mod)
build: go build -o /dev/null ./... (go.mod)
test: go test ./... (go.mod)
`},
		{name: "golangci-lint in place of vet", tree: files{"a_test.go": "", "go.mod": "module x\n", ".golangci.yml": "version: 2\n"}, want: `
format!: go fmt ./... (go.mod)
lint: golangci-lint run (.golangci.yml)
build: go build -o /dev/null ./... (go.mod)
test: go test ./... (go.mod)
`},
		{name: "tools of the module", tree: files{
			"a_test.go": "", "go.mod": "module x\ngo 1.26\ntool (\n\thonnef.co/go/tools/cmd/staticcheck\n\tmvdan.cc/gofumpt\n\tgithub.com/golangci/golangci-lint/v2/cmd/golangci-lint\n)\n",
			".golangci.toml": "",
		}, want: `
format!: go tool gofumpt -l -w . (go.mod)
lint: go tool golangci-lint run (.golangci.toml)
lint staticcheck: go tool staticcheck ./... (go.mod)
build: go build -o /dev/null ./... (go.mod)
test: go test ./... (go.mod)
`},
		{name: "no test yet", tree: files{"go.mod": "module x\n", "testdata/a_test.go": ""}, want: `
format!: go fmt ./... (go.mod)
lint vet: go vet ./... (go.mod)
build: go build -o /dev/null ./... (go.mod)
test?: go test ./... (go.mod)
# go test ./... would run no test yet, so it is not required: make it so once there is one
`},
		{name: "workspace", tree: files{"a/a_test.go": "", "go.work": "go 1.26\nuse (\n\t./a\n\t.\n)\n", "go.mod": "module x\n"}, want: `
format!: go fmt ./a/... ./... (go.work:3)
lint vet: go vet ./a/... ./... (go.work:3)
build: go build -o /dev/null ./a/... ./... (go.work:3)
test: go test ./a/... ./... (go.work:3)
`},
	})
}

func TestEntryPointsGoFirst(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "a target in place of the usual command", tree: files{
			"go.mod": "module x\n", "Makefile": ".PHONY: test lint\ntest: build\n\tgo test -race ./...\n\nlint:\n\tgolangci-lint run\n",
		}, want: `
format!: go fmt ./... (go.mod)
lint: make lint (Makefile:5)
build: go build -o /dev/null ./... (go.mod)
test: make test (Makefile:2)
`},
		{name: "one of several runners", tree: files{
			"Makefile": "test:\n\ttrue\n", "justfile": "test:\n  true\nlint:\n  true\n",
			"Taskfile.yml": "version: '3'\ntasks:\n  lint: {cmds: [x]}\n  build:\n    cmds: [x]\n",
		}, want: `
lint: just lint (justfile:3)
build: task build (Taskfile.yml:4)
test: make test (Makefile:1)
`},
		{name: "a target for two languages", tree: files{
			"go.mod": "module x\n", "package.json": `{"scripts": {"test": "vitest", "build": "vite build"}}`, "Makefile": "test:\n\tx\n",
		}, want: `
format!: go fmt ./... (go.mod)
lint vet: go vet ./... (go.mod)
build build-go: go build -o /dev/null ./... (go.mod)
build build-node: npm run build (package.json:1)
test: make test (Makefile:1)
`},
		{name: "shell scripts where there is nothing else", tree: files{
			"scripts/test": "#!/usr/bin/env bash\n", "scripts/lint.sh": "#!/bin/sh\n", "scripts/build": "#!/usr/bin/python3\n",
		}, want: `
lint: bash scripts/lint.sh (scripts/lint.sh)
test: bash scripts/test (scripts/test)
`},
		{name: "no shell script beside a manifest's", tree: files{
			"scripts/build.sh": "#!/bin/sh\n", "package.json": `{"scripts": {"build": "vite build"}}`,
		}, want: `
build: npm run build (package.json:1)
`},
	})
}

func TestFoldersOfTheFirstLevel(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "where the top says nothing", tree: files{
			"README.md": "", "api/go.mod": "module x\n", "api/b/a_test.go": "", "web/package.json": `{"scripts": {"test": "vitest run"}, "dependencies": {"a": "1"}}`,
			"web/package-lock.json": "{}", "vendor/go.mod": "module y\n", "odd name/go.mod": "module z\n",
		}, want: `
setup: cd web && npm ci --prefer-offline (web/package-lock.json)
format format-api!: cd api && go fmt ./... (api/go.mod)
lint vet-api: cd api && go vet ./... (api/go.mod)
build build-api: cd api && go build -o /dev/null ./... (api/go.mod)
test test-api: cd api && go test ./... (api/go.mod)
test test-web: cd web && npm test (web/package.json:1)
`},
		{name: "not where it does", tree: files{"Makefile": "test:\n\tx\n", "api/go.mod": "module x\n"}, want: `
test: make test (Makefile:1)
`},
	})
}

type broken struct{ files }

func (broken) ReadFile(string) ([]byte, error) { return nil, errors.New("the disk is gone") }

func TestATreeThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := Detect(broken{files{"go.mod": ""}}, host(nil, nil)); err == nil || err.Error() != "the disk is gone" {
		t.Errorf("got %v", err)
	}
}

// A large repository of many parts is not silently half read.
func TestMoreFoldersThanAreLookedInto(t *testing.T) {
	t.Parallel()
	for folders, want := range map[int][]string{
		maxNested:     nil,
		maxNested + 3: {"only the first 20 folders were looked into, not the other 3: name what is missing under checks:"},
	} {
		tree := files{".github/x": ""}
		for i := range folders {
			tree[fmt.Sprintf("part%03d/Makefile", i)] = "test:\n\ttrue\n"
		}
		r, err := Detect(tree, Host{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Notes); diff != "" || len(r.Found) != maxNested {
			t.Errorf("%d folders: %d commands, notes (-want +got)\n%s", folders, len(r.Found), diff)
		}
	}
}
