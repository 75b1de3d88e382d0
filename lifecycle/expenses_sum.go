package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tendril/internal/usage"
	"tendril/plans"
	"tendril/runners"
)

// By is what costs are grouped by.
type By string

// What costs can be grouped by.
const (
	ByPlan  By = "plan"
	ByState By = "state"
	ByAgent By = "agent"
	ByModel By = "model"
	ByUnit  By = "unit"
	ByDay   By = "day"
	ByWeek  By = "week"
)

// AllBy are they all, in the order in which help names them.
func AllBy() []By { return []By{ByPlan, ByState, ByAgent, ByModel, ByUnit, ByDay, ByWeek} }

// CostGroup is what the runs of one group came to.
type CostGroup struct {
	// Name is the plan's key, the state, the agent …; of days 2026-11-30, of weeks 2026-W49.
	Name string `json:"name"`
	// Title and Status are a plan's.
	Title  string       `json:"title,omitempty"`
	Status plans.Status `json:"status,omitempty"`
	PlanCost
	// Tokens is the sum of all buckets that are known, Seconds of the wall time that is known; nil where nothing is.
	Tokens  *int64   `json:"tokens"`
	Seconds *float64 `json:"seconds"`
	// Merged is how many plans were merged in the group, PerMerged what the group's cost comes to for each; of days and weeks
	// those are the plans merged then, with everything that they cost.
	Merged    int      `json:"merged_plans,omitempty"`
	PerMerged *float64 `json:"usd_per_merged_plan,omitempty"`
}

// CostReport is what work cost and what came of it.
type CostReport struct {
	// Since is the beginning of the time that is looked at; nil is all of it.
	Since *time.Time `json:"since,omitempty"`
	By    By         `json:"by"`
	Total PlanCost   `json:"total"`
	// Merged is what the runs of merged plans cost, Lost those of failed and rejected ones, Open those of all others.
	Merged PlanCost `json:"merged"`
	Lost   PlanCost `json:"failed_and_rejected"`
	Open   PlanCost `json:"open"`
	// PerMerged is what one merged plan cost; With is that with the lost work on top. Their plans are counted in Plans.
	PerMerged *float64    `json:"usd_per_merged_plan"`
	With      *float64    `json:"usd_per_merged_plan_with_lost"`
	Plans     int         `json:"merged_plans"`
	Groups    []CostGroup `json:"groups"`
	// Trend are the last 30 days and the 30 before.
	Trend []CostSpan `json:"trend"`
	// Unread are plans whose costs cannot be read.
	Unread []string `json:"unread,omitempty"`
}

// CostSpan is a span of days with the runs that were started in it, and the plans that were merged in it.
type CostSpan struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	PlanCost
	Plans     int      `json:"merged_plans"`
	PerMerged *float64 `json:"usd_per_merged_plan"`
}

// ReportCosts adds expenses up. It is pure; days are those of now's location. since may be zero.
func ReportCosts(all []Expense, by By, since, now time.Time) CostReport {
	r := CostReport{By: by}
	chosen := all
	if !since.IsZero() {
		r.Since = &since
		chosen = within(all, since, time.Time{})
	}
	outcome := map[string][]Expense{}
	for _, e := range chosen {
		name := "open"
		switch e.Status {
		case plans.Merged:
			name = "merged"
		case plans.Failed, plans.Rejected:
			name = "lost"
		default:
		}
		outcome[name] = append(outcome[name], e)
	}
	r.Total, r.Merged, r.Lost, r.Open = costed(chosen), costed(outcome["merged"]), costed(outcome["lost"]), costed(outcome["open"])
	merged := mergedWithin(all, since, time.Time{})
	r.Plans, r.PerMerged = perMerged(merged)
	if r.PerMerged != nil && r.Lost.USD != nil {
		with := usage.Round(*r.PerMerged + *r.Lost.USD/float64(r.Plans))
		r.With = &with
	} else if r.Lost.Runs == 0 {
		r.With = r.PerMerged
	}
	r.Groups = groupCosts(chosen, all, by, now.Location())
	const days = 30
	for _, back := range []int{2 * days, days} {
		from, to := now.AddDate(0, 0, -back), now.AddDate(0, 0, days-back)
		span := CostSpan{From: from, To: to, PlanCost: costed(within(all, from, to))}
		span.Plans, span.PerMerged = perMerged(mergedWithin(all, from, to))
		r.Trend = append(r.Trend, span)
	}
	slices.Reverse(r.Trend)
	return r
}

