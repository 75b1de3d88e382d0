package lifecycle

import (
	"time"

	"tendril/internal/config"
	"tendril/lifecycle/gate"
	"tendril/plans"
)

// limitsOf are the configuration's bounds on what is under way at once.
func limitsOf(cfg *config.Config) Limits {
	l := Limits{Parallel: cfg.Parallel, Review: cfg.ReviewLimit, Agents: map[string]int{}}
	for name, s := range cfg.Agents {
		l.Agents[name] = s.Parallel
	}
	return l
}

// The pauses after a limit that names no end: the first, and the longest that doubling leads to.
const (
	firstPark   = time.Minute
	longestPark = time.Hour
)

// parkedUntil is when the agent of a run that met a limit may be asked again; the zero time where it met none. waits is
// how many runs of the round met one.
func parkedUntil(newest runInfo, waits int) time.Time {
	if newest.outcome == nil || !newest.outcome.Err.Wait() {
		return time.Time{}
	}
	if reset := newest.outcome.Err.Reset; reset != nil {
		return *reset
	}
	pause := min(firstPark<<min(max(waits-1, 0), 10), longestPark)
	return newest.outcome.Started.Add(time.Duration(newest.outcome.Seconds * float64(time.Second))).Add(pause)
}

// effectiveOf is what counts for a plan that was just written.
func effectiveOf(status plans.Status) gate.Effective {
	return gate.Effective{Status: status, Raw: status}
}
