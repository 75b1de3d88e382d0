package lifecycle

import (
	"context"
	"maps"
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
	// heard is the run that was heard last.
	heard string
	// prices say what tokens cost where an agent does not, at the time that now tells.
	prices pricer
	now    func() time.Time
}

func newListeners(runs runners.Runs, now func() time.Time) *listeners {
	return &listeners{runs: runs, now: now, at: map[string]*runners.Follower{}}
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

// hearing bounds how long one hear takes: twenty agents that write as fast as they can must not keep the engine from its work.
const hearing = 250 * time.Millisecond

// hear takes in what they wrote since the last time, and says whether one of them said something new. An output that
// cannot be read now is read the next time; where there is too much, who was heard last waits.
func (l *listeners) hear(ctx context.Context) (news bool) {
	began := time.Now()
	for _, id := range l.inTurn() {
		if time.Since(began) > hearing {
			return news
		}
		if more, err := l.at[id].Read(ctx); err == nil && more {
			news = true
		}
		l.heard = id
	}
	return news
}

// inTurn are the runs in the order of their ids, beginning behind the one that was heard last.
func (l *listeners) inTurn() []string {
	ids := slices.Sorted(maps.Keys(l.at))
	next, _ := slices.BinarySearch(ids, l.heard+"\x00")
	return slices.Concat(ids[next:], ids[:next])
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
	return l.prices.priced(f.Agent(), l.now(), f.Outcome())
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
