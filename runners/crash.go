package runners

import "tendril/internal/crash"

// The moments of a run at which a test may kill the process that is at work then: Start runs in the engine, the others in
// the supervisor.
const (
	crashBeforeSpec    crash.Point = "runners.spec-before"
	crashSpec          crash.Point = "runners.spec-written"
	crashBeforeSpawn   crash.Point = "runners.spawn-before"
	crashSpawned       crash.Point = "runners.spawned"
	crashReportedIn    crash.Point = "runners.reported-in"
	crashBeforeClaim   crash.Point = "runners.claim-before"
	crashClaimed       crash.Point = "runners.claimed"
	crashBeforeAgent   crash.Point = "runners.agent-before"
	crashAgent         crash.Point = "runners.agent-started"
	crashAgentKnown    crash.Point = "runners.agent-recorded"
	crashReported      crash.Point = "runners.reported"
	crashAgentEnded    crash.Point = "runners.agent-ended"
	crashCleared       crash.Point = "runners.leftovers-ended"
	crashBeforeOutcome crash.Point = "runners.outcome-before"
	crashOutcome       crash.Point = "runners.outcome-written"
)

// CrashPoints returns the moments in the order in which a run passes them.
func CrashPoints() []crash.Point {
	return []crash.Point{
		crashBeforeSpec, crashSpec, crashBeforeSpawn, crashSpawned, crashBeforeClaim, crashClaimed, crashBeforeAgent, crashAgent,
		crashAgentKnown, crashReported, crashReportedIn, crashAgentEnded, crashCleared, crashBeforeOutcome, crashOutcome,
	}
}
