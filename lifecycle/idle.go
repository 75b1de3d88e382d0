package lifecycle

import (
	"context"
	"fmt"

	"tendril/lifecycle/verify"
	"tendril/plans"
	"tendril/runners"
)

// idle says whether a run was an attempt that ended well and changed nothing, though an attempt before it in the round had
// been checked: it was told what failed.
func idle(newest runInfo, runs []runInfo, rec *plans.Record) bool {
	if rec == nil || newest.outcome == nil || newest.outcome.Result != runners.OK || newest.spec.Beside || newest.spec.Attached() {
		return false
	}
	told := false
	for _, r := range runs {
		told = told || r.spec.Run != newest.spec.Run && r.outcome != nil && r.outcome.Result == runners.OK && !r.spec.Attached()
	}
	for _, a := range rec.Attempts {
		if a.Run == newest.spec.Run {
			return told && a.Head != "" && a.Head == newest.spec.Commit
		}
	}
	return false
}

// sameAsTold makes of what failed what the agent is told: that it is the same as before, where it is.
func (w *work) sameAsTold(ctx context.Context, feedback []byte) ([]byte, error) {
	if len(feedback) == 0 || w.run == "" || ctx.Err() != nil {
		return feedback, ctx.Err()
	}
	told, err := w.runs().Feedback(w.run)
	if err != nil {
		return nil, fmt.Errorf("what the agent was told: %w", err)
	}
	if !verify.SameFailure(feedback, told) {
		return feedback, nil
	}
	w.say(EventChecked, "the same failure as after the attempt before")
	return verify.SaidAgain(feedback), nil
}
