package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	// log is the name of the file that holds its output.
	log string
	// started is false where no process ran.
	started bool
	// why says why it failed where its exit code does not.
	why string
	// changed: it failed since tracked files were changed.
	changed bool
	// report is what its reports say; nil where it writes none.
	report *check.Report
	// failures is how often it had failed before this time; first is how it did at first, where it passed in the end.
	failures int
	first    *outcome
}

func (o outcome) passed() bool { return o.started && o.why == "" && o.res.Passed() }

// command runs checks at the same time on files that equal the commit t.head, and leaves them so. A check that mends is
// alone, and moves t.head to the commit of what it changed.
func (t *tally) command(ctx context.Context, due []int, left *worktree.Left) (map[int]outcome, error) {
	first := t.Checks[due[0]]
	foreign, err := t.before(ctx, first)
	if err != nil {
		return nil, err
	}
	if err := t.clean(ctx, due); err != nil {
		return nil, err
	}
	outcomes, err := t.runAll(ctx, due)
	if ctx.Err() != nil {
		// What the checks had done so far must not pass for the agent's work later.
		mend, cancel := context.WithTimeout(context.WithoutCancel(ctx), mending)
		defer cancel()
		if _, mendErr := t.settle(mend, foreign); mendErr != nil {
			t.Log("%s: after check %s was cut off: %v", t.Workspace.Key, first.Name, mendErr)
		}
		return nil, errors.Join(err, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	if err := t.sameHead(ctx, first); err != nil {
		return nil, err
	}
	if first.Fix && outcomes[due[0]].passed() {
		return outcomes, t.commitFix(ctx, first, left)
	}
	changed, err := t.settle(ctx, foreign)
	if len(changed) > 0 && !first.Fix {
		who := "it"
		if len(due) > 1 {
			who = "it, or a check that ran at the same time,"
		}
		for i, o := range outcomes {
			o.why, o.changed = who+" changed tracked files, which were put back: "+list(changed), true
			outcomes[i] = o
		}
	}
	return outcomes, err
}

// clean removes what the checks want to have removed first. What a person tries is run on the files as they are.
func (t *tally) clean(ctx context.Context, due []int) error {
	for _, i := range due {
		if _, err := t.Workspace.RemoveIgnored(ctx, t.Checks[i].Clean, t.Private); err != nil {
			return fmt.Errorf("check %s: clean: %w", t.Checks[i].Name, err)
		}
	}
	return nil
}

// runOne runs one command and reads its reports. It is called from several goroutines at once.
func (r *run) runOne(ctx context.Context, c Check, s check.Spec) (outcome, error) {
	o := outcome{check: c}
	dir, why := r.folder(c)
	if why != "" {
		o.why = why
		return o, nil
	}
	s.Dir = dir
	began := time.Now()
	var err error
	o.res, err = check.Run(ctx, s)
	o.started, o.log = err == nil, filepath.Base(s.Log)
	if err != nil {
		return o, err
	}
	r.readReports(&o, s.Log, began)
	return o, nil
}

// folder is where a check runs, or why it cannot: no link leads out of the worktree.
func (r *run) folder(c Check) (dir, why string) {
	if c.Dir == "" {
		return r.Workspace.Path, ""
	}
	root, err := os.OpenRoot(r.Workspace.Path)
	if err != nil {
		return "", err.Error()
	}
	defer func() { _ = root.Close() }() // read only
	info, err := root.Stat(c.Dir)
	if err != nil || !info.IsDir() {
		return "", "its folder " + c.Dir + " is not in the work"
	}
	return filepath.Join(r.Workspace.Path, filepath.FromSlash(c.Dir)), ""
}

// besideName is the variable by which one of several checks at work is found.
const besideName = check.MarkName + "_NTH"

// spec is how the i-th check is run.
func (r *run) spec(i int, c Check) check.Spec {
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = r.Timeout
	}
	name := fmt.Sprintf("%02d-%s.log", i+1, fileName(c.Name))
	if r.nth > 0 {
		name = fmt.Sprintf("%02d-%s.again-%d.log", i+1, fileName(c.Name), r.nth)
	}
	s := check.Spec{
		Name: c.Name, Command: c.Run, Timeout: timeout, Dir: r.Workspace.Path, Mark: r.mark,
		Env: append(append([]string{fmt.Sprintf("TENDRIL_SLOT=%d", r.Workspace.Slot)}, r.Env...), c.Env...),
		Log: filepath.Join(r.LogDir, name),
	}
	if c.Parallel {
		// Its end must not be that of the checks beside it; the other mark is for who comes after an engine that died.
		s.Mark, s.Env = fmt.Sprintf("%s=%s:%d", besideName, r.mark, i), append(s.Env, r.mark)
	}
	return s
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
	if o.started {
		c.LogName = o.log
	}
	if o.started && o.res.Exit >= 0 {
		c.Exit = &o.res.Exit
	}
	shown, note := o, o.note()
	switch {
	case o.first != nil:
		c.Result, shown = plans.ResultFlaky, *o.first
		note = fmt.Sprintf("it failed %s and then passed on the same commit; this is how it failed at first (%s)", times(o.failures), o.first.how())
	case o.passed():
		c.Result = plans.ResultPassed
	case o.failures > 0:
		note = fmt.Sprintf("it failed %s in a row, the last time: %s", times(o.failures+1), o.how())
	}
	c.Cases, c.FailedCases = shown.cases(r)
	c.Tail = string(r.Bytes(endOf(fold(shown.res.Tail), tailLimit)))
	if note != "" {
		c.Tail = strings.TrimSuffix(note+"\n\n"+c.Tail, "\n\n")
	}
	return c
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// how says in a few words how it failed.
func (o outcome) how() string {
	if note := o.note(); note != "" {
		return note
	}
	return fmt.Sprintf("exit code %d", o.res.Exit)
}

// A shell tells by an exit code above signalExit that a signal ended a command; lastSignal is the highest there is.
const (
	signalExit = 128
	lastSignal = 64
)

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
	case o.started && o.res.Exit > signalExit && o.res.Exit <= signalExit+lastSignal:
		return fmt.Sprintf("exit code %d: it was ended by a signal (%d)", o.res.Exit, o.res.Exit-signalExit)
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
