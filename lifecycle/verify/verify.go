// Package verify runs the checks of a plan on exactly one commit: what an agent left is committed first, checks that mend
// come next, then what is built in, then the commands, each on files that equal the commit.
//
// What passed is said of that commit and no other: tracked files and HEAD are compared before and after every command,
// whatever the worktree's own index says, and what a command changed is put back.
package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"tendril/internal/git"
	"tendril/internal/proc"
	"tendril/internal/redact"
	"tendril/plans"
	"tendril/worktree"
)

// The names of the built-in checks, as in verification.md and in a plan's skip. Changes and scope may not be
// skipped by a plan, nor a secret for which a file stayed out of the commit.
const (
	CheckChanges = "changes"
	CheckScope   = "scope"
	CheckMarkers = "conflict-markers"
	CheckSecrets = "secrets"
	// CheckLeftOut is listed only where it fails: something that git does not ignore could not be committed.
	CheckLeftOut = "left-out"
	// CheckBinaries and CheckDeletions are listed only where they find something or are skipped. What is deleted out of
	// proportion is a person's to judge: it fails nothing.
	CheckBinaries  = "big-binaries"
	CheckDeletions = "deletions"
)

const (
	// DefaultTimeout ends a check where neither it nor the Input says.
	DefaultTimeout = 30 * time.Minute
	// rounds is how often verification begins when HEAD moves under it, before the check at fault fails.
	rounds = 3
)

// Check is one configured check.
type Check struct {
	// Name is unique; Run is read by bash -eo pipefail.
	Name, Run string
	// Required: when it fails, the verification fails. Fix: what it changes is committed.
	Required, Fix bool
	// Timeout is Input.Timeout where zero.
	Timeout time.Duration
	// Parallel checks that follow each other run at the same time. A check that mends runs alone all the same.
	Parallel bool
	// Dir is where it runs, below the worktree's top, slash-separated; Env is added to the environment ("NAME=value").
	Dir string
	Env []string
	// When are globs as in a plan's scope: where none of the changed files matches, the check is skipped.
	When []string
	// Clean are globs of ignored files that are removed before it runs, as worktree.RemoveIgnored has them.
	Clean []string
	// Report is a glob from the top of the reports that it writes, "-" for its output, empty for none.
	Report string
	// Flaky is how often it is run again at most when it fails.
	Flaky int
}

// Input says what to verify and how.
type Input struct {
	Workspace *worktree.Workspace
	// Base is the recorded base commit.
	Base string
	// Plan gives scope and skip.
	Plan *plans.Plan
	// Checks are the configured ones, in order.
	Checks []Check
	// Timeout is for checks that have none; zero is DefaultTimeout.
	Timeout time.Duration
	// Env is added to the checks' environment ("NAME=value").
	Env []string
	// Agent is who left what is committed.
	Agent git.Ident
	// LogDir gets one file a check; it is made with mode 0700.
	LogDir string
	// PlansDir is the folder of plans on the plans branch, "plans".
	PlansDir string
	// Secrets are values that must not appear in a commit, beside those of this process's environment.
	Secrets []string
	// Private are ignored paths that stay out of what is committed, as worktree.Leftovers has them.
	Private []string
	// Only, when set, runs that one check. It implies Try.
	Only string
	// Try runs the checks on the files as they are, for an agent or a person at work there: nothing is committed,
	// restored or remembered, and the result verifies no commit.
	Try bool
	// Log gets a line for each check that starts or ends; nil is nobody.
	Log func(format string, args ...any)
	// Begin is told which configured check begins, and that it is the nth (from 1) of those that are not skipped; nil is
	// nobody. It is called from the goroutine of Run.
	Begin func(name string, nth, of int)
}

// Result is what came of it.
type Result struct {
	// Verification is of Verification.Commit; with Try of no commit, which is then empty.
	Verification plans.Verification
	// Head is the branch's commit afterwards; it is Verification.Commit unless a check moved it.
	Head string
	// NoChanges is true when there is nothing to verify: base and head do not differ, and nothing was left out of the commit.
	NoChanges bool
	// Feedback is for the agent: name, exit code and end of the output of each required check that failed, FeedbackLimit
	// bytes at most; empty when none did.
	Feedback []byte
	// Diff is base...Verification.Commit; with Try it has no patch.
	Diff *worktree.DiffResult
	// LeftOut were left out of the commit, each with its reason, one line each.
	LeftOut []string
}

