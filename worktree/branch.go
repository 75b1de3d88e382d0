package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"tendril/internal/git"
)

// patience bounds how long a step that meets one of git's lock files is tried again.
const patience = 30 * time.Second

// retry runs a git step again while it meets a lock file that another git holds for a moment.
func retry(ctx context.Context, step func() error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = 20*time.Millisecond, 500*time.Millisecond
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := step()
		if err != nil && !contended(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(patience))
	if p := (*backoff.PermanentError)(nil); errors.As(err, &p) {
		return p.Unwrap()
	}
	return err
}

// contended reports whether git failed because of a lock file, and not because two names exclude each other.
func contended(err error) bool {
	var ge *git.Error
	if !errors.As(err, &ge) {
		return false
	}
	said := ge.Stderr
	return strings.Contains(said, ".lock") && (strings.Contains(said, "File exists") || strings.Contains(said, "could not lock"))
}

// branchHead returns the commit that a branch is at, empty when there is none. A branch that is only another name for
// another ref is refused: moving it would move that one.
func branchHead(ctx context.Context, repo *git.Repo, branch string) (string, error) {
	out, err := repo.Run(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", "refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(f) != 3 || f[0] != "refs/heads/"+branch {
			continue
		}
		if f[2] != "" {
			return "", &aliasError{branch, f[2]}
		}
		return f[1], nil
	}
	return "", nil
}

// aliasError says that a branch is a symbolic ref.
type aliasError struct{ branch, to string }

func (e *aliasError) Error() string {
	return fmt.Sprintf("branch %s is only another name for %s\n  delete that name: git symbolic-ref --delete refs/heads/%s", e.branch, e.to, e.branch)
}

// makeBranch makes the branch at a commit; it must not be there.
func (m *Manager) makeBranch(ctx context.Context, branch, commit string) error {
	zero := strings.Repeat("0", len(commit))
	return retry(ctx, func() error {
		_, err := m.Repo.Do(ctx, git.Call{
			Args: []string{"update-ref", "--create-reflog", "-m", "tendril: branch for a plan", "refs/heads/" + branch, commit, zero},
			Env:  m.committer(),
		})
		return err
	})
}

// unmakeBranch takes back a branch that was made, if it is still where it was made.
func (m *Manager) unmakeBranch(ctx context.Context, branch, commit string) error {
	if head, err := branchHead(ctx, m.Repo, branch); err != nil || head != commit {
		return err
	}
	return retry(ctx, func() error {
		_, err := m.Repo.Run(ctx, "update-ref", "-d", "refs/heads/"+branch, commit)
		return err
	})
}

// blocked returns a *BranchBlockedError when another branch's name excludes this one: one that is a leading part of it, or
// one below it.
func (m *Manager) blocked(ctx context.Context, branch string) error {
	for i, c := range branch {
		if c != '/' {
			continue
		}
		_, err := m.Repo.Run(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+branch[:i])
		if err == nil {
			return &BranchBlockedError{Branch: branch, By: branch[:i]}
		}
		if _, failed := git.ExitCode(err); !failed {
			return err
		}
	}
	below, err := m.Repo.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", "refs/heads/"+branch+"/")
	if err == nil && below != "" {
		return &BranchBlockedError{Branch: branch, By: below}
	}
	return err
}

// commit resolves a base to a full commit id; ErrUnborn where the repository has none at all.
func (m *Manager) commit(ctx context.Context, base string) (string, error) {
	if base == "" {
		base = "HEAD"
	}
	id, err := m.Repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	if err == nil {
		return id, nil
	}
	if _, failed := git.ExitCode(err); !failed {
		return "", err
	}
	any, anyErr := m.Repo.Run(ctx, "rev-list", "--max-count=1", "--all")
	if anyErr == nil && any == "" {
		return "", ErrUnborn
	}
	return "", fmt.Errorf("base %s is no commit of this repository\n  fetch it, or name another base in the plan", base)
}
