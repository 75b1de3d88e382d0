package worktree

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnborn is returned where the repository has no commit to start from.
var ErrUnborn = errors.New("the repository has no commit yet\n  make a first one: git commit --allow-empty -m start")

// LostError says that a worktree, or its registration, is gone or was replaced: what it holds is not the plan's.
type LostError struct {
	Path, Why string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("worktree %s is lost: %s\n  what was committed is on the plan's branch; another approval makes the worktree anew", e.Path, e.Why)
}

// ClashError says that the branch is checked out in another worktree.
type ClashError struct {
	Branch, Worktree string
}

func (e *ClashError) Error() string {
	return fmt.Sprintf("branch %s is checked out in %s\n  switch that worktree to another branch", e.Branch, e.Worktree)
}

// ForeignError says that the folder is there and was not made by Tendril. It was left as it is.
type ForeignError struct {
	Path, Why string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s is in the way: %s\n  move it elsewhere", e.Path, e.Why)
}

// BranchBlockedError says that another ref keeps the branch from existing (a branch "tendril" keeps all "tendril/…").
type BranchBlockedError struct {
	Branch, By string
}

func (e *BranchBlockedError) Error() string {
	return fmt.Sprintf("branch %s cannot be made while a branch %s exists\n  rename it: git branch -m %s NEW-NAME", e.Branch, e.By, e.By)
}

// OffBranchError says that HEAD of the worktree is not on the plan's branch.
type OffBranchError struct {
	Path, Branch string
	// Have is the branch or commit that HEAD is on, During a rebase or the like that is under way, if any.
	Have, During string
}

func (e *OffBranchError) Error() string {
	during := ""
	if e.During != "" {
		during = " (" + e.During + " is under way)"
	}
	return fmt.Sprintf("worktree %s is on %s%s, not on %s\n  bring it back: git -C %s switch %s", e.Path, e.Have, during, e.Branch, e.Path, e.Branch)
}

// DirtyError keeps a worktree from being removed: what it names would be lost.
type DirtyError struct {
	Path string
	// Paths are changed or untracked files (not ignored ones), Why is what else would be lost, one line each.
	Paths, Why []string
}

func (e *DirtyError) Error() string {
	const show = 5
	what := append([]string{}, e.Why...)
	for i, p := range e.Paths {
		if i == show {
			what = append(what, fmt.Sprintf("%d more", len(e.Paths)-show))
			break
		}
		what = append(what, p)
	}
	return fmt.Sprintf("worktree %s is kept: not committed: %s", e.Path, strings.Join(what, ", "))
}

// LockedError says that git's own lock file is held, or was left behind, in the worktree.
type LockedError struct {
	Path string
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s exists: git is at work there, or was ended\n  when no git runs there, remove that file", e.Path)
}
