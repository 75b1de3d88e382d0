package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// effects are the calls that change something outside of this process, as the source writes them. Of git it is the
// subcommand that tells.
var (
	effects = []string{
		"os.Rename", "os.Link", "os.Symlink", "os.WriteFile", "maybe.WriteFile", "renameio.WriteFile", "proc.Run", "check.Run",
		"exec.Command", "exec.CommandContext", "Start",
	}
	gitEffects = []string{
		"update-ref", "worktree", "push", "fetch", "merge", "rebase", "checkout", "checkout-index", "reset", "commit", "branch", "submodule",
	}
)

// unpointed are the functions whose effects need no point of their own, by the reason.
var unpointed = map[string][]string{
	"a person's command, which does one thing and is called again": {
		"lifecycle.Detach", "lifecycle.OpenForEdit", "lifecycle.askToStop", "lifecycle.askToYield", "lifecycle.checkOutOwn", "lifecycle.createOwn",
		"lifecycle.localBranch", "lifecycle.makeBranch", "lifecycle.pinBranch", "lifecycle.writeNew", "lifecycle.module", "lifecycle.ask",
		"lifecycle.openEngineLog", "lifecycle.leaveOwnBranch", "lifecycle.makeOwnBranch", "lifecycle.pointHere", "lifecycle.writeMove",
	},
	"a cache or a hint, made anew where it is not there": {
		"lifecycle.Glances", "lifecycle.keepClashes", "lifecycle.wakeEngine", "lifecycle.writeHolder", "lifecycle.writeSynced", "worktree.Remember",
	},
	"a whole file or nothing, before anything is built on it": {"lifecycle.cloneID"},
	"only asks, in a folder of its own":                       {"lifecycle/gate.keyIsOf", "lifecycle/gate.verifyWith"},
	"one transaction of refs, done again at the next claim":   {"lifecycle.freshStart", "lifecycle.reviveBranch"},
	"the caller in another room holds the point":              {"lifecycle/gate.replaceFile", "lifecycle/verify.runOne", "worktree.Restore"},
	"one of record.placing and record.placed, or of going back, which begins anew with the journal": {
		"lifecycle/record.dropHeld", "lifecycle/record.putOver", "lifecycle/record.replaceFile", "lifecycle/record.restore",
		"lifecycle/record.takeAway", "lifecycle/record.takeBackFile", "lifecycle/record.writeContent",
	},
}

// effectRooms are the packages whose effects a crash may fall between.
var effectRooms = []string{"lifecycle", "lifecycle/record", "lifecycle/gate", "lifecycle/deliver", "lifecycle/verify", "worktree", "runners"}

// function is a function of a package with what it does itself.
type function struct {
	effects []string
	calls   []string
	point   bool
}

// TestEveryEffectLiesBesideACrashPoint lists the effects outside of the process, function by function. A test must be able
// to kill the process beside each: the function that has the effect, or one of its package that calls it, holds a crash
// point, or unpointed says why none is needed.
func TestEveryEffectLiesBesideACrashPoint(t *testing.T) {
	t.Parallel()
	excused := map[string]bool{}
	for _, names := range unpointed {
		for _, name := range names {
			excused[name] = false
		}
	}
	for _, room := range effectRooms {
		found := functionsOf(t, filepath.Join("..", "..", filepath.FromSlash(room)))
		for name, f := range found {
			if len(f.effects) == 0 || covered(name, found, 2) {
				continue
			}
			if _, known := excused[room+"."+name]; known {
				excused[room+"."+name] = true
				continue
			}
			t.Errorf("%s.%s has effects (%s) and no crash point beside them", room, name, strings.Join(f.effects, ", "))
		}
	}
	for name, met := range excused {
		if !met {
			t.Errorf("%s is excused and need not be", name)
		}
	}
}

// covered says whether a function, or one that calls it, holds a crash point.
func covered(name string, all map[string]*function, depth int) bool {
	if all[name].point {
		return true
	}
	for other, f := range all {
		if depth > 0 && other != name && slices.Contains(f.calls, name) && covered(other, all, depth-1) {
			return true
		}
	}
	return false
}

// functionsOf reads the functions of a package. Methods go by their name alone: what is meant by a call is not resolved.
func functionsOf(t *testing.T, dir string) map[string]*function {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*function{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				f := all[fn.Name.Name]
				if f == nil {
					f = &function{}
					all[fn.Name.Name] = f
				}
				f.read(fn.Body)
			}
		}
	}
	return all
}

// read takes in what a body does.
func (f *function) read(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := callName(n)
			switch {
			case name == "crash.At":
				f.point = true
			case slices.Contains(effects, name):
				f.effects = append(f.effects, name)
			}
			f.calls = append(f.calls, name[strings.LastIndexByte(name, '.')+1:])
			f.readArgs(n.Args)
		case *ast.CompositeLit:
			f.readArgs(n.Elts)
		case *ast.SelectorExpr:
			f.calls = append(f.calls, n.Sel.Name)
		}
		return true
	})
}

// readArgs finds the subcommand of git in a list of words.
func (f *function) readArgs(args []ast.Expr) {
	for _, arg := range args[:min(len(args), 2)] {
		if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if word, err := strconv.Unquote(lit.Value); err == nil && slices.Contains(gitEffects, word) {
				f.effects = append(f.effects, "git "+word)
			}
		}
	}
}

func callName(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		if x, ok := fn.X.(*ast.Ident); ok {
			return x.Name + "." + fn.Sel.Name
		}
		return fn.Sel.Name
	}
	return ""
}
