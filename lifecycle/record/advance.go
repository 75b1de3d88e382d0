package record

import (
	"context"

	"tendril/internal/git"
)

// Move is a branch to be moved to a commit that is built already.
type Move struct {
	// Ref is the branch's full name.
	Ref string
	// Old is where it must stand, New where it goes.
	Old, New string
	// Strict refuses the whole move when anything that it touches is changed, staged, untracked or ignored in a worktree
	// that has the branch checked out. Otherwise each path is decided by the table.
	Strict bool
	// Reflog is the line in the reflog; By, when set, the identity there.
	Reflog string
	By     git.Ident
	// PlansDir is where plans live, if they do on this branch (see Recorder.PlansDir).
	PlansDir string
}

// Advance moves a branch, with the working trees that have it checked out. Errors: ErrMoved when it is not at Old (any
// more), *InTheWayError (Strict), *BusyError.
func Advance(ctx context.Context, repo *git.Repo, runtime string, m Move) (Result, error) {
	return Result{}, errTodo
}
