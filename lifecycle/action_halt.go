package lifecycle

import (
	"context"

	"tendril/plans"
)

// halt ends the run of a plan that may not run any more; what it did is collected next.
func (w *work) halt(ctx context.Context) (func(*progress), error) {
	runs, why := w.runsFor(w.snap.cfg), stopPerson
	if w.one.action.Reason == plans.Budget {
		why = stopBudget
	}
	if err := runs.Stop(ctx, w.one.facts.Run.ID, why); err != nil {
		return nil, err
	}
	if _, err := runs.Wait(ctx, w.one.facts.Run.ID); err != nil {
		return nil, err
	}
	w.say(EventStopped, "the agent was stopped: %s", w.one.action.Why)
	return nil, nil
}
