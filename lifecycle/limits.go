package lifecycle

import (
	"fmt"
	"time"

	"tendril/internal/config"
	"tendril/lifecycle/gate"
	"tendril/plans"
	"tendril/runners"
)

// limitsOf are the configuration's bounds on what is under way at once.
func limitsOf(cfg *config.Config) Limits {
	l := Limits{Parallel: cfg.Parallel, Review: cfg.ReviewLimit, Agents: map[string]int{}}
	for name, s := range cfg.Agents {
		l.Agents[name] = s.Parallel
	}
	return l
}

// The pauses after a limit that names no end: the first, and the longest that doubling leads to. A reset that lies further
// ahead than the longest window of any agent was not meant, or a clock was wrong.
const (
	firstPark    = time.Minute
	longestPark  = time.Hour
	longestReset = 32 * 24 * time.Hour
)

// parkedUntil is when the agent of a run that met a limit may be asked again; the zero time where it met none. waits is
// how many runs of the round met one. A run that ended in the future says nothing: the clock was wrong when it ran, or is.
func parkedUntil(newest runInfo, waits int, now time.Time) time.Time {
	if newest.outcome == nil || !newest.outcome.Err.Wait() {
		return time.Time{}
	}
	end := endOf(*newest.outcome)
	if end.After(now.Add(clockSlack)) {
		return time.Time{}
	}
	if reset := newest.outcome.Err.Reset; reset != nil && reset.Before(end.Add(longestReset)) {
		return *reset
	}
	return end.Add(min(firstPark<<min(max(waits-1, 0), 10), longestPark))
}

// clockSlack is how far ahead a time may lie before it is taken for one of a wrong clock.
const clockSlack = time.Minute

// endOf is when a run ended.
func endOf(o runners.Outcome) time.Time {
	return o.Started.Add(time.Duration(o.Seconds * float64(time.Second)))
}

// parks says until when agents are not asked, by name: a limit that one plan met is every plan's. It is over early where a
// later run of the agent did not meet it.
func parks(all map[plans.Key][]runInfo, now time.Time) map[string]time.Time {
	passed := map[string]time.Time{}
	for _, runs := range all {
		for _, r := range runs {
			if name := r.spec.Agent.Name; r.ended() && !r.spec.Attached() && r.outcome.Started.After(passed[name]) {
				passed[name] = r.outcome.Started
			}
		}
	}
	until := map[string]time.Time{}
	for _, runs := range all {
		if len(runs) == 0 {
			continue
		}
		newest := runs[len(runs)-1]
		name := newest.spec.Agent.Name
		at := parkedUntil(newest, waitsOf(ofRound(runs, newest.spec.Round)), now)
		if at.After(now) && at.After(until[name]) && !passed[name].After(endOf(*newest.outcome)) {
			until[name] = at
		}
	}
	return until
}

// parkWait is what a plan waits for whose agent is parked.
func parkWait(agent string, until, now time.Time) *Wait {
	until = until.In(now.Location())
	layout := time.TimeOnly
	if !sameDay(until, now) {
		layout = time.DateTime
	}
	return &Wait{For: fmt.Sprintf("the limit of %s, until %s", agent, until.Format(layout))}
}

// effectiveOf is what counts for a plan that was just written.
func effectiveOf(status plans.Status) gate.Effective {
	return gate.Effective{Status: status, Raw: status}
}
