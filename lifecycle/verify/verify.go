// Package verify runs the checks of a plan on exactly one commit: what an agent left is committed first, checks that mend
// come next, then what is built in, then the commands, each on files that equal the commit.
package verify

import (
	"context"
	"errors"
	"time"

	"tendril/internal/git"
	"tendril/plans"
	"tendril/worktree"
)

// The names of the built-in checks, as in verification.md and in a plan's skip.
const (
	CheckChanges = "changes"
	CheckScope   = "scope"
	CheckMarkers = "conflict-markers"
	CheckSecrets = "secrets"
)

// Check is one configured check.
type Check struct {
	Name, Run     string
	Required, Fix bool
	// Timeout is Input.Timeout where zero.
	Timeout time.Duration
}

// Input says what to verify and how.
type Input struct {
	Workspace *worktree.Workspace
	// Base is the recorded base commit.
	Base string
	Plan *plans.Plan
	// Checks are the configured ones, in order.
	Checks []Check
	// Timeout is for checks that have none; zero is 30 minutes.
	Timeout time.Duration
	// Env is added to the checks' environment ("NAME=value").
	Env []string
	// Agent is who left what is committed.
	Agent git.Ident
	// LogDir gets one file a check; it is made with mode 0700.
	LogDir string
	// PlansDir is the folder of plans on the plans branch, "plans".
	PlansDir string
	// Secrets are values that must not appear in a commit.
	Secrets []string
	// Only, when set, runs that one check. It implies Try.
	Only string
	// Try runs the checks on the files as they are, for an agent or a person at work there: nothing is committed,
	// restored or remembered, and the result verifies no commit.
	Try bool
	// Log gets a line for each check that starts or ends; nil is nobody.
	Log func(format string, args ...any)
}

// Result is what came of it.
type Result struct {
	Verification plans.Verification
	// Head is the branch's commit afterwards; it is Verification.Commit unless a check moved it.
	Head string
	// NoChanges is true when there is nothing to verify: base and head do not differ.
	NoChanges bool
	// Feedback is for the agent: name, exit code and end of the output of each required check that failed, 30 KB at most;
	// empty when none did.
	Feedback []byte
	// Diff is base...Head.
	Diff *worktree.DiffResult
	// Files were left out of the commit, each with its reason, one line each.
	LeftOut []string
}

// Run verifies. A failed check is a Result; the error is for a worktree that is lost or off its branch (as
// worktree.Workspace.Head says), for what could not be run at all, and for a context that ended.
func Run(ctx context.Context, in Input) (Result, error) { return Result{}, errors.New("not yet") }
