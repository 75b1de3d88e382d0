package lifecycle

import "context"

// halt ends the run of a plan that may not run any more; what it did is collected next.
func (w *work) halt(ctx context.Context) (func(*progress), error) {
	runs := w.runsFor(w.snap.cfg)
	if err := runs.Stop(ctx, w.one.facts.Run.ID, stopPerson); err != nil {
		return nil, err
	}
	if _, err := runs.Wait(ctx, w.one.facts.Run.ID); err != nil {
		return nil, err
	}
	w.say(EventStopped, "the agent was stopped: %s", w.one.action.Why)
	return nil, nil
}
