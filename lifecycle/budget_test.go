package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/plans"
	"tendril/runners"
)

func sum(usd float64) *float64 { return &usd }

// costly is a run that ended, of which cost is nil where it told none.
func costly(id string, started time.Time, cost *float64) runInfo {
	return runInfo{
		spec: runners.Spec{Run: id}, state: runners.RunState{Started: started},
		outcome: &runners.Outcome{Run: id, Result: runners.OK, Usage: runners.Usage{USD: cost}},
	}
}

// open is a run under way.
func open(id string, started time.Time) runInfo {
	return runInfo{spec: runners.Spec{Run: id}, state: runners.RunState{Started: started, Alive: true}}
}

func TestPurse(t *testing.T) {
	t.Parallel()
	live := func(run string) *float64 {
		return map[string]*float64{"told": sum(0.5)}[run]
	}
	for name, c := range map[string]struct {
		budget float64
		rows   []plans.CostRow
		runs   []runInfo
		want   Purse
	}{
		"nothing yet":                      {budget: 5, want: Purse{USD: 5, Left: 5}},
		"a row and its run are one":        {budget: 5, rows: []plans.CostRow{{Run: "a", USD: sum(1)}}, runs: []runInfo{costly("a", sceneNow, sum(1))}, want: Purse{USD: 5, Spent: 1, Left: 4}},
		"a row of another clone":           {budget: 5, rows: []plans.CostRow{{Run: "b", USD: sum(2)}}, runs: []runInfo{costly("a", sceneNow, sum(1))}, want: Purse{USD: 5, Spent: 3, Left: 2}},
		"more than there was":              {budget: 1, runs: []runInfo{costly("a", sceneNow, sum(1.5))}, want: Purse{USD: 1, Spent: 1.5}},
		"exactly all":                      {budget: 0.3, runs: []runInfo{costly("a", sceneNow, sum(0.1)), costly("b", sceneNow, sum(0.2))}, want: Purse{USD: 0.3, Spent: 0.3}},
		"unknown is not nothing":           {budget: 1, rows: []plans.CostRow{{Run: "b"}}, runs: []runInfo{costly("a", sceneNow, nil)}, want: Purse{USD: 1, Left: 1, Unknown: 2}},
		"free is known":                    {budget: 1, runs: []runInfo{costly("a", sceneNow, sum(0))}, want: Purse{USD: 1, Left: 1}},
		"under way, and told":              {budget: 1, runs: []runInfo{open("told", sceneNow)}, want: Purse{USD: 1, Spent: 0.5, Left: 0.5, Open: true}},
		"under way, and told nothing yet":  {budget: 1, runs: []runInfo{open("silent", sceneNow)}, want: Purse{USD: 1, Left: 1, Open: true}},
		"a budget of nothing lets nothing": {budget: 0, want: Purse{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, *purseOf(c.budget, planCharges(c.rows, c.runs, live))); diff != "" {
				t.Errorf("purse (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDayPurse(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 9*3600)
	now := time.Date(2026, 3, 2, 1, 0, 0, 0, zone)
	runs := map[plans.Key][]runInfo{
		"0001-a": {costly("yesterday", now.Add(-2*time.Hour), sum(7)), costly("today", now.Add(-30*time.Minute), sum(2))},
		// A clock that went wrong for a while: that run is of another day.
		"0002-b": {costly("in years", now.AddDate(3, 0, 0), sum(9)), open("now", now.UTC())},
	}
	got := purseOf(10, dayCharges(runs, now, func(string) *float64 { return sum(0.25) }))
	if diff := cmp.Diff(Purse{USD: 10, Spent: 2.25, Left: 7.75, Open: true}, *got); diff != "" {
		t.Errorf("day (-want +got):\n%s", diff)
	}
}

func TestPurseWords(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*Purse{
		"":                    nil,
		"$3.80 of $5.00 left": {USD: 5, Spent: 1.2, Left: 3.8},
		"<$0.01 of $5.00 left; one run told no cost, so the budget cannot be kept": {USD: 5, Spent: 4.999, Left: 0.001, Unknown: 1},
		"$5.00 of $5.00 left; 2 runs told no cost, so the budget cannot be kept":   {USD: 5, Left: 5, Unknown: 2},
	} {
		if got := p.Words(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}

func TestNextKeepsBudgets(t *testing.T) {
	t.Parallel()
	spent, some := &Purse{USD: 5, Spent: 5.2}, &Purse{USD: 5, Spent: 1, Left: 4}
	alive := RunFact{ID: "r", Alive: true}
	taken := RunFact{ID: "r", Collected: true}
	for _, tt := range []nextCase{
		{"an agent goes on within its budget", Facts{Status: plans.Executing, Run: alive, Max: 3, Budget: some}, Action{Kind: Watch}},
		{"an agent is stopped beyond it", Facts{Status: plans.Executing, Run: alive, Max: 3, Budget: spent}, Action{Kind: Halt, Reason: plans.Budget, Why: "its budget is spent: $5.20 of $5.00"}},
		{"what it did is taken in first", Facts{Status: plans.Executing, Run: RunFact{ID: "r"}, Max: 3, Budget: spent}, Action{Kind: Collect}},
		{"then the plan fails", Facts{Status: plans.Executing, Run: RunFact{ID: "r", Collected: true, Fatal: plans.Budget}, Spent: 1, Max: 3, Budget: spent}, Action{Kind: Fail, Reason: plans.Budget}},
		{"also where an engine died between", Facts{Status: plans.Executing, Run: taken, Spent: 1, Max: 3, Budget: spent}, Action{Kind: Fail, Reason: plans.Budget}},
		{"words buy nothing", Facts{Status: plans.Executing, Run: taken, Words: 1, Max: 3, Budget: spent}, Action{Kind: Fail, Reason: plans.Budget}},
		{"what was done is checked", Facts{Status: plans.Verifying, Max: 3, Budget: spent, Words: 1}, Action{Kind: Verify}},
		{"and goes to review", Facts{Status: plans.Verifying, Verdict: VerdictPassed, Max: 3, Budget: spent}, Action{Kind: Review}},
		{"failed checks are not mended without money", Facts{Status: plans.Verifying, Verdict: VerdictFailed, Spent: 1, Max: 3, Budget: spent}, Action{Kind: Fail, Reason: plans.Budget}},
		{"attempts that are over are the reason", Facts{Status: plans.Verifying, Verdict: VerdictFailed, Spent: 3, Max: 3, Budget: spent}, Action{Kind: Fail, Reason: plans.Checks}},
		{"a round waits for money", Facts{Status: plans.Approved, Budget: spent, Wait: budgetWait(spent)}, Action{Kind: Hold, Why: "more budget: $5.20 of $5.00 are spent; raise budget: in plan.md or the configuration"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Next(tt.facts)); diff != "" {
				t.Errorf("Next (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAlarms(t *testing.T) {
	t.Parallel()
	live := func(run string) *float64 { return map[string]*float64{"a": sum(1)}[run] }
	got := alarms([]decided{
		{facts: Facts{Run: RunFact{ID: "a", Alive: true}, Budget: &Purse{USD: 5, Spent: 2, Left: 3}}},
		{facts: Facts{Run: RunFact{ID: "b", Alive: true}, Budget: &Purse{USD: 5, Left: 5}}},
		{facts: Facts{Run: RunFact{ID: "c", Alive: true}}},
		{facts: Facts{Run: RunFact{ID: "d"}, Budget: &Purse{USD: 5, Left: 5}}},
	}, live)
	if diff := cmp.Diff(map[string]float64{"a": 4, "b": 5}, got); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
}
