package deliver

// Step is the next thing to do for an accepted plan.
type Step string

// The steps.
const (
	// Nothing: no delivery is due, or it has to wait for a person; Decision.Why says for what.
	Nothing Step = ""
	// Verify: the branch moved since it was accepted; verify and accept again (accepted → verifying).
	Verify Step = "verify"
	// Review: an agent's hand touched the branch after it was accepted; a person looks again (accepted → in-review).
	Review Step = "review"
	// Integrate: the base moved; build the merge of both, move the plan's branch there and record it as delivering.
	Integrate Step = "integrate"
	// Check: run the checks on the merge of both (Decision.Head).
	Check Step = "check"
	// Merge: bring Decision.Head into the base.
	Merge Step = "merge"
	// Done: the accepted head is in the base; write merged.
	Done Step = "done"
	// Mend: base and plan conflict, or their merge fails a check; one run to mend it (accepted → executing).
	Mend Step = "mend"
)

// Mover is who moved the plan's branch after it was accepted.
type Mover string

// The movers. Nobody: the branch is where it was accepted, or where Tendril put it while delivering.
const (
	Nobody  Mover = ""
	Person  Mover = "person"
	Agent   Mover = "agent"
	Unknown Mover = "unknown"
)

// Verdict is what the checks said of the merge of base and plan.
type Verdict string

// The verdicts.
const (
	Unchecked Verdict = ""
	Passed    Verdict = "passed"
	Failed    Verdict = "failed"
)

// Input is all that Decide may know.
type Input struct {
	// AcceptedHead is the head that gate 2 was passed for, BranchHead where the plan's branch stands (empty: it is gone).
	AcceptedHead, BranchHead string
	// RecordedBase is the base commit that the accepted head was verified on, BaseTip where the base branch stands.
	RecordedBase, BaseTip string
	// DeliveringHead and DeliveringBase are the recorded merge of both that is being checked; empty: none.
	DeliveringHead, DeliveringBase string
	// InBase is true when what was accepted is in the base already.
	InBase bool
	// Automatic is true when BranchHead is the accepted head merged with base commits automatically and nothing else.
	Automatic bool
	// MovedBase is true when the base's tree differs, outside bookkeeping, from the one that the branch was verified on:
	// DeliveringBase where the branch stands on the merge of both, else RecordedBase.
	MovedBase bool
	// Conflict is true when the branch and BaseTip do not merge by themselves.
	Conflict bool
	// Checked is what the checks said of DeliveringHead.
	Checked Verdict
	// MovedBy is who moved the branch.
	MovedBy Mover
}

// Decision is the next step, with what it concerns.
type Decision struct {
	Step Step
	// Head is the commit to check or to merge.
	Head string
	// Why says in one line for a person why this is the next step.
	Why string
}

// Decide names the next step of an accepted plan. It is pure.
func Decide(in Input) Decision { return Decision{} }
