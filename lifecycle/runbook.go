package lifecycle

import (
	"cmp"
	"slices"
	"strings"

	"tendril/plans"
	"tendril/runners"
)

// runInfo is one run of a plan as far as it is known.
type runInfo struct {
	spec    runners.Spec
	state   runners.RunState
	outcome *runners.Outcome
}

// alive says whether something of the run still works.
func (r runInfo) alive() bool { return r.outcome == nil && (r.state.Alive || r.state.Orphaned) }

// spent says whether the run counts as an attempt: one that only had to wait, or was cut off, does not.
func (r runInfo) spent() bool {
	return r.ended() && !r.beside()
}

// ended says whether the run ended by itself: it was not cut off, did not only have to wait, and had the session that it was
// to go on with.
func (r runInfo) ended() bool {
	return r.outcome != nil && !r.outcome.Err.Wait() && !r.interrupted() && !r.sessionLost()
}

// sessionLost says whether the run did nothing because its session is not there any more. The next one begins a fresh one, so
// that there is one such run after another at most.
func (r runInfo) sessionLost() bool {
	return r.outcome != nil && r.spec.Session != "" && r.outcome.Session == "" && r.outcome.Err != nil && r.outcome.Err.Kind == runners.KindSession
}

// beside says whether the run is none of the attempts, however it ended.
func (r runInfo) beside() bool { return r.spec.Beside || r.spec.Attached() }

// interrupted says whether the run was cut off rather than ended: by a crash, or by a person who ended the engine.
func (r runInfo) interrupted() bool {
	return r.outcome != nil && (r.outcome.Result == runners.Lost || (r.outcome.Result == runners.Stopped && r.outcome.Stop == stopEngine))
}

// stopEngine is the reason written into a run that was ended together with the engine: it is resumed later.
const stopEngine = "the engine was ended"

// stopPerson is the reason written into a run that a person stopped.
const stopPerson = "stopped by a person"

// stopBudget is the reason written into a run that was ended because its plan's budget is spent.
const stopBudget = "its budget is spent"

// runBook reads the runs of the clone; what ended is read once.
type runBook struct {
	runs  runners.Runs
	ended map[string]runInfo
}

func newRunBook(runs runners.Runs) *runBook { return &runBook{runs: runs, ended: map[string]runInfo{}} }

// byPlan lists the runs of each plan, oldest first: in the order in which they were given out, whatever the clock said. A
// run that cannot be read (an agent wrote there, a disk was full) is the trouble of its own plan: damaged says what it is.
func (b *runBook) byPlan() (out map[plans.Key][]runInfo, damaged map[plans.Key]error, err error) {
	ids, err := b.runs.List()
	if err != nil {
		return nil, nil, err
	}
	out, damaged = map[plans.Key][]runInfo{}, map[plans.Key]error{}
	for _, id := range ids {
		info, err := b.read(id)
		if err != nil {
			key, _, _ := strings.Cut(id, ".")
			damaged[plans.Key(key)] = err
			continue
		}
		key := plans.Key(info.spec.Key)
		out[key] = append(out[key], info)
	}
	for _, infos := range out {
		slices.SortStableFunc(infos, func(a, b runInfo) int {
			return cmp.Or(cmp.Compare(a.spec.Round, b.spec.Round), cmp.Compare(a.spec.Nth, b.spec.Nth),
				a.state.Started.Compare(b.state.Started), strings.Compare(a.spec.Run, b.spec.Run))
		})
	}
	return out, damaged, nil
}

func (b *runBook) read(id string) (runInfo, error) {
	if info, ok := b.ended[id]; ok {
		return info, nil
	}
	spec, err := b.runs.Spec(id)
	if err != nil {
		return runInfo{}, err
	}
	state, err := b.runs.State(id)
	if err != nil {
		return runInfo{}, err
	}
	info := runInfo{spec: spec, state: state}
	if state.Finished {
		outcome, ended, err := b.runs.Outcome(id)
		if err != nil {
			return runInfo{}, err
		}
		if ended {
			info.outcome = &outcome
			b.ended[id] = info
		}
	}
	return info, nil
}

// nextRun is the number of the run after these.
func nextRun(infos []runInfo) int {
	last := 0
	for _, r := range infos {
		last = max(last, r.spec.Nth)
	}
	return last + 1
}

// ofRound returns the runs of one round.
func ofRound(infos []runInfo, round int) []runInfo {
	var out []runInfo
	for _, r := range infos {
		if r.spec.Round == round {
			out = append(out, r)
		}
	}
	return out
}

// strayOf returns a run of another round that still works, or nothing: the branch was set back under it.
func strayOf(infos []runInfo, round int) string {
	for _, r := range infos {
		if r.spec.Round != round && r.alive() {
			return r.spec.Run
		}
	}
	return ""
}

// waitsOf counts the runs that met a limit.
func waitsOf(infos []runInfo) int {
	n := 0
	for _, r := range infos {
		if r.outcome != nil && r.outcome.Err.Wait() {
			n++
		}
	}
	return n
}

// forgivenLosses is how many runs of a round may be lost (their supervisor died) without spending an attempt: what loses
// every run would go on for ever otherwise.
const forgivenLosses = 3

// spentOf counts the attempts of a round's runs.
func spentOf(infos []runInfo) int {
	spent, lost := 0, 0
	for _, r := range infos {
		switch {
		case r.spent():
			spent++
		case r.outcome != nil && r.outcome.Result == runners.Lost && !r.beside():
			lost++
		}
	}
	return spent + max(0, lost-forgivenLosses)
}
