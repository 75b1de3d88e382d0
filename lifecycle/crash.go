package lifecycle

import (
	"slices"

	"tendril/internal/crash"
	"tendril/lifecycle/record"
	"tendril/runners"
	"tendril/worktree"
)

// The moments between the engine's own steps, each behind an effect that outlives the process.
const (
	crashWritten    crash.Point = "lifecycle.written"    // the plans branch has a change of state, memory has not
	crashClaimed    crash.Point = "lifecycle.claimed"    // the ledger has the approval, no run is started
	crashStarted    crash.Point = "lifecycle.started"    // the run is started, memory does not know
	crashCollected  crash.Point = "lifecycle.collected"  // what the agent left is committed, nothing is written of it
	crashVerified   crash.Point = "lifecycle.verified"   // the checks ran, nothing is written of it
	crashIntegrated crash.Point = "lifecycle.integrated" // the plan's branch is at the merge with its base, unchecked
	crashDelivered  crash.Point = "lifecycle.delivered"  // the base has the work, the plan is not merged yet
	crashUnbranched crash.Point = "lifecycle.unbranched" // the merged plan's branch is deleted, nobody knows
	crashRetired    crash.Point = "lifecycle.retired"    // the worktree is gone, the branch is not

	// crashMovedPlans lies within a person's command: no engine passes it, and its own test kills there.
	crashMovedPlans crash.Point = "lifecycle.moved-plans" // the default branch has the move, nothing else has
)

// CrashPoints are all moments at which a test may kill an engine or a supervisor: the engine's own, and those of every room
// below it.
func CrashPoints() []crash.Point {
	own := []crash.Point{
		crashWritten, crashClaimed, crashStarted, crashCollected, crashVerified, crashIntegrated, crashDelivered, crashRetired, crashUnbranched,
	}
	return slices.Concat(own, record.CrashPoints, worktree.CrashPoints(), runners.CrashPoints())
}
