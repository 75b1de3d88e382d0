package lifecycle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/plans"
)

// ledgerOf is what the tests add up: eight runs of five plans.
func ledgerOf(now time.Time) []Expense {
	usd := func(v float64) *float64 { return &v }
	run := func(key plans.Key, status plans.Status, daysAgo int, agent, model string, cost *float64) Expense {
		e := Expense{Key: key, Title: string(key), Status: status, CostRow: plans.CostRow{
			Run: fmt.Sprintf("%s-%d-%s", key, daysAgo, agent), Unit: "ExecutePlan", Agent: agent, Model: model, Started: now.AddDate(0, 0, -daysAgo), USD: cost,
		}}
		if status == plans.Merged {
			e.Merged = now.AddDate(0, 0, -daysAgo+daysAgo%10)
		}
		return e
	}
	all := []Expense{
		run("0001-a", plans.Merged, 41, "claude", "opus", usd(1.25)), // merged 40 days ago
		run("0001-a", plans.Merged, 41, "codex", "gpt", usd(0.25)),
		run("0002-b", plans.Merged, 12, "claude", "opus", usd(0.5)), // merged ten days ago
		run("0002-b", plans.Merged, 12, "codex", "", nil),
		run("0003-c", plans.Failed, 2, "claude", "opus", usd(2)),
		run("0004-d", plans.Rejected, 1, "claude", "haiku", usd(0.125)),
		run("0005-e", plans.Executing, 0, "codex", "gpt", nil),
		run("0005-e", plans.Executing, 0, "script", "", usd(0)),
	}
	all[6].Live, all[7].Source = true, "no cost"
	return all
}

func TestWhatWorkCost(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	words := func(c PlanCost) string { return c.Words() }
	r := ReportCosts(ledgerOf(now), ByPlan, time.Time{}, now)
	for name, c := range map[string][2]string{
		"total":  {words(r.Total), "$4.12 in 8 runs, of which 1 of unknown cost, one under way"},
		"merged": {words(r.Merged), "$2.00 in 4 runs, of which 1 of unknown cost"},
		"lost":   {words(r.Lost), "$2.12 in 2 runs"},
		"open":   {words(r.Open), "$0.00 in 2 runs, one under way"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %s, want %s", name, c[0], c[1])
		}
	}
	// Two merged plans cost 2 together; with the 2.125 that was lost 4.125.
	if r.Plans != 2 || r.PerMerged == nil || *r.PerMerged != 1 || r.With == nil || *r.With != 2.0625 {
		t.Errorf("%d plans, %v, %v", r.Plans, r.PerMerged, r.With)
	}
	// In the last thirty days one plan was merged, which cost 0.5; in those before one that cost 1.5.
	if r.Trend[0].Plans != 1 || *r.Trend[0].PerMerged != 0.5 || r.Trend[1].Plans != 1 || *r.Trend[1].PerMerged != 1.5 || *r.Trend[1].USD != 1.5 {
		t.Errorf("%+v", r.Trend)
	}
	// Since a fortnight ago: the first plan's runs and its merge lie before.
	late := ReportCosts(ledgerOf(now), ByPlan, now.AddDate(0, 0, -14), now)
	if late.Plans != 1 || *late.PerMerged != 0.5 || *late.Total.USD != 2.625 || late.Total.Runs != 6 {
		t.Errorf("%+v", late)
	}
	// Nothing at all costs nothing, and that is known.
	none := ReportCosts(nil, ByDay, time.Time{}, now)
	if none.Total.USD == nil || *none.Total.USD != 0 || none.PerMerged != nil || len(none.Groups) != 0 {
		t.Errorf("%+v", none)
	}
}

func TestGroupsOfCosts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for by, want := range map[By]string{
		ByPlan:  "0003-c 2, 0001-a 1.5, 0002-b 0.5+1, 0004-d 0.125, 0005-e 0+0",
		ByState: "failed 2, merged 2+1, rejected 0.125, executing 0+0",
		ByAgent: "claude 3.875, codex 0.25+1, script 0",
		ByModel: "opus 3.75, gpt 0.25+0, haiku 0.125, (no model) 0, (not known) 0+1",
		ByUnit:  "ExecutePlan 4.125+1",
		ByDay:   "2026-10-20 1.5, 2026-11-18 0.5+1, 2026-11-28 2, 2026-11-29 0.125, 2026-11-30 0+0",
		ByWeek:  "2026-W43 1.5, 2026-W47 0.5+1, 2026-W48 2.125, 2026-W49 0+0",
	} {
		var got []string
		for _, g := range ReportCosts(ledgerOf(now), by, time.Time{}, now).Groups {
			word := fmt.Sprintf("%s %v", g.Name, orZero(g.USD))
			if g.Unknown > 0 || g.Live > 0 {
				word += fmt.Sprintf("+%d", g.Unknown)
			}
			got = append(got, word)
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", by, diff)
		}
	}
}
