package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"tendril/internal/crash"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// flush writes what is ripe into one commit on the plans branch. It says whether it wrote.
func (e *Engine) flush(ctx context.Context, snap *snapshot) (bool, error) {
	if e.jobs.anyOf(Claim, Review, Fail) {
		// They are done in a moment: what they come to goes into the same commit.
		return false, nil
	}
	now := e.p.Now()
	var changes []Change
	for _, entry := range snap.set.Entries {
		pr := e.progress[entry.Key]
		if pr == nil || !pr.ripe(now) {
			continue
		}
		changes = append(changes, Change{Key: entry.Key, From: pr.base, Steps: pr.steps, Record: pr.record, Files: pr.files})
	}
	if len(changes) == 0 {
		return false, nil
	}
	if snap.remote != nil {
		e.flushRemote(ctx, snap, changes)
		return true, nil
	}
	out, err := e.p.write(ctx, snap.cfg, e.shots.history, changes, e.notes)
	return e.wrote(ctx, snap, changes, out, err)
}

// wrote takes in what writing changes came to.
func (e *Engine) wrote(ctx context.Context, snap *snapshot, changes []Change, out written, err error) (bool, error) {
	if busy := (*record.BusyError)(nil); errors.As(err, &busy) {
		if e.busy != busy.Error() {
			e.busy = busy.Error()
			e.tell("", EventWaiting, "%s", oneLine(busy.Error()))
		}
		return true, nil
	}
	if err != nil {
		return false, err
	}
	crash.At(crashWritten)
	// What follows from it is decided at once; that the branch moved is no news then.
	e.tip = out.result.Tip
	e.jobs.signal()
	e.settleLater(ctx, snap)
	e.busy = ""
	for _, c := range changes {
		e.settle(c, out)
	}
	e.tellLeft(out.result.Left)
	return true, nil
}

// settle brings the memory of a plan in line with what was written of it.
func (e *Engine) settle(c Change, out written) {
	pr := e.progress[c.Key]
	// A push that seemed to fail may have gone through: then the branch says already what was to be written.
	if why, dropped := out.dropped[c.Key]; dropped && why != alreadyThere(pr.status()) {
		e.tell(c.Key, EventProblem, "not written: %s", why)
		delete(e.progress, c.Key)
		e.jobs.cancel(c.Key)
		return
	}
	end := pr.status()
	pr.written()
	if words := movedWords(c, end); words != "" {
		e.tell(c.Key, EventRecorded, "%s", words)
	}
	if len(c.Steps) > 0 && end == plans.Failed {
		e.summary.Failed = append(e.summary.Failed, c.Key)
	}
	if end == plans.Failed || !atWork(end) {
		// A request to stop is answered once the plan is at work no more.
		if err := e.p.stopAnswered(c.Key); err != nil {
			e.tell(c.Key, EventProblem, "%s", err)
		}
	}
}

// movedWords says which status a change brought a plan to; empty where it stands where it stood, after checks that failed
// and went back to the agent in between.
func movedWords(c Change, end plans.Status) string {
	if len(c.Steps) == 0 || end == c.From {
		return ""
	}
	return fmt.Sprintf("is %s now%s", end, prefixed(": ", nextWords(c.Key, end)))
}

// recordOf is the record of a plan on the branch at the last look, or nil.
func (e *Engine) recordOf(key plans.Key) *plans.Record {
	if entry := entryOf(e.snap.set, key); entry != nil {
		return entry.Record
	}
	return nil
}

// settleLater looks once more at what was written, a second later: a git command of a person that was under way may have
// put old entries back. With Once nobody waits for that: the next commit looks before it begins.
func (e *Engine) settleLater(ctx context.Context, snap *snapshot) {
	if e.opt.Once {
		return
	}
	e.jobs.watch(ctx, "", "settle", func(ctx context.Context) error {
		recorder, err := e.p.recorder(ctx, snap.cfg)
		if err == nil {
			_, err = recorder.Settle(ctx)
		}
		return err
	})
}
