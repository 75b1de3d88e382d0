package lifecycle

import (
	"testing"
	"time"

	"tendril/runners"
)

func ended(result runners.Result, change ...func(*runners.Outcome)) runInfo {
	o := &runners.Outcome{Result: result}
	for _, c := range change {
		c(o)
	}
	return runInfo{outcome: o}
}

func TestSpentOf(t *testing.T) {
	t.Parallel()
	limit := func(o *runners.Outcome) { o.Err = &runners.AgentError{Kind: runners.KindLimit} }
	other := func(o *runners.Outcome) { o.Err = &runners.AgentError{Kind: runners.KindOther} }
	byEngine := func(o *runners.Outcome) { o.Stop = stopEngine }
	byPerson := func(o *runners.Outcome) { o.Stop = stopPerson }
	lost := ended(runners.Lost)
	gone := ended(runners.Failed, func(o *runners.Outcome) { o.Err = &runners.AgentError{Kind: runners.KindSession} })
	gone.spec.Session = "s"
	still := ended(runners.Failed, func(o *runners.Outcome) { o.Err, o.Session = &runners.AgentError{Kind: runners.KindSession}, "s" })
	still.spec.Session = "s"
	tests := []struct {
		name string
		runs []runInfo
		want int
	}{
		{"none", nil, 0},
		{"one at work", []runInfo{{}}, 0},
		{"ended well", []runInfo{ended(runners.OK)}, 1},
		{"failed", []runInfo{ended(runners.Failed, other)}, 1},
		{"a limit spends no attempt", []runInfo{ended(runners.Failed, limit), ended(runners.OK)}, 1},
		{"ended with the engine spends none", []runInfo{ended(runners.Stopped, byEngine)}, 0},
		{"stopped by a person", []runInfo{ended(runners.Stopped, byPerson)}, 1},
		{"a session that is gone spends none", []runInfo{gone, ended(runners.OK)}, 1},
		{"one that is still named does", []runInfo{still, still}, 2},
		{"lost spends none", []runInfo{lost, lost, lost}, 0},
		{"losing every run does not go on for ever", []runInfo{lost, lost, lost, lost, lost, lost}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := spentOf(tt.runs); got != tt.want {
				t.Errorf("spent %d, want %d", got, tt.want)
			}
		})
	}
}

func TestParkedUntil(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	reset, years := start.Add(5*time.Hour), start.AddDate(4, 0, 0)
	at := func(e *runners.AgentError) runInfo {
		return runInfo{outcome: &runners.Outcome{Started: start, Seconds: 60, Err: e}}
	}
	limit := &runners.AgentError{Kind: runners.KindLimit}
	tests := []struct {
		name  string
		run   runInfo
		waits int
		want  time.Time
	}{
		{"no limit", at(nil), 0, time.Time{}},
		{"another error", at(&runners.AgentError{Kind: runners.KindOther}), 0, time.Time{}},
		{"the reset that it names", at(&runners.AgentError{Kind: runners.KindLimit, Reset: &reset}), 1, reset},
		{"a reset in years", at(&runners.AgentError{Kind: runners.KindLimit, Reset: &years}), 1, start.Add(2 * time.Minute)},
		{"a run that ends when the clock was wrong", runInfo{outcome: &runners.Outcome{Started: years, Err: limit}}, 1, time.Time{}},
		{"a minute after its end", at(limit), 1, start.Add(2 * time.Minute)},
		{"growing", at(limit), 3, start.Add(5 * time.Minute)},
		{"an hour at most", at(limit), 40, start.Add(61 * time.Minute)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parkedUntil(tt.run, tt.waits, start.Add(2*time.Minute)); !got.Equal(tt.want) {
				t.Errorf("until %s, want %s", got, tt.want)
			}
		})
	}
}
