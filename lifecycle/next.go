package lifecycle

import (
	"tendril/lifecycle/deliver"
	"tendril/plans"
)

// Kind names an action; each has a file of its own.
type Kind string

// The actions.
const (
	// Rest: nothing to do before something changes.
	Rest Kind = "rest"
	// Hold: something would start, but waits for what Action.Why says.
	Hold Kind = "hold"
	// Refuse: the gate does not count, or the plan is in error; Action.Why says so.
	Refuse Kind = "refuse"
	// Claim: begin a round, by an approval or a request for changes.
	Claim Kind = "claim"
	// Start: start the next attempt of the round.
	Start Kind = "start"
	// Watch: wait for the run that is under way.
	Watch Kind = "watch"
	// Collect: take in what a finished run did.
	Collect Kind = "collect"
	// Verify: run the checks on the head.
	Verify Kind = "verify"
	// Reverify: the branch moved by a person's hand; check what is there now.
	Reverify Kind = "reverify"
	// Retry: the checks failed and an attempt is left, or a person's words are the next turn.
	Retry Kind = "retry"
	// Check: the agent is done as far as can be; take what is there to the checks.
	Check Kind = "check"
	// Review: the checks passed; hand the head to a person.
	Review Kind = "review"
	// Fail: give up for the reason in Action.Reason.
	Fail Kind = "fail"
	// Halt: end the run of a plan that may not run any more.
	Halt Kind = "halt"
	// Deliver: take the next step of an accepted plan into its base.
	Deliver Kind = "deliver"
	// Retire: clear away the worktree of a plan that ended.
	Retire Kind = "retire"
)

// Action is the next step of one plan.
type Action struct {
	Kind   Kind
	Reason plans.Reason
	Why    string
}

// Next decides the next step of one plan. It is pure: the same facts always give the same action.
func Next(f Facts) Action {
	if f.Problem != "" {
		return Action{Kind: Refuse, Why: f.Problem}
	}
	if f.Elsewhere != "" {
		if f.Run.Alive {
			return Action{Kind: Halt, Why: "the plan was taken over by " + f.Elsewhere}
		}
		return Action{Kind: Rest}
	}
	if f.Held != "" {
		return Action{Kind: Hold, Why: f.Held + ", which holds it"}
	}
	if f.Run.Alive && f.Run.Attached {
		// Its keeper died, and with it the hold: what is left of the program is ended, whatever the plan's state.
		return Action{Kind: Watch}
	}
	if f.Run.Alive && f.Run.Stray {
		return Action{Kind: Halt, Why: "the plans branch was set back, and its round is not there any more"}
	}
	if f.Run.Alive && !mayRun(f.Status) {
		return Action{Kind: Halt, Why: "the plan is " + string(f.Status)}
	}
	switch f.Status {
	case plans.Approved, plans.ChangesRequested:
		return nextToStart(f)
	case plans.Executing:
		return nextExecuting(f)
	case plans.Verifying:
		return nextVerifying(f)
	case plans.InReview, plans.Failed:
		if f.Run.Attached && !f.Run.Collected {
			return Action{Kind: Collect}
		}
		if f.BranchMoved {
			return Action{Kind: Reverify}
		}
	case plans.Accepted:
		return nextAccepted(f)
	case plans.Merged, plans.Rejected:
		if f.Run.ID != "" && !f.Run.Collected {
			return Action{Kind: Collect}
		}
		if f.Workspace && f.Kept == "" {
			return Action{Kind: Retire}
		}
	case plans.Draft, plans.Icebox:
		if f.Run.ID != "" && !f.Run.Collected {
			return Action{Kind: Collect}
		}
	}
	return Action{Kind: Rest}
}

// mayRun says in which states an agent may be at work.
func mayRun(s plans.Status) bool { return s == plans.Executing }

func nextToStart(f Facts) Action {
	switch {
	case f.Refusal != "":
		return Action{Kind: Refuse, Why: f.Refusal}
	case f.Wait != nil:
		return Action{Kind: Hold, Why: f.Wait.For}
	default:
		return Action{Kind: Claim}
	}
}

func nextExecuting(f Facts) Action {
	switch {
	case f.StopAsked && f.Run.Alive:
		return Action{Kind: Halt, Reason: plans.Stopped, Why: "stopped by a person"}
	case f.Run.Alive && f.Budget.Empty():
		return Action{Kind: Halt, Reason: plans.Budget, Why: "its budget is spent: " + f.Budget.spentWords()}
	case f.Run.Alive:
		return Action{Kind: Watch}
	case f.Run.ID != "" && !f.Run.Collected:
		return Action{Kind: Collect}
	case f.StopAsked:
		return Action{Kind: Fail, Reason: plans.Stopped}
	case f.Run.Fatal != "":
		return Action{Kind: Fail, Reason: f.Run.Fatal}
	case f.Words > 0 && !f.Budget.Empty():
		return startOrWait(f)
	case f.Spent >= f.Max && f.Run.Beside:
		// Words spend no attempt, and cost none: what came of them is checked like what came before.
		return Action{Kind: Check}
	case f.Spent >= f.Max && f.Verdict == VerdictFailed:
		return Action{Kind: Fail, Reason: plans.Checks}
	case f.Spent >= f.Max:
		return Action{Kind: Fail, Reason: plans.Attempts}
	case f.Budget.Empty():
		return Action{Kind: Fail, Reason: plans.Budget}
	default:
		return startOrWait(f)
	}
}

func startOrWait(f Facts) Action {
	if f.Wait != nil {
		return Action{Kind: Hold, Why: f.Wait.For}
	}
	return Action{Kind: Start}
}

func nextVerifying(f Facts) Action {
	switch {
	case f.StopAsked:
		return Action{Kind: Fail, Reason: plans.Stopped}
	case f.Run.Attached && !f.Run.Collected && !f.Run.Alive:
		return Action{Kind: Collect}
	case f.Words > 0 && !f.Budget.Empty():
		return Action{Kind: Retry}
	case f.Verdict == VerdictNone:
		return Action{Kind: Verify}
	case f.Verdict == VerdictPassed, f.Verdict == VerdictUnverified:
		return Action{Kind: Review}
	case f.Verdict == VerdictNoChanges:
		return Action{Kind: Fail, Reason: plans.NoChanges}
	case f.Spent >= f.Max, f.Run.Idle:
		// The same words once more would make the same of it.
		return Action{Kind: Fail, Reason: plans.Checks}
	case f.Budget.Empty():
		return Action{Kind: Fail, Reason: plans.Budget}
	default:
		return Action{Kind: Retry}
	}
}

func nextAccepted(f Facts) Action {
	switch {
	case f.Refusal != "":
		return Action{Kind: Refuse, Why: f.Refusal}
	case f.Delivery == deliver.Nothing:
		return Action{Kind: Rest}
	case f.Wait != nil:
		return Action{Kind: Hold, Why: f.Wait.For}
	default:
		return Action{Kind: Deliver}
	}
}
