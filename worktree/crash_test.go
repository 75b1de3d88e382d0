package worktree

import (
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// Every point is reached by one of the three pieces of work, a process dies there by SIGKILL, and the same work done again
// comes to the same end.
func TestDeathAtEveryPoint(t *testing.T) {
	t.Parallel()
	if len(CrashPoints()) != 14 {
		t.Errorf("%d points", len(CrashPoints()))
	}
	for _, point := range CrashPoints() {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			testkit.WriteScript(t, b.Dir, ".git/hooks/post-checkout", "#!/bin/sh\necho ran > hook.log\n")
			b.Write("mine", "the person's\n")
			before := b.Snapshot().Without("ref refs/heads/tendril/")
			defer func() { before.Unchanged(t, b.Snapshot().Without("ref refs/heads/tendril/")) }()
			if b.die("ensure", string(point)) {
				afterEnsure(t, b)
				return
			}
			ws := b.ensure()
			testkit.Write(t, ws.Path, "a.txt", "changed\n")
			testkit.Write(t, ws.Path, "new", "x\n")
			if b.die("leftovers", string(point)) {
				afterLeftovers(t, b)
				return
			}
			if !b.die("remove", string(point)) {
				t.Fatal("nothing reaches this point")
			}
			afterRemove(t, b, ws)
		})
	}
}

func afterEnsure(t *testing.T, b *bed) {
	ws := b.ensure()
	if got := testkit.Git(t, ws.Path, "status", "--porcelain"); got != "" {
		t.Errorf("status: %s", got)
	}
	if testkit.Read(t, ws.Path, "dir/b.txt") != "b\n" || testkit.Read(t, ws.Path, "hook.log") != "ran\n" {
		t.Error("the files are not there")
	}
	if got := strings.Count(b.Git("worktree", "list"), "\n"); got != 1 || ws.Slot != 1 {
		t.Errorf("%d worktrees, slot %d", got, ws.Slot)
	}
	must(t, b.m.Remove(t.Context(), ws))
}

func afterLeftovers(t *testing.T, b *bed) {
	ws := b.ensure()
	left := b.leftovers(ws)
	if got := testkit.Git(t, ws.Path, "log", "--format=%s", b.Head()+".."+left.Head); got != "left" && got != "what was left" {
		t.Errorf("commits: %s", got)
	}
	if got := testkit.Git(t, ws.Path, "status", "--porcelain"); got != "" {
		t.Errorf("status: %s", got)
	}
	if got := testkit.Git(t, ws.Path, "show", "HEAD:new"); got != "x" {
		t.Errorf("new: %q", got)
	}
}

func afterRemove(t *testing.T, b *bed, ws *Workspace) {
	must(t, b.m.Recover(t.Context(), time.Now()))
	if again, ok, err := b.m.Find(t.Context(), key); err != nil {
		t.Errorf("%v %v", ok, err)
	} else if ok {
		// It died before anything was moved.
		must(t, b.m.Remove(t.Context(), again))
	}
	if exists(ws.Path) || exists(ws.GitDir) || strings.Contains(b.Git("worktree", "list"), string(key)) {
		t.Error("not gone")
	}
	if all, _, err := b.m.records(); err != nil || len(all) > 0 {
		t.Errorf("%+v %v", all, err)
	}
	if got := b.Git("show", branch+":new"); got != "x" {
		t.Errorf("the branch lost %q", got)
	}
	b.ensure()
}

// A removal that died with the folder moved finds that a person wrote in it: it comes back.
func TestWorkInAMovedWorktreeComesBack(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	if !b.die("remove", string(crashMoved)) {
		t.Fatal("it did not die")
	}
	testkit.Write(t, b.m.Root, ".removing-"+ws.Name+"/late", "x")
	ws = b.ensure()
	if testkit.Read(t, ws.Path, "late") != "x" {
		t.Error("lost")
	}
	if dirty, err := ws.Dirty(t.Context()); err != nil || len(dirty) != 1 {
		t.Errorf("%v %v", dirty, err)
	}
}

// While the checkout of a killed engine is still at work in the worktree, the next engine ends it and does it again.
func TestACheckoutThatOutlivedItsEngine(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if !b.die("ensure", string(crashLinked)) {
		t.Fatal("it did not die")
	}
	rec, err := b.m.load(string(key))
	must(t, err)
	testkit.Write(t, rec.GitDir, "index.lock", "")
	testkit.Write(t, rec.Path, "a.txt", "half writ")
	ws := b.ensure()
	if testkit.Read(t, ws.Path, "a.txt") != "one\ntwo\nthree\n" || exists(rec.GitDir+"/index.lock") {
		t.Error("not done again")
	}
}
