package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestRemoveKeepsTheBranchAndLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	before := b.Snapshot()
	ws := b.ensure()
	testkit.Write(t, ws.Path, "work", "x")
	head := testkit.Commit(t, ws.Path, "work")
	testkit.Write(t, ws.Path, "ignored/deep/x", "x")
	testkit.Write(t, ws.Path, "read-only.log/x", "x")
	must(t, os.Chmod(filepath.Join(ws.Path, "read-only.log"), 0o500))
	must(t, b.m.Remove(t.Context(), ws))
	if exists(ws.Path) || exists(ws.GitDir) {
		t.Error("still there")
	}
	if got := b.Git("rev-parse", branch); got != head {
		t.Errorf("branch at %s", got)
	}
	if list := b.Git("worktree", "list"); strings.Contains(list, string(key)) {
		t.Error(list)
	}
	entries, err := os.ReadDir(b.m.dir())
	must(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "lock") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	if left, err := os.ReadDir(b.m.Root); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	before.Unchanged(t, b.Snapshot().Without("ref refs/heads/tendril/"))
	must(t, b.m.Remove(t.Context(), ws)) // twice is no error
}

// Lesson 54.
func TestRemoveKeepsWhatWouldBeLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(w *testkit.Repository)
		want string
	}{
		"changed":   {func(w *testkit.Repository) { w.Write("a.txt", "x") }, "a.txt"},
		"deleted":   {func(w *testkit.Repository) { must(t, os.Remove(filepath.Join(w.Dir, "a.txt"))) }, "a.txt"},
		"untracked": {func(w *testkit.Repository) { w.Write("deep/new", "x") }, "deep/new"},
		"staged only": {func(w *testkit.Repository) {
			w.Write("a.txt", "x")
			w.Git("add", "a.txt")
			w.Write("a.txt", "one\ntwo\nthree\n")
		}, "a.txt (staged)"},
		"nested": {func(w *testkit.Repository) { w.Git("init", "-q", "inner"); w.Write("inner/x", "x") }, "inner/"},
		"detached": {func(w *testkit.Repository) {
			w.Git("switch", "-q", "--detach")
			w.Git("commit", "-q", "--allow-empty", "-m", "x")
		}, "is on no branch"},
		"during a merge": {func(w *testkit.Repository) { w.Git("merge", "-q", "--no-commit", "--no-ff", "side") }, "a merge is under way"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.Git("switch", "-q", "-c", "side")
			b.Write("side", "x")
			b.Commit("side")
			b.Git("switch", "-q", "main")
			ws := b.ensure()
			w := testkit.At(t, ws.Path)
			c.do(w)
			before := w.Snapshot()
			err := b.m.Remove(t.Context(), ws)
			if dirty := (*DirtyError)(nil); !errors.As(err, &dirty) || !strings.Contains(err.Error(), c.want) || dirty.Path != ws.Path {
				t.Fatalf("%v, want %q", err, c.want)
			}
			before.Unchanged(t, w.Snapshot())
			if _, ok, err := b.m.Find(t.Context(), key); !ok || err != nil {
				t.Errorf("not found any more: %v", err)
			}
		})
	}
}

// Lesson 58.
func TestAWorktreeThatTheAgentRemovedCanBeForgotten(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(b *bed, ws *Workspace){
		"worktree remove": func(b *bed, ws *Workspace) { b.Git("worktree", "remove", "-f", "-f", ws.Path) },
		"rm -rf":          func(_ *bed, ws *Workspace) { must(t, os.RemoveAll(ws.Path)) },
		"rm and prune": func(b *bed, ws *Workspace) {
			must(t, os.RemoveAll(ws.Path))
			b.Git("worktree", "unlock", ws.Path)
			b.Git("worktree", "prune")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			ws := b.ensure()
			gone(b, ws)
			must(t, b.m.Remove(t.Context(), ws))
			if all, err := b.m.List(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("%+v %v", all, err)
			}
			if list := b.Git("worktree", "list"); strings.Contains(list, string(key)) {
				t.Error(list)
			}
			b.ensure()
		})
	}
}

func TestAReplacedWorktreeIsNotRemovedButCanBeForgotten(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	must(t, os.RemoveAll(ws.Path))
	b.Git("worktree", "remove", "-f", "-f", ws.Path)
	testkit.Git(t, ".", "init", "-q", ws.Path)
	testkit.Write(t, ws.Path, "a person's", "x")
	if err := b.m.Remove(t.Context(), ws); !errors.As(err, new(*LostError)) {
		t.Errorf("%v", err)
	}
	must(t, b.m.Forget(t.Context(), ws.Name))
	if testkit.Read(t, ws.Path, "a person's") != "x" {
		t.Error("touched")
	}
	if all, err := b.m.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := b.m.Ensure(t.Context(), b.want()); !errors.As(err, new(*ForeignError)) {
		t.Errorf("%v", err)
	}
}

// Lesson 19.
func TestSubmodules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(sub *testkit.Repository)
		want string
	}{
		"clean":     {func(*testkit.Repository) {}, ""},
		"changed":   {func(s *testkit.Repository) { s.Write("README.md", "x") }, "changes in submodule lib"},
		"untracked": {func(s *testkit.Repository) { s.Write("new", "x") }, "changes in submodule lib"},
		"committed": {func(s *testkit.Repository) { s.Git("commit", "-q", "--allow-empty", "-m", "x") }, "is in none of its remotes"},
		"hostile":   {func(s *testkit.Repository) { s.Git("config", "core.fsmonitor", "touch "+filepath.Join(s.Dir, "PWN")) }, "core.fsmonitor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lib := testkit.Repo(t)
			b := newBed(t)
			b.Git("submodule", "--quiet", "add", lib.Dir, "lib")
			b.Commit("lib")
			ws := b.ensure()
			testkit.Git(t, ws.Path, "submodule", "--quiet", "update", "--init")
			c.do(testkit.At(t, filepath.Join(ws.Path, "lib")))
			err := b.m.Remove(t.Context(), ws)
			if c.want == "" {
				if err != nil || exists(ws.Path) {
					t.Errorf("%v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !exists(filepath.Join(ws.Path, "lib", "README.md")) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if exists(filepath.Join(ws.Path, "lib", "PWN")) {
				t.Error("a program of the agent's ran")
			}
		})
	}
}

func TestRemoveMeetsSomethingWhereItWouldMoveTo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Write(t, b.m.Root, ".removing-"+ws.Name+"/mine", "x")
	if err := b.m.Remove(t.Context(), ws); !errors.As(err, new(*ForeignError)) {
		t.Errorf("%v", err)
	}
	if testkit.Read(t, b.m.Root, ".removing-"+ws.Name+"/mine") != "x" || !exists(ws.Path) {
		t.Error("something was removed")
	}
}