// run is one verification under way.
type run struct {
	Input
	redact *redact.Redactor
	mark   string
	scope  plans.Scope
	nth    int // how often the check at work was run before
}

// Run verifies. A failed check is a Result; the error is for a worktree that is lost, locked or off its branch (as
// worktree.Workspace.CommitLeftovers says), for what could not be run at all, and for a context that ended.
func Run(ctx context.Context, in Input) (Result, error) {
	r, err := newRun(in)
	if err != nil {
		return Result{}, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	drop, err := r.openLogs()
	if err != nil {
		return Result{}, err
	}
	defer drop()
	if r.Try {
		return r.try(ctx)
	}
	// Nobody else verifies here now: what still carries the mark was left by an engine that died.
	proc.Family{Mark: r.mark}.End(ctx, 0)
	for round := 1; ; round++ {
		res, err := r.once(ctx, round == rounds)
		if moved := (*movedError)(nil); errors.As(err, &moved) && round < rounds {
			r.Log("%s: %v: verified again", in.Workspace.Key, moved)
			continue
		}
		return res, err
	}
}

func newRun(in Input) (*run, error) {
	if in.Log == nil {
		in.Log = func(string, ...any) {}
	}
	if in.Begin == nil {
		in.Begin = func(string, int, int) {}
	}
	if in.Timeout <= 0 {
		in.Timeout = DefaultTimeout
	}
	in.Try = in.Try || in.Only != ""
	if in.Only != "" && !slices.Contains(names(in.Checks), in.Only) {
		return nil, fmt.Errorf("there is no check %s\n  there are: %s", in.Only, strings.Join(names(in.Checks), ", "))
	}
	scope, err := plans.CompileScope(in.Plan.Scope)
	if err != nil {
		return nil, fmt.Errorf("scope of %s: %w", in.Plan.Key, err)
	}
	r := &run{
		Input: in, redact: redact.New(os.Environ(), in.Secrets...), scope: scope,
		mark: Mark(in.Workspace),
	}
	if in.Try {
		r.mark = fmt.Sprintf("%s:%d", r.mark, os.Getpid())
	}
	return r, nil
}

// names are those of all checks that can be asked for.
func names(checks []Check) []string {
	all := []string{CheckChanges, CheckScope, CheckMarkers, CheckSecrets, CheckBinaries}
	for _, c := range checks {
		all = append(all, c.Name)
	}
	return all
}

// lock keeps two verifications of one worktree from running at once. An agent in a sandbox that may not write there goes
// without: while it is at work, nobody verifies.
func (r *run) lock(ctx context.Context) (func(), error) {
	unlock, err := r.Workspace.Lock(ctx, "checks")
	if err != nil && r.Try && ctx.Err() == nil {
		return func() {}, nil
	}
	return unlock, err
}

// openLogs makes the folder for logs. Where an agent in a sandbox may not write there, its tries are logged in a temporary
// folder, which drop deletes.
func (r *run) openLogs() (drop func(), err error) {
	err = os.MkdirAll(r.LogDir, 0o700)
	if err == nil && r.Try {
		var probe *os.File
		if probe, err = os.CreateTemp(r.LogDir, ".try-*"); err == nil {
			_ = probe.Close() // nothing was written
			err = os.Remove(probe.Name())
		}
	}
	if err == nil {
		return func() {}, nil
	}
	if r.Try {
		if r.LogDir, err = os.MkdirTemp("", "tendril-try-*"); err == nil {
			return func() { _ = os.RemoveAll(r.LogDir) }, nil // only logs of tries are in it
		}
	}
	return nil, fmt.Errorf("logs of checks: %w", err)
}

// movedError says that HEAD, or tracked files, did not stay as they were while a check ran, or before it: what was found so
// far says nothing.
type movedError struct{ check, from, to string }

func (e *movedError) Error() string {
	if e.from == e.to {
		return fmt.Sprintf("tracked files changed before check %s", e.check)
	}
	return fmt.Sprintf("HEAD moved from %.12s to %.12s during check %s", e.from, e.to, e.check)
}
