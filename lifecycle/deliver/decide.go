package deliver

import "fmt"

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
	// Integrate: the base moved; build the merge of Decision.Head and the base (BuildIntegration), move the plan's branch
	// there and record it as delivering.
	Integrate Step = "integrate"
	// Check: run the checks on the merge of both, Decision.Head, and record it as delivering if it is not.
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

// The movers. Nobody is also for a branch that Tendril moved while delivering.
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

// Input is all that Decide may know. Look fills in what git knows.
type Input struct {
	// AcceptedHead is the head that gate 2 was passed for, BranchHead where the plan's branch stands (empty: it is gone).
	AcceptedHead, BranchHead string
	// RecordedBase is the base commit that the accepted head was verified on, BaseTip where the base branch stands (empty:
	// it is gone).
	RecordedBase, BaseTip string
	// DeliveringHead is the recorded merge of DeliveringBase and the plan that is being checked; empty: none.
	DeliveringHead, DeliveringBase string
	// InBase is true when what was accepted is in the base already.
	InBase bool
	// Automatic is true when BranchHead is the accepted head merged with commits of the base by git alone.
	Automatic bool
	// Lost is what the base had when the work was verified on it, and has no more: merging would bring it back.
	Lost Lost
	// Times counts the merges of the base on top of the accepted head: so often the base moved before one of them was in.
	Times int
	// MovedBase is true when merging the branch into BaseTip would give the base something else than what was verified.
	MovedBase bool
	// Conflict is true when the branch and BaseTip do not merge by themselves, in the files ConflictPaths.
	Conflict      bool
	ConflictPaths []string
	// Checked is what the checks said of DeliveringHead.
	Checked Verdict
	// MovedBy is who moved the branch, where it stands on neither the accepted head nor an automatic merge of it.
	MovedBy Mover
}

// Decision is the next step, with what it concerns.
type Decision struct {
	Step Step
	// Head is the commit to integrate, to check or to merge.
	Head string
	// Why says in one line for a person why this is the next step.
	Why string
	// Since, with Verify, is the base that the branch has to be verified on from now on; empty: the recorded one.
	Since string
	// Times, with Integrate, is how often the base moved already while the merge with it was checked.
	Times int
}

// Decide names the next step of an accepted plan. It is pure: the same input always gives the same decision.
func Decide(in Input) Decision {
	switch {
	case in.AcceptedHead == "":
		return Decision{Step: Nothing, Why: "no head was accepted"}
	case in.InBase:
		return Decision{Step: Done, Head: in.AcceptedHead, Why: "what was accepted is in the base"}
	case in.BaseTip == "":
		return Decision{Step: Nothing, Why: "the base branch is gone"}
	case in.BranchHead == "":
		return Decision{Step: Nothing, Why: "the plan's branch is gone; what was accepted is commit " + in.AcceptedHead}
	case len(in.Lost.Commits) > 0:
		return Decision{Step: Verify, Since: in.Lost.Since, Why: in.Lost.Words()}
	case in.BranchHead == in.AcceptedHead:
		return decideBase(in, Decision{Step: Merge, Head: in.AcceptedHead, Why: "the base is what was verified"})
	case in.Automatic:
		return decideBase(in, decideChecked(in))
	case in.MovedBy == Agent:
		return Decision{Step: Review, Why: "an agent moved the branch after it was accepted"}
	default:
		return Decision{Step: Verify, Why: "the branch moved after it was accepted"}
	}
}

// decideBase is for a branch whose content was accepted: onward when the base is what it was verified on.
func decideBase(in Input, onward Decision) Decision {
	switch {
	case in.Conflict:
		return Decision{Step: Mend, Head: in.BranchHead, Why: (&ConflictError{Paths: in.ConflictPaths}).Error()}
	case in.MovedBase:
		return Decision{Step: Integrate, Head: in.BranchHead, Times: in.Times, Why: "the base moved since the work was verified"}
	default:
		return onward
	}
}

// decideChecked is for a branch that stands on the merge of base and plan.
func decideChecked(in Input) Decision {
	checked := in.Checked
	if in.DeliveringHead != in.BranchHead {
		// The verdict is about another merge: this one was built and not yet recorded when the engine ended.
		checked = Unchecked
	}
	switch checked {
	case Passed:
		return Decision{Step: Merge, Head: in.BranchHead, Why: "the merge of base and plan passed its checks"}
	case Failed:
		return Decision{Step: Mend, Head: in.BranchHead, Why: "the merge of base and plan fails its checks"}
	default:
		return Decision{Step: Check, Head: in.BranchHead, Why: fmt.Sprintf("the merge of base and plan, %.10s, was not checked yet", in.BranchHead)}
	}
}
