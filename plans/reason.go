package plans

import "slices"

// Reason says in one word why a plan failed, or why an accepted one is not delivered yet.
type Reason string

// The reasons of the design's section 2.
const (
	// Setup: the worktree's setup failed, the agent was not started.
	Setup Reason = "setup"
	// Agent: the agent could not do its work, and trying again would not help.
	Agent Reason = "agent"
	// NoChanges: the agent ended well and changed nothing.
	NoChanges Reason = "no-changes"
	// Checks: still failing after max_attempts.
	Checks Reason = "checks"
	// Attempts: no run ended well.
	Attempts Reason = "attempts"
	// Budget: the plan's money is spent.
	Budget Reason = "budget"
	// Time: a run's time limit.
	Time Reason = "time"
	// Stalled: no output and no working descendant.
	Stalled Reason = "stalled"
	// Stopped: a person stopped it.
	Stopped Reason = "stopped"
	// WorktreeLost: the plan's folder or its registration is gone or was replaced.
	WorktreeLost Reason = "worktree-lost"
	// Guard: the agent moved a ref that is not the plan's.
	Guard Reason = "guard"
	// Conflict: the base conflicts with the plan's branch.
	Conflict Reason = "conflict"
	// DeliveryFailed stands beside accepted.
	DeliveryFailed Reason = "delivery"
)

// Reasons returns every reason.
func Reasons() []Reason {
	return []Reason{
		Setup, Agent, NoChanges, Checks, Attempts, Budget, Time, Stalled, Stopped, WorktreeLost, Guard, Conflict,
		DeliveryFailed,
	}
}

// valid tells whether r is one of the reasons, or none.
func (r Reason) valid() bool { return r == "" || slices.Contains(Reasons(), r) }
