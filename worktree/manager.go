package worktree

import (
	"time"

	"tendril/internal/git"
	"tendril/plans"
)

// DefaultSetupLimit ends a checkout or a post-checkout hook where the configuration does not say.
const DefaultSetupLimit = 15 * time.Minute

// Manager makes, finds and removes the worktrees of one clone. Several processes may use managers of the same clone.
type Manager struct {
	// Repo is the repository, seen from any of its worktrees.
	Repo *git.Repo
	// Root is the absolute folder under which worktrees are made (see ResolveRoot).
	Root string
	// Runtime is <common git dir>/tendril.
	Runtime string
	// SetupLimit ends the checkout and the repository's post-checkout hook; zero is DefaultSetupLimit.
	SetupLimit time.Duration
	// Committer is who moves refs here, in their reflogs: Tendril's configured identity.
	Committer git.Ident
}

// Want says which worktree is wanted.
type Want struct {
	// Key is the plan.
	Key plans.Key
	// Branch is the branch's short name, "tendril/KEY"; in a race "tendril/KEY.CANDIDATE".
	Branch string
	// Base is the commit that a new branch starts at. A branch that is there is continued, whatever Base says.
	Base string
	// Name is the folder's name below Root; empty is the last part of Branch.
	Name string
}

// Workspace is one worktree that was made here and proved to be the one it was.
type Workspace struct {
	Key plans.Key
	// Name is the folder's name and the name of its record in the runtime folder.
	Name string
	// Path is the worktree's top, GitDir its own git directory. Absolute.
	Path, GitDir string
	// Branch is the short name; Base the commit that was wanted when it was made.
	Branch, Base string
	// Slot is a small number, from 1, that no other live worktree of this clone has.
	Slot int
	// Repo runs git in the worktree without believing anything in it.
	Repo *git.Repo
	// Warnings say what went wrong while it was made and does not keep anyone from working in it (a failing post-checkout
	// hook, say); set by Ensure only.
	Warnings []string

	state string // the file stem of what is remembered, <runtime>/worktrees/NAME
	made  record
}
