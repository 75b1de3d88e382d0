package record

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// checkBusy fails unless recording has to wait for what the words say, in that worktree, and changes nothing.
func (f fixture) checkBusy(where, words string) {
	f.t.Helper()
	before := f.Snapshot()
	_, err := f.recorder().Commit(f.t.Context(), build(standard))
	var wait *BusyError
	if !errors.As(err, &wait) || wait.Worktree != where || !strings.Contains(wait.Why, words) {
		f.t.Errorf("Commit: %v, want to wait for %q in %s", err, words, where)
	}
	before.Unchanged(f.t, f.Snapshot())
}

// rebasing starts a rebase of main that stops at a conflict, in src/code.go.
func (f fixture) rebasing(args ...string) {
	f.t.Helper()
	f.Git("checkout", "-q", "-b", "onto", "main")
	f.Write("src/code.go", "package onto\n")
	f.Commit("onto")
	f.Git("checkout", "-q", "main")
	f.Write("src/code.go", "package main\n")
	f.Commit("main")
	if len(args) == 0 {
		args = []string{"rebase", "onto"}
	}
	if _, err := testkit.TryGit(f.t, f.Dir, nil, args...); err == nil {
		f.t.Fatal("no conflict")
	}
}

func TestRebaseAborted(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"--merge", "--apply"} {
		f := newFixture(t)
		f.rebasing("rebase", backend, "onto")
		f.checkBusy(f.Dir, "a rebase of main")
		f.Git("rebase", "--abort")
		f.record()
		f.checkFollowed()
	}
}

func TestRebaseContinued(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.rebasing()
	f.checkBusy(f.Dir, "a rebase of main")
	f.Write("src/code.go", "package both\n")
	f.Git("add", "src/code.go")
	f.Git("-c", "core.editor=true", "rebase", "--continue")
	f.record()
	f.checkFollowed()
	if got := f.Read("src/code.go"); got != "package both\n" {
		t.Errorf("the rebase's work: %q", got)
	}
}

func TestRebaseInAnotherWorktree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "work")
	second := f.at(f.Worktree("main"))
	second.rebasing()
	f.checkBusy(second.Dir, "a rebase of main")
	second.Git("rebase", "--abort")
	f.record()
	second.checkFollowed()
}

func TestRebaseThatTakesTheBranchAlong(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "onto")
	f.Write("src/code.go", "package onto\n")
	f.Commit("onto")
	f.Git("checkout", "-q", "main")
	f.Write("README.md", "changed\n")
	f.Commit("main")
	f.Git("checkout", "-q", "-b", "stacked")
	f.Write("src/code.go", "package stacked\n")
	f.Commit("stacked")
	if _, err := testkit.TryGit(t, f.Dir, nil, "rebase", "--update-refs", "onto"); err == nil {
		t.Fatal("no conflict")
	}
	f.checkBusy(f.Dir, "a rebase of main")
	f.Git("rebase", "--abort")
	f.record()
}

func TestRebaseOfAnotherBranchIsNobodysBusiness(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := f.at(f.Worktree("-b", "side"))
	second.Write("src/code.go", "package side\n")
	second.Commit("side")
	f.Write("src/code.go", "package main\n")
	f.Commit("main")
	if _, err := testkit.TryGit(t, second.Dir, nil, "rebase", "main"); err == nil {
		t.Fatal("no conflict")
	}
	f.record()
	f.checkFollowed()
	second.Git("rebase", "--abort")
}

// TestEditorOpen runs a real `git commit` whose editor waits until the test lets it go.
func TestEditorOpen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dir := testkit.TempDir(t)
	editor := testkit.WriteScript(t, dir, "editor", "#!/bin/sh\ntouch '"+dir+"/open'\nwhile ! [ -e '"+dir+"/go' ]; do sleep 0.02; done\n[ -e '"+dir+"/give-up' ] || echo theirs > \"$1\"\n")
	commit := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "git", "commit", "-q", "-a")
		cmd.Dir, cmd.Env = f.Dir, append(testkit.Env(t), "GIT_EDITOR="+editor)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, testLimit, func() bool {
			_, err := os.Stat(filepath.Join(dir, "open"))
			return err == nil
		}, "the editor opens")
		return cmd
	}
	f.Write("src/code.go", "package theirs\n")
	cmd := commit()
	f.checkBusy(f.Dir, "a commit message is being written")
	testkit.Write(t, dir, "go", "")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the person's commit: %v", err)
	}
	f.record()
	f.checkFollowed()
	if got := f.Git("log", "-2", "--format=%an: %s"); got != "Tendril: tendril: 0001-one executing\nPat Person: theirs" {
		t.Errorf("log:\n%s", got)
	}
}

// TestMessageGivenUp: a commit that was given up leaves its message behind. Where the system shows which processes are at
// work, that is not waited for; elsewhere for ten minutes. The clock is the recorder's own field.
func TestMessageGivenUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("src/code.go", "package theirs\n")
	if _, err := testkit.TryGit(t, f.Dir, []string{"GIT_EDITOR=false"}, "commit", "-q", "-a"); err == nil {
		t.Fatal("the commit was made")
	}
	r := f.recorder()
	if runtime.GOOS != "linux" {
		f.checkBusy(f.Dir, "a commit message is being written")
		r.Now = func() time.Time { return time.Now().Add(messageLimit) }
	}
	if res, err := r.Commit(t.Context(), build(standard)); err != nil || res.Commit == "" {
		t.Errorf("after it was given up: %+v, %v", res, err)
	}
	if got := f.status(); got != " M src/code.go" {
		t.Errorf("status: %s", got)
	}
}

func TestMergeInProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "side")
	f.Write("src/code.go", "package side\n")
	f.Commit("side")
	f.Git("checkout", "-q", "main")
	f.Write("src/code.go", "package main\n")
	f.Commit("main")
	if _, err := testkit.TryGit(t, f.Dir, nil, "merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	f.record()
	if got := f.status(); got != "UU src/code.go" {
		t.Errorf("status: %s", got)
	}
	f.Write("src/code.go", "package both\n")
	f.Git("add", "src/code.go")
	f.Git("commit", "-q", "--no-edit")
	f.checkFollowed()
	if got := f.committed(planPath); got != withStatus(planText, "executing") {
		t.Errorf("the merge has plan.md as %q", got)
	}
}

func TestMergeAborted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "side")
	f.Write("src/code.go", "package side\n")
	f.Commit("side")
	f.Git("checkout", "-q", "main")
	f.Write("src/code.go", "package main\n")
	f.Commit("main")
	if _, err := testkit.TryGit(t, f.Dir, nil, "merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	f.record()
	f.Git("merge", "--abort")
	f.checkFollowed()
}

// TestUnmerged is the row "unmerged" of the table: the step waits.
func TestUnmerged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "side")
	f.Write(recordPath, "side\n")
	f.Commit("side")
	f.Git("checkout", "-q", "main")
	f.Write(recordPath, "main\n")
	f.Commit("main")
	if _, err := testkit.TryGit(t, f.Dir, nil, "merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	f.checkBusy(f.Dir, recordPath+" has a conflict")
	f.Git("merge", "--abort")
	f.record()
	f.checkFollowed()
}

func TestIndexLockHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lock := filepath.Join(f.Dir, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.checkBusy(f.Dir, "index.lock")
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("a lock that is not ours: %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	f.record()
	f.checkFollowed()
}
