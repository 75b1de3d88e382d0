package lifecycle

import (
	"time"

	"tendril/plans"
)

// Event is one thing that happened, for the person who watches.
type Event struct {
	At  time.Time
	Key plans.Key
	// Run is the run of an agent that it is about, or the plan's newest; empty before its first.
	Run string
	// Kind is a stable word: claimed, started, ended, verifying, checked, recorded, delivered, cleared, waiting, refused,
	// failed, problem, stopped, left.
	Kind string
	// Text says it in one line, without the key.
	Text string
}

// The kinds of events.
const (
	EventClaimed   = "claimed"
	EventStarted   = "started"
	EventEnded     = "ended"
	EventChecking  = "checking"
	EventChecked   = "checked"
	EventRecorded  = "recorded"
	EventDelivered = "delivered"
	EventCleared   = "cleared"
	EventWaiting   = "waiting"
	EventRefused   = "refused"
	EventFailed    = "failed"
	EventProblem   = "problem"
	EventStopped   = "stopped"
	EventLeft      = "left"
)
