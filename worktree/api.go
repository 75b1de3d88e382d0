package worktree

import (
	"context"
	"errors"

	"tendril/internal/git"
	"tendril/plans"
)

var errTODO = errors.New("not yet")

type record struct{}

// ResolveRoot returns the absolute folder for worktrees. configured may hold {{.Repo}}, the name of the main worktree's
// folder, and is relative to that folder; empty is ../{{.Repo}}.worktrees. Where its parent cannot be written or lies in
// another repository, or the main repository is bare, it is <common git dir>/tendril/worktrees.
func ResolveRoot(ctx context.Context, repo *git.Repo, configured string) (string, error) {
	return "", errTODO
}

// Ensure returns the worktree that is wanted: it makes it, finishes making it, or takes it up as it is. Errors: ErrUnborn,
// *ClashError, *ForeignError, *BranchBlockedError, *OffBranchError, *LostError.
func (m *Manager) Ensure(ctx context.Context, want Want) (*Workspace, error) { return nil, errTODO }

// Find returns the plan's worktree (not a race's) when one was made here. A *LostError when it is not what was made.
func (m *Manager) Find(ctx context.Context, key plans.Key) (*Workspace, bool, error) {
	return nil, false, errTODO
}

// Listed is one worktree that was made here, or why it is lost.
type Listed struct {
	Name      string
	Key       plans.Key
	Path      string
	Workspace *Workspace
	Err       error
}

// List returns every worktree that was made here and not removed, by name.
func (m *Manager) List(ctx context.Context) ([]Listed, error) { return nil, errTODO }

// Remove deletes the worktree and keeps its branch. A *DirtyError keeps it; one that is gone already is only forgotten.
func (m *Manager) Remove(ctx context.Context, ws *Workspace) error { return errTODO }

// Forget clears the record of a worktree that is lost. What is at its path is left alone.
func (m *Manager) Forget(ctx context.Context, name string) error { return errTODO }

// Head returns the commit that the plan's branch is at. An *OffBranchError when HEAD is not on that branch, a *LostError.
func (w *Workspace) Head(ctx context.Context) (string, error) { return "", errTODO }

// Dirty returns changed and untracked files (not ignored ones), sorted.
func (w *Workspace) Dirty(ctx context.Context) ([]string, error) { return nil, errTODO }

// Leftovers says how what an agent left is committed.
type Leftovers struct {
	Ident   git.Ident
	Message string
	// Skip are paths, with slashes, that stay out.
	Skip []string
	// Secrets are values that must not be committed beside those that redact knows by pattern.
	Secrets []string
}

// Secret is a place where something that looks like a secret was found.
type Secret struct {
	Path, Rule string
	Line       int
}

// Left is what CommitLeftovers did.
type Left struct {
	// Head is the branch's commit now; Committed is true when it is new.
	Head      string
	Committed bool
	// Secrets are the places for which files stayed out, Nested the repositories inside the worktree that stayed out.
	Secrets []Secret
	Nested  []string
}

// CommitLeftovers commits every change in the worktree that git does not ignore, runs no hooks, and leaves out files in
// which a secret was added, repositories inside the worktree and the paths in Skip. Errors as Head, and *LockedError.
func (w *Workspace) CommitLeftovers(ctx context.Context, l Leftovers) (Left, error) {
	return Left{}, errTODO
}

// FileStat is one file of a diff.
type FileStat struct {
	// Path is the file's name with slashes, Old its name before a rename or copy.
	Path, Old string
	// Added and Deleted are lines; 0 for a binary file.
	Added, Deleted int
	Binary         bool
	// Status is git's letter: A, M, D, R, C or T.
	Status string
	// OldMode and NewMode are as in a tree ("100644"), "000000" where there is no file; OldBlob and NewBlob full ids.
	OldMode, NewMode, OldBlob, NewBlob string
}

// PatchLimit is the greatest size of a DiffResult's Patch, in bytes, without the line that points to the rest.
const PatchLimit = 256 << 10

// DiffResult is the difference of two commits.
type DiffResult struct {
	// Patch is the unified diff, cut at PatchLimit with a line that says how to see the rest (then Cut is true).
	Patch []byte
	Cut   bool
	// Files are complete whatever the patch's size.
	Files []FileStat
}

// Diff returns base...head: what head changed since it left base.
func Diff(ctx context.Context, repo *git.Repo, base, head string) (*DiffResult, error) {
	return nil, errTODO
}
