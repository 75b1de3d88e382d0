package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tendril/plans"
	"tendril/worktree"
)

// look takes a snapshot.
func (e *Engine) look(ctx context.Context) (*snapshot, error) {
	return e.shots.look(ctx)
}

// decide says what is next for each plan.
func (e *Engine) decide(ctx context.Context, snap *snapshot) ([]decided, error) {
	d := &decider{p: e.p, snap: snap, progress: e.progressOf, now: e.p.Now(), live: e.ears.cost}
	if len(e.opt.Only) > 0 {
		d.only = map[plans.Key]bool{}
		for _, k := range e.opt.Only {
			d.only[k] = true
		}
	}
	return d.decide(ctx)
}

// progressOf is what the engine did for a plan beyond what the branch says. Where the branch says something else than the
// steps were built on, a person moved the plan: what was not written counts for nothing, and what is under way is ended.
func (e *Engine) progressOf(key plans.Key, written plans.Status) *progress {
	if pr, ok := e.progress[key]; ok {
		if pr.base == written || e.share.writing[key] {
			return pr
		}
		e.jobs.cancel(key)
	}
	pr := &progress{base: written}
	e.progress[key] = pr
	return pr
}

// dispatch starts the next action of each plan that has none under way. It says whether anything moves.
func (e *Engine) dispatch(ctx context.Context, snap *snapshot, all []decided) (moving bool) {
	queued := 0
	for _, one := range all {
		key := one.entry.Key
		pr := e.progress[key]
		if pr == nil {
			// A plan that cannot be read has no progress of its own; what is wrong with it is told once.
			pr = &progress{}
			e.progress[key] = pr
		}
		if kind, busy := e.jobs.under(key); busy {
			moving = true
			if _, asked := e.p.yieldAsked(key); one.facts.StopAsked || asked && (kind == Verify || kind == Start) {
				e.jobs.cancel(key)
			}
			continue
		}
		if e.share.writing[key] {
			moving = true
			continue
		}
		switch one.action.Kind {
		case Rest:
		case Hold:
			if wait := one.facts.Wait; wait != nil && wait.Place {
				queued++
			} else {
				e.tellOnce(pr, key, EventWaiting, "waits for "+one.action.Why)
			}
			if pr.stuck {
				e.summary.Stuck[key] = pr.trouble
			}
			moving = moving || one.parked() || (pr.retryAt.After(e.p.Now()) && !(pr.stuck && e.opt.Once))
		case Refuse:
			e.tellOnce(pr, key, EventRefused, one.action.Why)
			e.summary.Stuck[key] = one.action.Why
		default:
			later := pr.retryAt.After(e.p.Now())
			moving = moving || !(later && pr.stuck && e.opt.Once)
			if !pr.due && !later {
				e.act(ctx, snap, one, pr)
			}
		}
	}
	e.tellQueue(queued)
	return moving
}

// tellQueue says once that plans wait for a free place, not of each: the record of a run would be full of it.
func (e *Engine) tellQueue(queued int) {
	if words := queueWords(e.queue, queued); words != "" {
		e.tell("", EventWaiting, "%s", words)
	}
	e.queue = queued > 0
}

// queueWords is what there is to say of that many plans that wait for a free place; empty where some did before.
func queueWords(told bool, queued int) string {
	switch {
	case told || queued == 0:
		return ""
	case queued == 1:
		return "one plan waits for a free place"
	default:
		return fmt.Sprintf("%d plans wait for a free place", queued)
	}
}

// parked says whether the plan only waits for an agent's limit to pass.
func (d decided) parked() bool {
	return d.facts.Status == plans.Executing && d.facts.Wait != nil && !d.facts.Wait.Person
}

