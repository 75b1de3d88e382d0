package lifecycle

import (
	"context"
	"slices"
	"time"

	"tendril/runners"
)

// listenEvery is how often the agents' output is looked at while somebody watches, or a budget runs down.
const listenEvery = time.Second

// listeners follow what agents at work say. They belong to the engine's goroutine; nothing of them starts a process.
type listeners struct {
	runs runners.Runs
	at   map[string]*runners.Follower
	// prices say what tokens cost where an agent does not.
	prices pricer
}

func newListeners(runs runners.Runs) *listeners {
	return &listeners{runs: runs, at: map[string]*runners.Follower{}}
}

// attend listens to these runs from now on, and to no other.
func (l *listeners) attend(ids []string) {
	for id := range l.at {
		if !slices.Contains(ids, id) {
			delete(l.at, id)
		}
	}
	for _, id := range ids {
		if l.at[id] != nil {
			continue
		}
		// One that cannot be followed now is tried again at the next look.
		if f, err := l.runs.Follow(id); err == nil {
			l.at[id] = f
		}
	}
}

// hear takes in what they wrote since the last time, and says whether one of them said something new. An output that
// cannot be read now is read the next time.
func (l *listeners) hear(ctx context.Context) (news bool) {
	for _, f := range l.at {
		if more, err := f.Read(ctx); err == nil && more {
			news = true
		}
	}
	return news
}

// of is who follows a run, or nil.
func (l *listeners) of(run string) *runners.Follower { return l.at[run] }

// cost is what a run has told of its cost until now; nil is unknown.
func (l *listeners) cost(run string) *float64 {
	return l.used(run).USD
}

// used is what a run has told of its usage until now.
func (l *listeners) used(run string) runners.Usage {
	f := l.at[run]
	if f == nil {
		return runners.Usage{}
	}
	return l.prices.priced(f.Agent(), time.Now(), f.Outcome())
}

// reached says whether a run has told a cost that reaches its alarm.
func (l *listeners) reached(alarms map[string]float64) bool {
	for run, at := range alarms {
		if usd := l.cost(run); usd != nil && *usd >= at {
			return true
		}
	}
	return false
}

// wakes tick while there is somebody to listen to. stop ends them.
func (l *listeners) wakes() (ticks <-chan time.Time, stop func()) {
	if len(l.at) == 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(listenEvery)
	return ticker.C, ticker.Stop
}
