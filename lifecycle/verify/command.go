package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"tendril/internal/check"
	"tendril/internal/redact"
	"tendril/plans"
	"tendril/worktree"
)

// mending bounds the putting back of files after the context ended.
const mending = time.Minute

// outcome is how one command ended.
type outcome struct {
	check Check
	res   check.Result
	// started is false where no process ran.
	started bool
	// why says why it failed where its exit code does not.
	why string
}

func (o outcome) passed() bool { return o.started && o.why == "" && o.res.Passed() }

// command runs one check on files that equal the commit t.head, and leaves them so. A check that mends moves t.head to the
// commit of what it changed.
func (t *tally) command(ctx context.Context, i int, c Check, left *worktree.Left) (outcome, error) {
	o := outcome{check: c}
	foreign, err := t.before(ctx, c)
	if err != nil {
		return o, err
	}
	o.res, err = check.Run(ctx, t.spec(i, c))
	o.started = err == nil
	if ctx.Err() != nil {
		// What the check had done so far must not pass for the agent's work later.
		mend, cancel := context.WithTimeout(context.WithoutCancel(ctx), mending)
		defer cancel()
		if _, mendErr := t.settle(mend, foreign); mendErr != nil {
			t.Log("%s: after check %s was cut off: %v", t.Workspace.Key, c.Name, mendErr)
		}
		return o, err
	}
	if err != nil {
		return o, err
	}
	if err := t.sameHead(ctx, c); err != nil {
		return o, err
	}
	if c.Fix && o.res.Passed() {
		return o, t.commitFix(ctx, c, left)
	}
	changed, err := t.settle(ctx, foreign)
	if len(changed) > 0 && !c.Fix {
		o.why = "it changed tracked files, which were put back: " + list(changed)
	}
	return o, err
}

// spec is how the i-th check is run.
func (r *run) spec(i int, c Check) check.Spec {
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = r.Timeout
	}
	return check.Spec{
		Name: c.Name, Command: c.Run, Timeout: timeout, Dir: r.Workspace.Path, Mark: r.mark,
		Env: append([]string{fmt.Sprintf("TENDRIL_SLOT=%d", r.Workspace.Slot)}, r.Env...),
		Log: filepath.Join(r.LogDir, fmt.Sprintf("%02d-%s.log", i+1, fileName(c.Name))),
	}
}

// before makes sure that the files are the commit's, and returns the untracked ones that no check made: those are not a
// check's to answer for.
func (t *tally) before(ctx context.Context, c Check) (map[string]bool, error) {
	if err := t.sameHead(ctx, c); err != nil {
		return nil, err
	}
	all, err := t.Workspace.Changes(ctx)
	if err != nil {
		return nil, err
	}
	for _, change := range all {
		// What stayed out of the commit for a reason differs from it for that reason.
		if !change.Untracked && !t.out[change.Path] {
			return nil, &movedError{check: c.Name, from: t.head, to: t.head}
		}
	}
	rest, err := t.Workspace.Unmade(all)
	foreign := map[string]bool{}
	for _, change := range rest {
		foreign[change.Path] = true
	}
	return foreign, err
}

// sameHead returns a *movedError when the branch is not at t.head.
func (t *tally) sameHead(ctx context.Context, c Check) error {
	now, err := t.Workspace.Head(ctx)
	if err != nil {
		return fmt.Errorf("check %s: %w", c.Name, err)
	}
	if now != t.head {
		t.now = now
		return &movedError{check: c.Name, from: t.head, to: now}
	}
	return nil
}

// settle puts tracked files back to the commit, returns which, and remembers what the check made.
func (t *tally) settle(ctx context.Context, foreign map[string]bool) ([]string, error) {
	all, err := t.Workspace.Changes(ctx)
	if err != nil {
		return nil, err
	}
	var changed, made []string
	for _, c := range all {
		switch {
		case foreign[c.Path]:
		case c.Untracked:
			made = append(made, c.Path)
		default:
			changed = append(changed, c.Path)
		}
	}
	if err := t.Workspace.Remember(made); err != nil {
		return changed, err
	}
	return changed, t.Workspace.Restore(ctx, changed)
}

// commitFix commits what a check that mends has changed.
func (t *tally) commitFix(ctx context.Context, c Check, left *worktree.Left) error {
	more, err := t.Workspace.CommitLeftovers(ctx, worktree.Leftovers{
		Ident: t.Agent, Message: fmt.Sprintf("%s: check %s mended this\n", t.Workspace.Key, c.Name), Redact: t.redact, Private: t.Private,
	})
	if err != nil {
		return err
	}
	// What stayed out is named anew each time.
	left.Secrets, left.Out = more.Secrets, more.Out
	t.noteOut(*left)
	t.head = more.Head
	return nil
}

// result is the outcome as verification.md has it.
func (o outcome) result(r *redact.Redactor) plans.CheckResult {
	c := plans.CheckResult{
		Name: o.check.Name, Command: o.check.Run, Result: plans.ResultFailed, Seconds: float64(int(o.res.Seconds*100+0.5)) / 100,
		Required: o.check.Required, Log: o.res.SHA256,
	}
	if o.passed() {
		c.Result = plans.ResultPassed
	}
	if o.started && o.res.Exit >= 0 {
		c.Exit = &o.res.Exit
	}
	c.Tail = string(r.Bytes(endOf(fold(o.res.Tail), tailLimit)))
	if note := o.note(); note != "" {
		c.Tail = strings.TrimSuffix(note+"\n\n"+c.Tail, "\n\n")
	}
	return c
}

// note says in words what the exit code does not.
func (o outcome) note() string {
	switch {
	case o.why != "":
		return o.why
	case o.res.TimedOut:
		return "it took longer than its time limit and was ended"
	case o.res.Flooded:
		return "it printed too much and was ended"
	case o.started && o.res.Exit == 0 && o.res.NoTests:
		return "it ran no test"
	case o.started && o.res.Exit < 0:
		return "it was ended by a signal"
	}
	return ""
}

// fileName makes a check's name usable in a file's.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name[:min(len(name), 60)])
}

// list names some paths and counts the others.
func list(paths []string) string {
	const show = 20
	if len(paths) <= show {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:show], ", "), len(paths)-show)
}