// act starts an action. What decides nothing outside memory is done at once.
func (e *Engine) act(ctx context.Context, snap *snapshot, one decided, pr *progress) {
	key := one.entry.Key
	w := &work{Project: e.p, snap: snap, one: one, rec: cloneRecord(key, currentRecord(one.entry, pr)), prior: *pr, now: e.p.Now(), run: one.facts.Run.ID, tell: e.tellOf, begins: e.scenes.checkBegins}
	delete(e.summary.Stuck, key)
	switch one.action.Kind {
	case Watch:
		runs := e.p.runs()
		run := one.facts.Run.ID
		e.jobs.watch(ctx, key, run, func(ctx context.Context) error {
			_, err := runs.Wait(ctx, run)
			return err
		})
	case Retry:
		pr.step(plans.Executing, e.p.Now())
		e.jobs.signal()
	case Check:
		pr.step(plans.Verifying, e.p.Now())
		e.jobs.signal()
	case Reverify:
		// What was said of the head that was there says nothing of the one that is there now.
		pr.verdict, pr.head, pr.verification, pr.feedback = VerdictNone, "", nil, nil
		pr.step(plans.Verifying, e.p.Now())
		e.tell(key, EventChecking, "the branch moved: checking what is there now")
		e.jobs.signal()
	default:
		do, ok := map[Kind]func(context.Context) (func(*progress), error){
			Claim: w.claim, Start: w.start, Collect: w.collect, Verify: w.verify, Review: w.review, Fail: w.fail,
			Halt: w.halt, Deliver: w.deliver, Retire: w.retire,
		}[one.action.Kind]
		if ok {
			e.jobs.start(ctx, key, one.action.Kind, pr, e.p.unheld(key, do))
		}
	}
}

// applyFinished takes in what actions came to.
func (e *Engine) applyFinished() {
	for _, f := range e.finishedNow() {
		e.diary.action(f)
		pr := e.progress[f.key]
		if pr != f.progress || f.dropped {
			// A person moved the plan meanwhile: what the action came to counts for nothing.
			continue
		}
		if f.err != nil {
			e.trouble(pr, f)
			continue
		}
		pr.tries, pr.retryAt, pr.trouble = 0, time.Time{}, ""
		if f.apply != nil {
			f.apply(pr)
		}
	}
}

// mostTries is how often an action is tried before it is given up.
const mostTries = 3

// trouble decides what an action that did not work means for its plan.
func (e *Engine) trouble(pr *progress, f finished) {
	pr.tries++
	pr.trouble = oneLine(f.err.Error())
	reason := reasonOf(f.kind, f.err)
	if !plans.CanMove(plans.Tendril, pr.status(), plans.Failed) {
		reason = ""
	}
	hopeless := pr.tries >= mostTries || permanent(f.err)
	if hopeless && reason != "" {
		if pr.record == nil {
			pr.record = cloneRecord(f.key, e.recordOf(f.key))
		}
		pr.record.Reason, pr.record.Detail = reason, pr.trouble
		pr.step(plans.Failed, e.p.Now())
		pr.due = true
		e.tell(f.key, EventFailed, "failed (%s): %s", reason, pr.trouble)
		return
	}
	pause := time.Second << min(pr.tries, 6)
	if hopeless {
		e.summary.Stuck[f.key] = pr.trouble
		if e.opt.Once {
			pause = 24 * time.Hour
			pr.stuck = true
		}
	}
	pr.retryAt = e.p.Now().Add(pause)
	e.tellOnce(pr, f.key, EventProblem, f.err.Error())
}

// reasonOf is why a plan fails when an action cannot be done; empty where the plan stays as it is.
func reasonOf(kind Kind, err error) plans.Reason {
	var lost *worktree.LostError
	var off *worktree.OffBranchError
	switch {
	case kind != Start && kind != Collect && kind != Verify:
		return ""
	case errors.As(err, &lost), errors.As(err, &off):
		return plans.WorktreeLost
	case kind == Start:
		return plans.Setup
	case kind == Verify:
		return plans.Checks
	default:
		return plans.Agent
	}
}

// permanent says that trying again at once changes nothing.
func permanent(err error) bool {
	var lost *worktree.LostError
	var off *worktree.OffBranchError
	var clash *worktree.ClashError
	var foreign *worktree.ForeignError
	var blocked *worktree.BranchBlockedError
	var setup *setupError
	var deadly *deadlyError
	return errors.As(err, &lost) || errors.As(err, &off) || errors.As(err, &clash) || errors.As(err, &foreign) ||
		errors.As(err, &blocked) || errors.As(err, &setup) || errors.As(err, &deadly) || errors.Is(err, worktree.ErrUnborn)
}

// deliverPause is how long an accepted plan waits before its way into the base is tried again.
const deliverPause = 15 * time.Second
