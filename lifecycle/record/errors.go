package record

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMoved says that the branch is not where the caller believes, or moved again and again while a step was tried.
var ErrMoved = errors.New("the branch moved")

// BusyError says that recording must wait for a person (a rebase, unmerged entries, a commit message being written, a
// lock held). Nothing was changed; the caller tries again later.
type BusyError struct {
	// Why says what is going on, for people.
	Why string
	// Worktree is the folder where it is; empty when it is nowhere in particular.
	Worktree string
}

// Error says why, and where.
func (e *BusyError) Error() string {
	if e.Worktree == "" {
		return "recording waits: " + e.Why
	}
	return fmt.Sprintf("recording waits: %s in %s", e.Why, e.Worktree)
}

// InTheWayError says that a strict move would have touched what a person has not committed. Nothing was changed.
type InTheWayError struct {
	// Worktree is the folder, Paths the files in it that are in the way, sorted.
	Worktree string
	Paths    []string
}

// Error names the files, as many as fit.
func (e *InTheWayError) Error() string {
	const most = 10
	paths, more := e.Paths, ""
	if len(paths) > most {
		paths, more = paths[:most], fmt.Sprintf(" and %d more", len(e.Paths)-most)
	}
	return fmt.Sprintf("not committed and in the way in %s: %s%s\n  commit, stash or move them away", e.Worktree, strings.Join(paths, ", "), more)
}
