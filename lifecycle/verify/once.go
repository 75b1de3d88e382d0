package verify

import (
	"context"
	"fmt"

	"tendril/plans"
	"tendril/worktree"
)

// once verifies the commit that the branch is at once everything that was left is committed. With last, a check under
// which HEAD moves fails; else it is a *movedError.
func (r *run) once(ctx context.Context, last bool) (Result, error) {
	left, err := r.Workspace.CommitLeftovers(ctx, worktree.Leftovers{
		Ident: r.Agent, Message: fmt.Sprintf("%s: what the agent left\n", r.Workspace.Key), Redact: r.redact, Private: r.Private,
	})
	if err != nil {
		return Result{}, err
	}
	t := &tally{run: r, head: left.Head, last: last}
	t.noteOut(left)
	if err := t.fixes(ctx, &left); err != nil {
		return t.result(), err
	}
	if t.diff, err = worktree.Diff(ctx, r.Workspace.Repo, r.Base, t.head); err != nil {
		return Result{}, err
	}
	if err := t.builtIn(ctx, left); err != nil {
		return Result{}, err
	}
	if len(t.diff.Files) > 0 && !t.stopped {
		if err := t.commands(ctx); err != nil {
			return t.result(), err
		}
	}
	return t.close(ctx)
}

// tally collects the results of one round.
type tally struct {
	*run
	head, now string
	last      bool
	stopped   bool
	begun     int // how many commands were begun
	diff      *worktree.DiffResult
	builtins  []plans.CheckResult
	ran       []plans.CheckResult
	summary   plans.DiffSummary
	leftOut   []string
	out       map[string]bool // paths in leftOut
	feedback  []failure
}

// fixes runs the checks that mend, each committed on its own.
func (t *tally) fixes(ctx context.Context, left *worktree.Left) error {
	for i, c := range t.Checks {
		if !c.Fix || t.stopped {
			continue
		}
		if len(c.When) > 0 {
			var err error
			if t.diff, err = worktree.Diff(ctx, t.Workspace.Repo, t.Base, t.head); err != nil {
				return err
			}
		}
		if err := t.together(ctx, []int{i}, left); err != nil {
			return err
		}
	}
	return nil
}

// commands runs the other checks, in order.
func (t *tally) commands(ctx context.Context) error {
	for _, group := range groups(t.Checks) {
		if t.stopped {
			return nil
		}
		if err := t.together(ctx, group, nil); err != nil {
			return err
		}
	}
	return nil
}

// unskipped is how many commands there are to run.
func (t *tally) unskipped() int {
	n := 0
	for _, c := range t.Checks {
		// A glob that cannot be read is told where the check is begun.
		if why, err := t.leaveOut(c); err == nil && why == "" {
			n++
		}
	}
	return n
}

// add notes how a command ended.
func (t *tally) add(o outcome) {
	t.ran = append(t.ran, o.result(t.redact))
	if !o.passed() && o.check.Required {
		t.feedback = append(t.feedback, o.failure(t.redact))
	}
	t.Log("%s: check %s %s in %.1f s", t.Workspace.Key, o.check.Name, t.ran[len(t.ran)-1].Result, o.res.Seconds)
}

// close looks once more whether the commit is what was verified, and sums up.
func (t *tally) close(ctx context.Context) (Result, error) {
	now, err := t.Workspace.Head(ctx)
	if err != nil {
		return Result{}, err
	}
	t.now = now
	if now != t.head && !t.stopped {
		if !t.last {
			return Result{}, &movedError{check: "the last", from: t.head, to: now}
		}
		t.ran = append(t.ran, plans.CheckResult{Name: CheckChanges, Result: plans.ResultFailed, Required: true, Tail: "HEAD does not stay where it is"})
	}
	if err := t.Workspace.SyncIndex(ctx); err != nil {
		return Result{}, err
	}
	return t.result(), nil
}

// result sums up what was found.
func (t *tally) result() Result {
	all := append(append([]plans.CheckResult{}, t.builtins...), t.ran...)
	v := plans.Verification{
		Version: plans.VerificationVersion, Commit: t.head, Base: t.Base, Result: overall(all, t.Checks), Checks: all, Diff: t.summary,
	}
	if t.now == "" {
		t.now = t.head
	}
	return Result{
		Verification: v, Head: t.now, NoChanges: t.diff != nil && len(t.diff.Files) == 0 && len(t.leftOut) == 0, Diff: t.diff, LeftOut: t.leftOut,
		Feedback: feedback(t.head, t.feedback),
	}
}

// overall is failed when a required check failed, unverified when no command that proves anything ran.
func overall(all []plans.CheckResult, configured []Check) string {
	proves := map[string]bool{}
	for _, c := range configured {
		proves[c.Name] = !c.Fix
	}
	result := plans.ResultUnverified
	for _, c := range all {
		switch {
		case c.Result == plans.ResultFailed && c.Required:
			return plans.ResultFailed
		case proves[c.Name] && c.Result != plans.ResultSkipped:
			result = plans.ResultPassed
		}
	}
	return result
}
