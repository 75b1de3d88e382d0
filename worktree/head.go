package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"tendril/internal/git"
)

// operations are what git may have under way in a worktree, by the file or folder that says so.
var operations = []struct{ file, name string }{
	{"rebase-merge", "a rebase"},
	{"rebase-apply", "a rebase"},
	{"MERGE_HEAD", "a merge"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"},
	{"BISECT_LOG", "a bisection"},
}

// during names what is under way, empty for nothing.
func (w *Workspace) during() string {
	for _, op := range operations {
		if exists(filepath.Join(w.GitDir, op.file)) {
			return op.name
		}
	}
	return ""
}

// Intact compares the worktree with what was remembered when it was made: a *LostError when it is not that any more.
func (w *Workspace) Intact() error { return w.rec.intact() }

// Head returns the commit that the plan's branch is at. An *OffBranchError when HEAD is not on that branch, a *LostError
// when the worktree or the branch is gone or was replaced.
func (w *Workspace) Head(ctx context.Context) (string, error) {
	if err := w.Intact(); err != nil {
		return "", err
	}
	head, err := branchHead(ctx, w.Repo, w.Branch)
	if err != nil {
		return "", err
	}
	if on := w.on(ctx); on != "refs/heads/"+w.Branch {
		return "", &OffBranchError{Path: w.Path, Branch: w.Branch, Have: strings.TrimPrefix(on, "refs/heads/"), During: w.during()}
	}
	if head == "" {
		return "", &LostError{w.Path, "its branch " + w.Branch + " is gone"}
	}
	return head, nil
}

// on returns the ref that HEAD names, or the commit that it is detached at.
func (w *Workspace) on(ctx context.Context) string {
	if text, err := readPlain(filepath.Join(w.GitDir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(text), "ref: "); ok {
			return ref
		}
	}
	// Where refs are not files, git is asked.
	if ref, err := w.Repo.Run(ctx, "symbolic-ref", "--quiet", "HEAD"); err == nil {
		return ref
	}
	commit, err := w.Repo.Run(ctx, "rev-parse", "--short", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "no commit"
	}
	return "commit " + commit
}

// unnamed returns the commit that HEAD is detached at, when no branch, tag or remote-tracking branch has it: it would be
// lost with the worktree.
func (w *Workspace) unnamed(ctx context.Context) (string, error) {
	if on := w.on(ctx); strings.HasPrefix(on, "refs/heads/") {
		return "", nil
	}
	head, err := w.Repo.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if _, failed := git.ExitCode(err); failed {
		return "", nil // nothing to lose
	}
	if err != nil {
		return "", err
	}
	return w.Repo.Run(ctx, "rev-list", "--max-count=1", head, "--not", "--branches", "--tags", "--remotes", "--glob=refs/tendril/*")
}

// lockFile is git's own lock on the worktree's index.
func (w *Workspace) lockFile() string { return filepath.Join(w.GitDir, "index.lock") }

// locked reports whether it is held, or was left behind.
func (w *Workspace) locked() bool {
	_, err := os.Lstat(w.lockFile())
	return err == nil
}
