package lifecycle

import (
	"tendril/lifecycle/deliver"
	"tendril/plans"
)

// Facts is all that Next may know of one plan: what the branch says, advanced by the steps this engine took and has not
// written yet, and what is there on this machine.
type Facts struct {
	// Status is where the plan stands, steps that are not yet written included.
	Status plans.Status
	// Written is the status on the plans branch.
	Written plans.Status
	// Problem, when set, keeps the plan from anything: it cannot be read, or contradicts itself.
	Problem string
	// Elsewhere, when set, is the runner of another clone that has the plan: nothing is done for it here.
	Elsewhere string
	// Refusal, when set, is why the newest gate of this plan does not count.
	Refusal string
	// Wait, when set, is what the plan waits for before anything new is started for it.
	Wait *Wait
	// Budget is what is left for the plan's runs; nil where it has no budget.
	Budget *Purse
	// Run is the newest run of the plan's round.
	Run RunFact
	// Spent counts the attempts of the round that ended, Max is how many there may be.
	Spent, Max int
	// Verdict is what verification said of the head that is there now.
	Verdict Verdict
	// BranchMoved is true when the plan's branch is not where Tendril left it: somebody mended by hand.
	BranchMoved bool
	// Delivery is the next step of an accepted plan.
	Delivery deliver.Step
	// Held, when set, is who keeps engines from the plan: a person sits in its worktree.
	Held string
	// Words counts what people said that the next run takes.
	Words int
	// StopAsked is true when a person asked to stop the plan.
	StopAsked bool
	// Workspace is true when the plan has a worktree here, or is merged and its branch is still there.
	Workspace bool
	// Kept, when set, says why the worktree of an ended plan stays.
	Kept string
}

// RunFact says how far the newest run of a round is.
type RunFact struct {
	// ID is empty where the round has no run yet.
	ID string
	// Alive is true while its process lives.
	Alive bool
	// Stray is true for a run of another round than the plan's: nobody's word stands behind it any more.
	Stray bool
	// Beside is true for a turn beside the attempts, Attached for one in which a person sat at the agent's program.
	Beside, Attached bool
	// Collected is true once what it did was taken into the plan's branch and record.
	Collected bool
	// Idle is true for an attempt that ended well, was told what had failed, and changed nothing.
	Idle bool
	// Fatal, when set, is why another attempt would not help.
	Fatal plans.Reason
}

// Verdict is what verification said of a head.
type Verdict string

// The verdicts. VerdictNone: not verified yet.
const (
	VerdictNone       Verdict = ""
	VerdictPassed     Verdict = "passed"
	VerdictUnverified Verdict = "unverified"
	VerdictFailed     Verdict = "failed"
	VerdictNoChanges  Verdict = "no-changes"
)

// Wait is what a plan waits for before something new starts.
type Wait struct {
	// For is what is waited for, in a few words for a person: "0005-api to be merged".
	For string
	// Person is true where it passes by a person's word, or not soon: run --once does not stay for it.
	Person bool
	// Place is true where nothing but a free place is waited for, as many plans may at once.
	Place bool
}
