package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tendril/internal/crash"
	"tendril/lifecycle/deliver"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// deliver takes the next step of an accepted plan into its base.
func (w *work) deliver(ctx context.Context) (func(*progress), error) {
	w.noteAcceptance()
	switch w.one.delivery.Step {
	case deliver.Verify:
		return w.sendBack(plans.Verifying), nil
	case deliver.Review:
		return w.sendBack(plans.InReview), nil
	case deliver.Integrate:
		return w.integrate(ctx)
	case deliver.Check:
		return w.checkIntegration(ctx)
	case deliver.Merge:
		return w.mergeIntoBase(ctx)
	case deliver.Done:
		return w.delivered(ctx, "")
	case deliver.Mend:
		return w.mend(ctx)
	default:
		return nil, fmt.Errorf("delivery step %q is not known", w.one.delivery.Step)
	}
}

// noteAcceptance puts into the record who accepted which head.
func (w *work) noteAcceptance() {
	p := w.one.acceptance
	w.rec.Accepted = &plans.Acceptance{By: person(*p), At: p.At, Commit: p.Commit, Head: p.Head}
}

// sendBack takes an accepted plan back to where its head is looked at again.
func (w *work) sendBack(to plans.Status) func(*progress) {
	rec, why := w.rec, w.one.delivery.Why
	rec.Accepted, rec.Delivering = nil, nil
	if since := w.one.delivery.Since; since != "" {
		// What the base has no more is the work's own from now on: checked, and shown with the diff.
		rec.Base.Commit, rec.Detail = since, setBackWord+strings.TrimPrefix(why, setBackWord)
	}
	if to == plans.InReview {
		// The record keeps the head that was verified: so the branch counts as moved, and is verified before anybody can
		// accept what is there now.
		rec.Detail = why
	}
	return func(pr *progress) {
		pr.record, pr.verdict, pr.head = rec, VerdictNone, ""
		pr.step(to, w.now)
		pr.due = to == plans.InReview
		w.say(EventProblem, "not delivered: %s", why)
	}
}

// setBackWord begins the detail of a plan whose work builds on what its base has no more.
const setBackWord = "the base was set back"

// starved says what keeps a plan from going in whose base moves faster than merge and checks take, and waits a while before
// the next try, longer each time; nil where it may be tried.
func (w *work) starved() func(*progress) {
	times := w.one.delivery.Times
	words := fmt.Sprintf("%s moved %d times while the merge with it was checked", w.rec.Base.Ref, times)
	pause := starvePause(times)
	if pause == 0 || w.prior.trouble == words {
		return nil
	}
	rec := w.rec
	rec.Reason, rec.Detail = plans.DeliveryFailed, words
	return func(pr *progress) {
		pr.retryAt, pr.trouble, pr.stuck = w.now.Add(pause), words, true
		pr.record, pr.due = rec, true
		w.say(EventProblem, "not delivered yet: %s; the next try is in %s", words, pause)
	}
}

// starvePause is how long a delivery rests after its base moved so many times under it: nothing at first, then twice as
// long each time, half an hour at most.
func starvePause(times int) time.Duration {
	const free, first, most = 5, 5 * time.Second, 30 * time.Minute
	if times < free {
		return 0
	}
	return min(first<<min(times-free, 20), most)
}

// integrate merges the moved base into the plan's branch; the checks on the result come next.
func (w *work) integrate(ctx context.Context) (func(*progress), error) {
	if wait := w.starved(); wait != nil {
		return wait, nil
	}
	rec, base := w.rec, w.snap.heads[w.rec.Base.Ref]
	id := identOf(w.snap.cfg)
	head := w.snap.heads[rec.Branch]
	built, err := deliver.BuildIntegration(ctx, w.Repo, head, base, deliver.Words{
		Message: fmt.Sprintf("Merge %s into %s\n\nThe base moved since the plan was verified.\n", rec.Base.Ref, rec.Branch), Author: id, Committer: id,
	})
	if err != nil {
		return nil, err
	}
	if _, err := record.Advance(ctx, w.Repo, w.Runtime, record.Move{
		Ref: "refs/heads/" + rec.Branch, Old: head, New: built.Commit, Strict: true, Reflog: "tendril: the base moved", By: id,
	}); err != nil {
		return nil, err
	}
	crash.At(crashIntegrated)
	rec.Delivering = &plans.Delivering{Head: built.Commit, Base: base}
	w.say(EventChecking, "the base moved: checking the merge of both")
	return func(pr *progress) { pr.record, pr.verdict, pr.head = rec, VerdictNone, "" }, nil
}

// checkIntegration runs the checks on the merge of base and plan; the plan stays accepted.
func (w *work) checkIntegration(ctx context.Context) (func(*progress), error) {
	ws, err := w.ensureWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := w.approvedPlan(ctx)
	if err != nil {
		return nil, err
	}
	rec := w.rec
	if rec.Delivering == nil || rec.Delivering.Head != w.one.delivery.Head {
		// The merge was made and the note of it lost: its second parent is the base it was made with.
		base, err := w.Repo.Run(ctx, "rev-parse", "--verify", w.one.delivery.Head+"^2")
		if err != nil {
			return nil, fmt.Errorf("find the base of the merge %s: %w", short(w.one.delivery.Head), err)
		}
		rec.Delivering = &plans.Delivering{Head: w.one.delivery.Head, Base: base}
	}
	res, err := w.check(ctx, w.verifyInput(ws, plan, rec.Delivering.Base))
	if err != nil {
		return nil, err
	}
	v, verdict := res.Verification, verdictOf(res)
	w.say(EventChecked, "with the moved base: %s", checkWords(v, verdict))
	return func(pr *progress) {
		pr.record, pr.verdict, pr.head, pr.feedback, pr.verification = rec, verdict, res.Head, res.Feedback, &v
	}, nil
}