// costed is the cost of expenses, which may be none: then it is 0, and that is known.
func costed(expenses []Expense) PlanCost {
	if c := costOf(expenses); c != nil {
		return *c
	}
	return PlanCost{USD: new(float64)}
}

// within are the runs that were started in a span; a zero end is open.
func within(all []Expense, from, to time.Time) []Expense {
	var out []Expense
	for _, e := range all {
		if !e.Started.Before(from) && (to.IsZero() || e.Started.Before(to)) {
			out = append(out, e)
		}
	}
	return out
}

// mergedWithin are all runs of the plans that were merged in a span.
func mergedWithin(all []Expense, from, to time.Time) []Expense {
	var out []Expense
	for _, e := range all {
		if e.Status == plans.Merged && !e.Merged.Before(from) && (to.IsZero() || e.Merged.Before(to)) {
			out = append(out, e)
		}
	}
	return out
}

// perMerged is how many plans the runs belong to, and what one of them cost; nil where nothing is known of that.
func perMerged(runs []Expense) (int, *float64) {
	keys := map[plans.Key]bool{}
	for _, e := range runs {
		keys[e.Key] = true
	}
	c := costOf(runs)
	if c == nil || c.USD == nil {
		return len(keys), nil
	}
	each := usage.Round(*c.USD / float64(len(keys)))
	return len(keys), &each
}

// groupCosts puts runs into groups: days and weeks in their order, all others with the dearest first.
func groupCosts(chosen, all []Expense, by By, where *time.Location) []CostGroup {
	of := map[string][]Expense{}
	for _, e := range chosen {
		name := groupName(e, by, where)
		of[name] = append(of[name], e)
	}
	groups := make([]CostGroup, 0, len(of))
	for name, runs := range of {
		g := CostGroup{Name: name, PlanCost: costed(runs), Tokens: tokenSum(runs), Seconds: secondSum(runs)}
		switch by {
		case ByPlan:
			g.Title, g.Status = runs[0].Title, runs[0].Status
		case ByDay, ByWeek:
			var merged []Expense
			for _, e := range all {
				if e.Status == plans.Merged && span(e.Merged.In(where), by) == name {
					merged = append(merged, e)
				}
			}
			g.Merged, g.PerMerged = perMerged(merged)
		default:
			var merged []Expense
			for _, e := range runs {
				if e.Status == plans.Merged {
					merged = append(merged, e)
				}
			}
			g.Merged, g.PerMerged = perMerged(merged)
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b CostGroup) int {
		if by == ByDay || by == ByWeek {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(orZero(b.USD), orZero(a.USD)), cmp.Compare(a.Name, b.Name))
	})
	return groups
}

// groupName is the group that a run belongs to.
func groupName(e Expense, by By, where *time.Location) string {
	switch by {
	case ByState:
		return string(e.Status)
	case ByAgent:
		return cmp.Or(e.Agent, "(none)")
	case ByModel:
		if e.Source == string(runners.CostNone) {
			return "(no model)"
		}
		return cmp.Or(e.Model, "(not known)")
	case ByUnit:
		return unitName(e.Unit)
	case ByDay, ByWeek:
		return span(e.Started.In(where), by)
	default:
		return string(e.Key)
	}
}

// span names the day or the ISO week of a time.
func span(at time.Time, by By) string {
	if by == ByDay {
		return at.Format(time.DateOnly)
	}
	year, week := at.ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

func orZero(usd *float64) float64 {
	if usd == nil {
		return 0
	}
	return *usd
}

func tokenSum(runs []Expense) *int64 {
	var sum int64
	known := false
	for _, e := range runs {
		for _, n := range []*int64{e.Input, e.CacheRead, e.CacheWrite, e.Output, e.Reasoning} {
			if n != nil {
				sum, known = sum+*n, true
			}
		}
	}
	if !known {
		return nil
	}
	return &sum
}

func secondSum(runs []Expense) *float64 {
	var sum float64
	known := false
	for _, e := range runs {
		if e.Seconds != nil {
			sum, known = sum+*e.Seconds, true
		}
	}
	if !known {
		return nil
	}
	return &sum
}
