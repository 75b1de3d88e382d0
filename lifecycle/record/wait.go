package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/git"
)

// messageLimit is how long a commit message being written is waited for: one that was given up looks the same.
const messageLimit = 10 * time.Minute

// busy returns a *BusyError while recording on ref has to wait for what a person does: a rebase that will set the branch
// when it ends, in any worktree; a commit message being written in a worktree that has the branch checked out.
func busy(checkouts []git.Checkout, ref string, now time.Time) error {
	for _, c := range checkouts {
		refs, err := c.Rebasing()
		if err != nil {
			return err
		}
		if slices.Contains(refs, ref) {
			return &BusyError{Why: fmt.Sprintf("a rebase of %s is in progress", shortRef(ref)), Worktree: placeOf(c)}
		}
	}
	for _, c := range checkouts {
		if c.Ref != ref {
			continue
		}
		writing, err := messageBeingWritten(c, now)
		if err != nil {
			return err
		}
		if writing {
			return &BusyError{Why: "a commit message is being written", Worktree: placeOf(c)}
		}
	}
	return nil
}

// placeOf is where a person finds the worktree.
func placeOf(c git.Checkout) string {
	if c.Path == "" {
		return c.GitDir
	}
	return c.Path
}

func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// messageBeingWritten reports whether COMMIT_EDITMSG is younger than the last thing that HEAD did, and not old, and a git
// process is at work there: a commit that came to nothing leaves the same file behind.
func messageBeingWritten(c git.Checkout, now time.Time) (bool, error) {
	message, err := modTime(filepath.Join(c.GitDir, "COMMIT_EDITMSG"))
	if err != nil || message.IsZero() || now.Sub(message) >= messageLimit {
		return false, err
	}
	moved, err := modTime(filepath.Join(c.GitDir, "logs", "HEAD"))
	if err != nil || moved.IsZero() {
		// Without a reflog nothing tells a message in progress from one that is committed.
		return false, err
	}
	return message.After(moved) && gitAtWork(c.Path), nil
}

// modTime is a file's time; zero when it is not there.
func modTime(path string) (time.Time, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look for a commit in progress: %w", err)
	}
	return info.ModTime(), nil
}