// mergeIntoBase moves the base branch to the merge of itself and the verified head.
func (w *work) mergeIntoBase(ctx context.Context) (func(*progress), error) {
	if w.snap.remote != nil {
		return w.mergeAtRemote(ctx)
	}
	rec := w.rec
	id := identOf(w.snap.cfg)
	id.When = w.now
	base := w.snap.heads[rec.Base.Ref]
	built, err := w.buildDelivery(ctx, base)
	if err != nil {
		return nil, err
	}
	_, err = record.Advance(ctx, w.Repo, w.Runtime, record.Move{
		Ref: "refs/heads/" + rec.Base.Ref, Old: base, New: built.Commit, Strict: true,
		Reflog: "tendril: merge " + rec.Branch, By: id, PlansDir: w.snap.cfg.Plans,
	})
	if inTheWay := (*record.InTheWayError)(nil); errors.As(err, &inTheWay) {
		return w.inTheWay(inTheWay), nil
	}
	if errors.Is(err, record.ErrMoved) {
		// Somebody was faster: the next look decides anew on what is there then.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	crash.At(crashDelivered)
	return w.delivered(ctx, built.Commit)
}

// inTheWay leaves the plan accepted and names what keeps it from going in.
func (w *work) inTheWay(e *record.InTheWayError) func(*progress) {
	rec := w.rec
	detail := oneLine(e.Error())
	told := rec.Reason == plans.DeliveryFailed && rec.Detail == detail
	rec.Reason, rec.Detail = plans.DeliveryFailed, detail
	return func(pr *progress) {
		pr.retryAt, pr.trouble, pr.stuck = w.now.Add(deliverPause), detail, true
		if !told {
			pr.record, pr.due = rec, true
			w.say(EventProblem, "not delivered: %s", e.Error())
		}
	}
}

// delivered writes that the work is in the base.
func (w *work) delivered(ctx context.Context, commit string) (func(*progress), error) {
	rec := w.rec
	how := howDelivered(w.snap.cfg)
	if commit == "" {
		var err error
		if commit, how, err = w.deliveryCommit(ctx); err != nil {
			return nil, err
		}
	}
	if rec.Delivering != nil {
		rec.Base.Commit = rec.Delivering.Base
	}
	rec.Delivering, rec.Reason, rec.Detail = nil, "", ""
	rec.Delivered = &plans.Delivery{How: how, Commit: commit}
	w.say(EventDelivered, "in %s as %s", rec.Base.Ref, short(commit))
	return func(pr *progress) {
		pr.record, pr.due = rec, true
		pr.put(plans.ChangesFile, nil)
		if v := w.prior.verification; v != nil && w.prior.verdict == VerdictPassed {
			if data, err := v.Marshal(); err == nil {
				pr.put(plans.VerificationFile, data)
			}
		}
		pr.step(plans.Merged, w.now)
	}, nil
}

// mend gives the agent one round to mend what the base and the plan do to each other: the merge is made as far as git can,
// conflict markers and all, so that any agent can mend it by editing files.
func (w *work) mend(ctx context.Context) (func(*progress), error) {
	rec, base := w.rec, w.snap.heads[w.rec.Base.Ref]
	head := w.snap.heads[rec.Branch]
	failed := len(w.one.conflict) == 0
	if !failed {
		merged, err := w.conflictedMerge(ctx, head, base)
		if err != nil {
			return nil, err
		}
		if _, err := record.Advance(ctx, w.Repo, w.Runtime, record.Move{
			Ref: "refs/heads/" + rec.Branch, Old: head, New: merged, Strict: true, Reflog: "tendril: merge with conflicts", By: identOf(w.snap.cfg),
		}); err != nil {
			return nil, err
		}
		rec.Base.Commit, rec.Head, rec.Detail = base, merged, strings.Join(w.one.conflict, ", ")
	} else if rec.Delivering != nil {
		rec.Base.Commit, rec.Head = rec.Delivering.Base, rec.Delivering.Head
		rec.Detail = "the merge with the moved base fails a check"
	}
	rec.Round = w.nextRound()
	rec.Reason, rec.Delivering, rec.Accepted = plans.Conflict, nil, nil
	why, feedback := w.one.delivery.Why, slices.Clone(w.prior.feedback)
	return func(pr *progress) {
		*pr = progress{base: pr.base, record: rec, due: true}
		if failed {
			pr.feedback = feedback
		}
		pr.step(plans.Executing, w.now)
		w.say(EventProblem, "back to the agent: %s", why)
	}, nil
}

// conflictedMerge makes the merge of the plan's branch and its base with the conflicts marked in the files.
func (w *work) conflictedMerge(ctx context.Context, head, base string) (string, error) {
	id := identOf(w.snap.cfg)
	built, _, err := deliver.BuildConflicted(ctx, w.Repo, head, base, deliver.Words{
		Message: fmt.Sprintf("Merge %s into %s, conflicts to be mended\n", w.rec.Base.Ref, w.rec.Branch), Author: id, Committer: id,
	})
	return built.Commit, err
}
