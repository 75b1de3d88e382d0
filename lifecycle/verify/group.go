package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"tendril/plans"
	"tendril/worktree"
)

// groups are the checks that do not mend, in order, by their places: those that run at the same time together.
func groups(checks []Check) [][]int {
	var all [][]int
	joins := false
	for i, c := range checks {
		switch {
		case c.Fix:
			// It ran before all of these.
		case c.Parallel && joins:
			last := len(all) - 1
			all[last] = append(all[last], i)
		default:
			all, joins = append(all, []int{i}), c.Parallel
		}
	}
	return all
}

// together runs a group of checks at the same time, less those that are skipped, and then again those that may fail once.
func (t *tally) together(ctx context.Context, group []int, left *worktree.Left) error {
	var due []int
	skipped := map[int]string{}
	for _, i := range group {
		why, err := t.leaveOut(t.Checks[i])
		if err != nil {
			return err
		}
		if why != "" {
			skipped[i] = why
			continue
		}
		due = append(due, i)
		t.begun++
		t.Log("%s: check %s", t.Workspace.Key, t.Checks[i].Name)
		t.Begin(t.Checks[i].Name, t.begun, t.unskipped())
	}
	outcomes := map[int]outcome{}
	if len(due) > 0 {
		var err error
		if outcomes, err = t.attempt(ctx, due, left); err != nil {
			return err
		}
	}
	for _, i := range group {
		o, ran := outcomes[i]
		if !ran {
			c := t.Checks[i]
			t.ran = append(t.ran, plans.CheckResult{Name: c.Name, Command: c.Run, Result: plans.ResultSkipped, Required: c.Required, Tail: skipped[i]})
			continue
		}
		o, err := t.again(ctx, i, o)
		if err != nil {
			return err
		}
		t.add(o)
	}
	return nil
}

// leaveOut says why a check is skipped; empty where it is not.
func (t *tally) leaveOut(c Check) (string, error) {
	if reason, ok := t.Plan.Skip[c.Name]; ok {
		return reason, nil
	}
	if len(c.When) == 0 || t.diff == nil {
		return "", nil
	}
	scope, err := plans.CompileScope(c.When)
	if err != nil {
		return "", fmt.Errorf("check %s: when: %w", c.Name, err)
	}
	for _, f := range t.diff.Files {
		if scope.Match(f.Path) || f.Old != "" && scope.Match(f.Old) {
			return "", nil
		}
	}
	return "nothing changed of what it looks at (" + strings.Join(c.When, ", ") + ")", nil
}

// attempt runs checks at the same time, once. In the last round a check under which HEAD moved has failed.
func (t *tally) attempt(ctx context.Context, due []int, left *worktree.Left) (map[int]outcome, error) {
	outcomes, err := t.command(ctx, due, left)
	if moved := (*movedError)(nil); errors.As(err, &moved) && t.last {
		t.stopped = true
		outcomes = map[int]outcome{}
		for _, i := range due {
			outcomes[i] = outcome{check: t.Checks[i], why: moved.Error() + "; it was tried again and again"}
		}
		return outcomes, nil
	}
	return outcomes, err
}

// again runs a check that failed once more, alone, as often as it may fail; one that passes then is flaky. What changed
// tracked files is not: it would do so again.
func (t *tally) again(ctx context.Context, i int, o outcome) (outcome, error) {
	first, seconds := o, o.res.Seconds
	for n := 1; n <= o.check.Flaky && !o.passed() && !o.changed && !t.stopped; n++ {
		t.Log("%s: check %s failed: again", t.Workspace.Key, o.check.Name)
		t.nth = n
		outcomes, err := t.attempt(ctx, []int{i}, nil)
		t.nth = 0
		if err != nil {
			return o, err
		}
		o = outcomes[i]
		seconds += o.res.Seconds
		o.res.Seconds, o.failures = seconds, n
		if o.passed() {
			o.first = &first
		}
	}
	return o, nil
}

// runAll runs the commands of checks at the same time and waits for all of them.
func (t *tally) runAll(ctx context.Context, due []int) (map[int]outcome, error) {
	outcomes := make([]outcome, len(due))
	errs := make([]error, len(due))
	var wg sync.WaitGroup
	for at, i := range due {
		spec := t.spec(i, t.Checks[i])
		wg.Go(func() { outcomes[at], errs[at] = t.runOne(ctx, t.Checks[i], spec) })
	}
	wg.Wait()
	byPlace := map[int]outcome{}
	for at, i := range due {
		byPlace[i] = outcomes[at]
	}
	return byPlace, errors.Join(errs...)
}
