package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tendril/internal/crash"
	"tendril/internal/git"
	"tendril/internal/proc"
)

// stepMark is the variable by which git processes that a dead engine left at work in a worktree are found.
const stepMark = "TENDRIL_WORKTREE"

// add makes branch and registration: the step that git does not do well twice at once. What it began is taken back when it
// fails.
func (m *Manager) add(ctx context.Context, rec record) (record, error) {
	head, err := branchHead(ctx, m.Repo, rec.Branch)
	if err != nil {
		return rec, err
	}
	if head == "" {
		if err := m.blocked(ctx, rec.Branch); err != nil {
			return rec, err
		}
		if rec.Base, err = m.commit(ctx, rec.Base); err != nil {
			return rec, err
		}
		rec.NewBranch = true
	}
	if err := os.MkdirAll(filepath.Dir(rec.Path), 0o755); err != nil {
		return rec, fmt.Errorf("worktree %s: %w", rec.Name, err)
	}
	if err := m.save(rec); err != nil {
		return rec, err
	}
	crash.At(crashRecorded)
	if head == "" {
		err = m.makeBranch(ctx, rec.Branch, rec.Base)
		crash.At(crashBranch)
	}
	if err == nil {
		err = m.addRegistration(ctx, rec)
	}
	if err != nil {
		undo := context.WithoutCancel(ctx)
		if rec.NewBranch {
			err = errors.Join(err, m.unmakeBranch(undo, rec.Branch, rec.Base))
		}
		return rec, errors.Join(err, m.forget(rec.Name))
	}
	crash.At(crashAdded)
	return m.link(ctx, rec)
}

// addRegistration lets git make the worktree without its files, which takes milliseconds however large the repository is.
// The branch is there already, so git sets no upstream for it.
func (m *Manager) addRegistration(ctx context.Context, rec record) error {
	err := retry(ctx, func() error {
		_, err := m.Repo.Do(ctx, git.Call{
			Args: []string{
				"worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", lockReason + ": " + rec.Name, "--", rec.Path, rec.Branch,
			},
			Env: m.committer(),
		})
		return err
	})
	if holder, ok := heldBy(err); ok {
		return &ClashError{Branch: rec.Branch, Worktree: holder}
	}
	return err
}

// heldBy reads the worktree out of git's refusal to check a branch out twice, for the cases that a list of worktrees does
// not show (a rebase of it is under way).
func heldBy(err error) (string, bool) {
	var ge *git.Error
	if !errors.As(err, &ge) {
		return "", false
	}
	for _, before := range []string{"is already checked out at '", "is already used by worktree at '"} {
		if _, rest, ok := strings.Cut(ge.Stderr, before); ok {
			return strings.TrimSuffix(strings.TrimSpace(rest), "'"), true
		}
	}
	return "", false
}

// link remembers what ties the new folder to the repository.
func (m *Manager) link(ctx context.Context, rec record) (record, error) {
	gitDir, err := gitDirOf(rec.Path, m.Repo.CommonDir)
	if err != nil {
		return rec, fmt.Errorf("worktree %s: %w", rec.Name, err)
	}
	rec.GitDir = gitDir
	sparse, err := m.Repo.Pinned(gitDir, rec.Path).Run(ctx, "config", "--type=bool", "--default=false", "--get", "core.sparseCheckout")
	if err != nil {
		return rec, fmt.Errorf("worktree %s: %w", rec.Name, err)
	}
	rec.Sparse = sparse == "true"
	if rec.Links, err = readLinks(rec.Path, gitDir); err != nil {
		return rec, fmt.Errorf("worktree %s: %w", rec.Name, err)
	}
	if err := m.save(rec); err != nil {
		return rec, err
	}
	crash.At(crashLinked)
	return rec, nil
}

// fill puts the files in place and lets the repository's own post-checkout hook run. Until it is through, nobody has been
// told of the worktree: what an earlier, cut off filling left half written is written again.
func (m *Manager) fill(ctx context.Context, ws *Workspace) error {
	mark := ws.mark()
	_, err := ws.git(ctx, git.Call{
		Args:    []string{"-c", "checkout.workers=2", "reset", "--hard", "--quiet", "--no-recurse-submodules"},
		Env:     append(m.committer(), mark),
		Locks:   true,
		Timeout: m.setupLimit(),
	})
	if err != nil {
		return fmt.Errorf("worktree %s: its files could not be checked out: %w", ws.Name, err)
	}
	crash.At(crashCheckedOut)
	if err := copyIndex(filepath.Join(ws.GitDir, "index"), ws.indexFile()); err != nil {
		return fmt.Errorf("worktree %s: %w", ws.Name, err)
	}
	if warning := m.postCheckout(ctx, ws, mark); warning != "" {
		ws.Warnings = append(ws.Warnings, warning)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("worktree %s: %w", ws.Name, ctx.Err())
	}
	crash.At(crashHooked)
	return nil
}

// mark is put into the environment of what is started in the worktree while it is made.
func (w *Workspace) mark() string { return stepMark + "=" + w.Path }

// endUnfinished ends what a dead engine left at work in a worktree that it was making, and removes the lock that a git
// that was ended leaves behind.
func (w *Workspace) endUnfinished(ctx context.Context) {
	proc.Family{Mark: w.mark()}.End(ctx, 0)
	_ = os.Remove(filepath.Join(w.GitDir, "index.lock")) // where it stays, git names it
}
