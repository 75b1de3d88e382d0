package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestEnsureOnAnotherBranchIsNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Git(t, ws.Path, "switch", "-q", "-c", "side")
	_, err := b.m.Ensure(t.Context(), b.want())
	if off := (*OffBranchError)(nil); !errors.As(err, &off) || off.Have != "side" {
		t.Errorf("%v", err)
	}
	testkit.Git(t, ws.Path, "switch", "-q", "--detach")
	if _, err := ws.Head(t.Context()); !errors.As(err, new(*OffBranchError)) || !strings.Contains(err.Error(), "commit "+b.Head()[:7]) {
		t.Errorf("%v", err)
	}
	testkit.Git(t, ws.Path, "switch", "-q", branch)
	testkit.Write(t, ws.Path, "x", "x")
	testkit.Commit(t, ws.Path, "x")
	_, _ = testkit.TryGit(t, ws.Path, nil, "rebase", "--exec", "false", "HEAD~1") // stops at once
	if _, err := ws.Head(t.Context()); !errors.As(err, new(*OffBranchError)) || !strings.Contains(err.Error(), "a rebase is under way") {
		t.Errorf("%v", err)
	}
}

func TestAWorktreeThatWasReplacedIsLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(t *testing.T, b *bed, ws *Workspace)
		want string
	}{
		".git": {func(t *testing.T, b *bed, ws *Workspace) {
			must(t, os.WriteFile(filepath.Join(ws.Path, ".git"), []byte("gitdir: "+b.Dir+"/.git\n"), 0o644))
		}, ".git was replaced"},
		".git gone": {func(t *testing.T, _ *bed, ws *Workspace) { must(t, os.Remove(filepath.Join(ws.Path, ".git"))) }, "no such file"},
		"repository": {func(t *testing.T, _ *bed, ws *Workspace) {
			must(t, os.Remove(filepath.Join(ws.Path, ".git")))
			testkit.Git(t, ws.Path, "init", "-q")
		}, "not a plain file"},
		"commondir": {func(t *testing.T, _ *bed, ws *Workspace) { testkit.Write(t, ws.GitDir, "commondir", "/elsewhere\n") }, "registration was replaced"},
		"gitdir":    {func(t *testing.T, _ *bed, ws *Workspace) { testkit.Write(t, ws.GitDir, "gitdir", "/elsewhere/.git\n") }, "registration was replaced"},
		"config.worktree": {func(t *testing.T, _ *bed, ws *Workspace) {
			testkit.Write(t, ws.GitDir, "config.worktree", "[core]\n\tfsmonitor = evil\n")
		}, "config.worktree"},
		"registration": {func(t *testing.T, _ *bed, ws *Workspace) { must(t, os.RemoveAll(ws.GitDir)) }, "registration is gone"},
		"folder":       {func(t *testing.T, _ *bed, ws *Workspace) { must(t, os.RemoveAll(ws.Path)) }, "folder is gone"},
		"a link": {func(t *testing.T, _ *bed, ws *Workspace) {
			must(t, os.Rename(ws.Path, ws.Path+"-moved"))
			must(t, os.Symlink(ws.Path+"-moved", ws.Path))
		}, "no folder"},
		"branch gone": {func(t *testing.T, b *bed, ws *Workspace) { b.Git("update-ref", "-d", "refs/heads/"+branch) }, "is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			ws := b.ensure()
			testkit.Write(t, ws.Path, "work", "x")
			c.do(t, b, ws)
			_, err := ws.Head(t.Context())
			if lost := (*LostError)(nil); !errors.As(err, &lost) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if _, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "x"}); !errors.As(err, new(*LostError)) {
				t.Errorf("leftovers: %v", err)
			}
			list, err := b.m.List(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("%+v %v", list, err)
			}
			if name != "branch gone" && !errors.As(list[0].Err, new(*LostError)) {
				t.Errorf("list: %v", list[0].Err)
			}
		})
	}
}

func TestABranchThatNamesAnotherRefIsRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	b.Git("update-ref", "-d", "refs/heads/"+branch)
	b.Git("symbolic-ref", "refs/heads/"+branch, "refs/heads/main")
	testkit.Write(t, ws.Path, "evil", "x")
	before := b.Head()
	if _, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "x"}); err == nil || !strings.Contains(err.Error(), "another name for refs/heads/main") {
		t.Errorf("%v", err)
	}
	if b.Head() != before {
		t.Error("main moved")
	}
}

func TestADamagedRecordStopsOnlyItsOwnWorktree(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Write(t, b.m.dir(), string(key)+".json", "{")
	if _, _, err := b.m.Find(t.Context(), key); err == nil {
		t.Error("no error")
	}
	if _, err := b.m.Ensure(t.Context(), b.want()); err == nil {
		t.Error("no error")
	}
	other, err := b.m.Ensure(t.Context(), Want{Key: "0008-y", Branch: "tendril/0008-y", Base: "HEAD"})
	must(t, err)
	list, err := b.m.List(t.Context())
	if err != nil || len(list) != 2 || list[0].Err == nil || list[1].Workspace == nil || list[1].Path != other.Path {
		t.Errorf("%+v %v", list, err)
	}
	// As the message says: without the record, it is found again by its registration.
	must(t, os.Remove(filepath.Join(b.m.dir(), string(key)+".json")))
	testkit.Write(t, ws.Path, "work", "x")
	if again := b.ensure(); again.Path != ws.Path || testkit.Read(t, again.Path, "work") != "x" {
		t.Errorf("%+v", again)
	}
}
