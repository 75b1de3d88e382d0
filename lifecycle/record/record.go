package record

import (
	"context"
	"time"

	"tendril/internal/git"
)

// Edit is what a commit does to one file: new content, or its removal.
type Edit struct {
	// Path is relative to the repository's top, with slashes.
	Path string
	// Data is the whole new content, as git stores it. A file that is there keeps its mode, a new one gets 100644.
	Data []byte
	// Delete removes the file; one that is not there is no error.
	Delete bool
}

// Draft is what one commit changes, built against a tip.
type Draft struct {
	// Message is the whole commit message.
	Message string
	// Author and Committer are written into the commit; the committer also into the reflog.
	Author, Committer git.Ident
	// Sign signs the commit by the committer's own git configuration.
	Sign bool
	// Edits are the changes against the tip. A path twice is an error.
	Edits []Edit
	// Publish are other branches of the remote that go with the commit, where the recorder writes to one.
	Publish []Publish
}

// Publish is a commit to be put on a branch of the remote, so that other clones can look at it.
type Publish struct {
	Commit string
	// Names are short names of branches, the first to be tried first: one that has other commits already is left.
	Names []string
}

// Build makes a draft for the commit that a branch stands at. It is called again, with the new tip, each time the branch
// moved before the draft was in. A nil draft says that there is nothing to do.
type Build func(ctx context.Context, tip string) (*Draft, error)

// Recorder writes commits onto one branch. It may be used from several goroutines and by several processes at once:
// they take turns.
type Recorder struct {
	// Repo is the repository, seen from any of its worktrees.
	Repo *git.Repo
	// Runtime is the folder for journal and locks, <git-common-dir>/tendril. It is made when absent.
	Runtime string
	// Ref is the branch's full name, refs/heads/….
	Ref string
	// PlansDir is where plans live on the branch: PlansDir/KEY/plan.md is a person's file, in which only the status
	// line changes when they edited it.
	PlansDir string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log is told what was left as the person has it, and what was repaired; nil drops it.
	Log func(format string, args ...any)
	// Remote, when set, has the truth: commits are built on its branch and pushed there, and Ref only follows.
	Remote *Remote
	// Splice is how a plan.md that a person edited takes over a change of status; nil is SpliceStatus.
	Splice Splice
}

// Splice brings the change from old to new into theirs, which a person edited. It returns false where it does not apply.
type Splice func(theirs, old, new []byte) ([]byte, bool)

// Result is what a step did.
type Result struct {
	// Tip is where the branch stands now.
	Tip string
	// Commit is the commit that was added; empty when there was nothing to do.
	Commit string
	// Left are the paths that were left as a person has them.
	Left []Left
	// Behind, when set, is why the local branch does not follow the remote's.
	Behind string
}

// Left is a path in a worktree whose file or index entry was not brought along, because a person changed it.
type Left struct {
	// Worktree is the folder of the worktree.
	Worktree string
	// Path is relative to it, with slashes.
	Path string
	// Why says what was in the way.
	Why string
}
