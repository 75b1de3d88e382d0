package rules

import (
	"bytes"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func readFile(path string) ([]byte, error) { return os.ReadFile(path) }

// exits are the files that may end the process or use its own streams.
var exits = map[string]bool{
	"main.go":                  true,
	"cmd/io.go":                true, // makes the process's streams an IO
	"internal/crash/count.go":  true, // dies on purpose
	"internal/testkit/main.go": true, // is a TestMain
	"runners/supervise.go":     true, // its standard output is the pipe on which it reports to whoever started it
}

// neverCalled are calls that have another place: errors are returned, data goes through cmd.IO, the process ends in main.
var neverCalled = map[string]bool{
	"panic": true, "print": true, "println": true, "fmt.Print": true, "fmt.Printf": true, "fmt.Println": true, "os.Exit": true,
	"log.Print": true, "log.Printf": true, "log.Println": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true, "log.Panic": true,
}

func TestCallsThatHaveAnotherPlace(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || exits[s.path] || strings.HasPrefix(s.path, "internal/bench/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := callee(n); neverCalled[name] {
					t.Errorf("%s:%d: %s", s.path, s.fset.Position(n.Pos()).Line, name)
				}
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s:%d: func init: what happens before main cannot be tested or ordered", s.path, s.fset.Position(n.Pos()).Line)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" && (n.Sel.Name == "Stdout" || n.Sel.Name == "Stdin") && !strings.HasPrefix(s.path, "internal/term/") {
					t.Errorf("%s:%d: os.%s belongs to cmd.IO", s.path, s.fset.Position(n.Pos()).Line, n.Sel.Name)
				}
			}
			return true
		})
	}
}

// callee is "name" or "package.name" of a call.
func callee(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// foreign are words that have no place in a committed file. They are put together here, so that this file may be read.
func foreign() []string {
	return []string{
		"/wo" + "rk/", "/ro" + "ot/", "go" + "proxy=", "proxy.golang" + ".org", "registry.npmjs" + ".org", "pypi" + ".org",
		"FIX" + "ME", "XX" + "X:", "TO" + "DO",
	}
}

// mayHold are files that show such words on purpose.
func mayHold(path string) bool {
	return strings.Contains(path, "/testdata/") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".sum")
}

func TestNoForeignWords(t *testing.T) {
	t.Parallel()
	top := root(t)
	for _, path := range tracked(t, top) {
		if mayHold(path) {
			continue
		}
		data, err := readFile(filepath.Join(top, filepath.FromSlash(path)))
		if err != nil || !utf8.Valid(data) {
			continue // Deleted and not yet committed, a link, or no text.
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
				t.Errorf("%s:%d: a conflict marker", path, i+1)
			}
			for _, word := range foreign() {
				if bytes.Contains(line, []byte(word)) {
					t.Errorf("%s:%d: %q", path, i+1, word)
				}
			}
		}
	}
}

// tracked are the files that git tracks; without git there is nothing that could be committed.
func tracked(t *testing.T, top string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "-C", top, "ls-files", "-z")
	out, err := cmd.Output()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("git ls-files: %v", err)
		}
		t.Skipf("git ls-files: %v: not a checkout, nothing is committed here", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
