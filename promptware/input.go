package promptware

import "tendril/plans"

// PromptInput is what a prompt is made from.
type PromptInput struct {
	// Plan is the plan; its text goes in verbatim.
	Plan *plans.Plan
	// Round and Attempt count from 1.
	Round, Attempt int
	// Candidate is set in a race.
	Candidate string
	// Branch and Base say where the agent stands: the branch checked out, the branch it goes back to.
	Branch, Base string
	// Feedback is what failed in the attempt before, as the checks reported it; empty for none.
	Feedback []byte
	// Review is what the reviewer said in this round; empty for none.
	Review []byte
	// Conflict names the files that clash with the base, when the run is to mend a merge.
	Conflict []string
	// Interrupted is true when the run before ended before the agent did (a limit, a stop, a crash).
	Interrupted bool
	// Resumed is true when the agent goes on with the session in which it read the whole prompt before.
	Resumed bool
	// Checks names the checks, "name: command", in their order; Scope holds the globs the agent may change.
	Checks []string
	Scope  []string
	// Notes are what earlier plans learned and fits this one; Context is the preset's extra text.
	Notes   []Note
	Context []byte
	// Autonomy is "edit" or "full": with edit the agent is not told to run what it cannot run.
	Autonomy string
}

// Note is one thing learned: a file of a unit's Memory/.
type Note struct {
	Name string
	Text string
}
