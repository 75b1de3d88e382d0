package lifecycle

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tendril/internal/config"
	"tendril/internal/crash"
	"tendril/lifecycle/verify"
	"tendril/plans"
	"tendril/worktree"
)

// verify runs the checks on the head that is there now.
func (w *work) verify(ctx context.Context) (func(*progress), error) {
	ws, err := w.ensureWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := w.approvedPlan(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.followBase(ctx, ws); err != nil {
		return nil, err
	}
	w.say(EventChecking, "checking: %s", checkNames(w.snap.cfg, plan))
	res, err := w.check(ctx, w.verifyInput(ws, plan, w.rec.Base.Commit))
	if err != nil {
		return nil, err
	}
	crash.At(crashVerified)
	v := res.Verification
	verdict := verdictOf(res)
	for _, left := range res.LeftOut {
		w.say(EventLeft, "%s", left)
	}
	w.say(EventChecked, "%s", checkWords(v, verdict))
	feedback, err := w.sameAsTold(ctx, res.Feedback)
	if err != nil {
		return nil, err
	}
	w.rec.Head = res.Head
	rec := w.rec
	return func(pr *progress) {
		pr.record, pr.head, pr.verdict, pr.verification, pr.feedback = rec, res.Head, verdict, &v, feedback
	}, nil
}

// followBase takes a later commit of the base branch for the recorded base where the plan's branch has it: somebody merged
// the base by hand, or Tendril did and died before it wrote that down. What came from there is not the plan's own.
func (w *work) followBase(ctx context.Context, ws *worktree.Workspace) error {
	tip, recorded := w.snap.heads[w.rec.Base.Ref], w.rec.Base.Commit
	if tip == "" || tip == recorded {
		return nil
	}
	head, err := ws.Head(ctx)
	if err != nil {
		return err
	}
	// Two histories without a common commit have no merge base; then nothing was merged.
	common, err := w.Repo.Run(ctx, "merge-base", head, tip)
	if err != nil || common == "" || common == recorded {
		return ctx.Err()
	}
	known, err := w.Repo.Run(ctx, "merge-base", recorded, common)
	if err != nil || known != recorded {
		return ctx.Err()
	}
	w.rec.Base.Commit = common
	return nil
}

// verifyInput says what to verify and how.
func (w *work) verifyInput(ws *worktree.Workspace, plan *plans.Plan, base string) verify.Input {
	return verify.Input{
		Workspace: ws, Base: base, Plan: plan, Checks: checksOf(w.snap.cfg), Timeout: time.Duration(w.snap.cfg.CheckTimeout),
		Agent: agentIdent(w.key(), w.now), LogDir: filepath.Join(w.Runtime, "checks", string(w.key())), PlansDir: w.snap.cfg.Plans,
		Secrets: secretValues(os.Environ()), Private: w.private(),
		Begin: func(name string, nth, of int) { w.begins(w.key(), name, nth, of) },
	}
}

// checksOf are the configured checks as package verify takes them.
func checksOf(cfg *config.Config) []verify.Check {
	out := make([]verify.Check, 0, len(cfg.Checks))
	for _, c := range cfg.Checks {
		one := verify.Check{
			Name: c.Name, Run: c.Run, Required: c.IsRequired(), Fix: c.Fix, Timeout: time.Duration(c.Timeout), Parallel: c.Parallel,
			Dir: c.Dir, When: c.When, Clean: c.Clean, Report: c.Report, Flaky: c.Flaky,
		}
		for _, name := range sorted(slices.Collect(maps.Keys(c.Env))) {
			one.Env = append(one.Env, name+"="+c.Env[name])
		}
		out = append(out, one)
	}
	return out
}

func verdictOf(res verify.Result) Verdict {
	switch {
	case res.NoChanges:
		return VerdictNoChanges
	case res.Verification.Result == plans.ResultPassed:
		return VerdictPassed
	case res.Verification.Result == plans.ResultUnverified:
		return VerdictUnverified
	default:
		return VerdictFailed
	}
}

// unverifiedWord begins the detail of a plan in review for whose work no check vouches.
const unverifiedWord = "UNVERIFIED"

// unvouched says why no check vouches for the work.
func (w *work) unvouched() string {
	for _, c := range w.snap.cfg.Checks {
		if !c.Fix {
			return "every check was left out"
		}
	}
	return "there is no check"
}

// checkWords says in one line what the checks said.
func checkWords(v plans.Verification, verdict Verdict) string {
	switch verdict {
	case VerdictUnverified:
		return unverifiedWord + ": no check vouches for it"
	case VerdictNoChanges:
		return "the agent changed nothing"
	case VerdictPassed:
		return "every required check passed on " + short(v.Commit)
	}
	return "failed: " + failedChecks(v)
}

// failedChecks names the required checks that failed.
func failedChecks(v plans.Verification) string {
	var failed []string
	for _, c := range v.Checks {
		if c.Required && c.Result == plans.ResultFailed {
			failed = append(failed, c.Name)
		}
	}
	return joinNonEmpty(", ", failed...)
}

// checkNames names the checks that a plan does not skip.
func checkNames(cfg *config.Config, plan *plans.Plan) string {
	var names []string
	for _, c := range cfg.Checks {
		if _, skipped := plan.Skip[c.Name]; !skipped {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return "what is built in; there is no check of the repository's own"
	}
	return joinNonEmpty(", ", names...)
}
