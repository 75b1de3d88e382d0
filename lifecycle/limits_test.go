package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/plans"
	"tendril/runners"
)

// ranBy is a run of an agent that ended a minute after it was started.
func ranBy(agent string, started time.Time, err *runners.AgentError) runInfo {
	result := runners.OK
	if err != nil {
		result = runners.Failed
	}
	return runInfo{
		spec: runners.Spec{Run: "r", Round: 1, Agent: runners.Agent{Name: agent}}, state: runners.RunState{Started: started},
		outcome: &runners.Outcome{Result: result, Started: started, Seconds: 60, Err: err},
	}
}

func TestALimitIsEveryPlans(t *testing.T) {
	t.Parallel()
	now := sceneNow
	reset := now.Add(time.Hour)
	limit := &runners.AgentError{Kind: runners.KindLimit, Reset: &reset}
	for name, c := range map[string]struct {
		runs map[plans.Key][]runInfo
		want map[string]time.Time
	}{
		"none": {runs: map[plans.Key][]runInfo{"0001-a": {ranBy("claude", now.Add(-time.Hour), nil)}}},
		"met by one": {
			runs: map[plans.Key][]runInfo{"0001-a": {ranBy("claude", now.Add(-time.Hour), limit)}, "0002-b": {ranBy("codex", now.Add(-time.Hour), nil)}},
			want: map[string]time.Time{"claude": reset},
		},
		"over for one that was started later": {
			runs: map[plans.Key][]runInfo{"0001-a": {ranBy("claude", now.Add(-time.Hour), limit)}, "0002-b": {ranBy("claude", now.Add(-time.Minute), nil)}},
		},
		"not for one that was started before": {
			runs: map[plans.Key][]runInfo{"0001-a": {ranBy("claude", now.Add(-5*time.Minute), limit)}, "0002-b": {ranBy("claude", now.Add(-time.Hour), nil)}},
			want: map[string]time.Time{"claude": reset},
		},
		"met in a time that has not come": {runs: map[plans.Key][]runInfo{"0001-a": {ranBy("claude", now.AddDate(9, 0, 0), limit)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := c.want
			if want == nil {
				want = map[string]time.Time{}
			}
			if diff := cmp.Diff(want, parks(c.runs, now)); diff != "" {
				t.Errorf("parked (-want +got):\n%s", diff)
			}
		})
	}
}
