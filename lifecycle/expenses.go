package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tendril/internal/usage"
	"tendril/plans"
	"tendril/runners"
)

// Expense is one agent run with the plan that it was for. A cost that is not known is nil, never 0.
type Expense struct {
	Key    plans.Key
	Title  string
	Status plans.Status
	// Merged is when the plan was merged; zero where it was not.
	Merged time.Time
	plans.CostRow
	// Live is true while the run is under way: its figures are what it told until now.
	Live bool
}

// PlanCost is what the runs of one plan cost until now.
type PlanCost struct {
	// USD is the sum of what is known, nil where nothing is. Where Unknown or Live is not 0 it is not the whole.
	USD *float64 `json:"usd"`
	// Runs counts them all, Unknown those that ended and told no cost, Live those under way.
	Runs    int `json:"runs"`
	Unknown int `json:"unknown_runs,omitempty"`
	Live    int `json:"live_runs,omitempty"`
}

// costOf adds up what runs cost; nil where there was none.
func costOf(expenses []Expense) *PlanCost {
	if len(expenses) == 0 {
		return nil
	}
	c := &PlanCost{Runs: len(expenses)}
	for _, e := range expenses {
		switch {
		case e.Live:
			c.Live++
		case e.USD == nil:
			c.Unknown++
		}
		if e.USD != nil {
			sum := *e.USD
			if c.USD != nil {
				sum += *c.USD
			}
			c.USD = &sum
		}
	}
	if c.USD != nil {
		*c.USD = usage.Round(*c.USD)
	}
	return c
}

// Words say in a few words what a plan cost: "$1.20 in 3 runs, and one of unknown cost".
func (c *PlanCost) Words() string {
	if c == nil {
		return ""
	}
	words := counted(c.Runs, "run")
	switch {
	case c.USD == nil && c.Live == c.Runs:
		return "not known yet: one under way"
	case c.USD == nil:
		words = "unknown (" + words + ")"
	default:
		words = dollars(*c.USD) + " in " + words
		if c.Unknown > 0 {
			words += fmt.Sprintf(", of which %d of unknown cost", c.Unknown)
		}
	}
	if c.Live > 0 {
		words += ", one under way"
	}
	return words
}

// counted is a number of things, in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Expenses are the runs of all plans: those in each plan's costs.csv on the plans branch, and what this clone has that is not
// written there yet, runs under way included. Plans whose costs cannot be read are named in the second answer.
func (p *Project) Expenses(ctx context.Context) ([]Expense, []string, error) {
	snap, all, err := p.survey(ctx)
	if err != nil {
		return nil, nil, err
	}
	var expenses []Expense
	var unread []string
	for _, one := range all {
		of, err := p.expensesOf(ctx, snap, one, true)
		if err != nil {
			unread = append(unread, firstLine(err.Error()))
		}
		expenses = append(expenses, of...)
	}
	return expenses, unread, nil
}

// costHere is what the runs of a plan cost until now, as far as that is written or lies here; a run under way is not read.
func (p *Project) costHere(ctx context.Context, snap *snapshot, one decided) *PlanCost {
	runs, err := p.expensesOf(ctx, snap, one, false)
	if err != nil {
		// What is written cannot be read, so that no sum can be told.
		return &PlanCost{Runs: max(len(runs), 1), Unknown: max(len(runs), 1)}
	}
	return costOf(runs)
}

// expensesOf are the runs of one plan, oldest first. read takes in what runs under way told until now.
func (p *Project) expensesOf(ctx context.Context, snap *snapshot, one decided, read bool) ([]Expense, error) {
	rows, err := snap.costRows(ctx, p, one.entry)
	if err != nil {
		rows = nil
	}
	runs := snap.runs[one.entry.Key]
	expenses := make([]Expense, 0, len(rows)+1)
	of := Expense{Key: one.entry.Key, Title: string(one.entry.Key), Status: one.facts.Status}
	if one.entry.Plan != nil {
		of.Title = one.entry.Plan.Title
	}
	if rec := one.entry.Record; rec != nil && of.Status == plans.Merged {
		of.Merged = rec.StateSince
	}
	for _, row := range rows {
		e := of
		e.CostRow = row
		expenses = append(expenses, e)
	}
	for _, r := range runs {
		if slices.ContainsFunc(rows, func(row plans.CostRow) bool { return row.Run == r.spec.Run }) {
			continue
		}
		e := of
		e.CostRow, e.Live = p.unwrittenRow(ctx, snap, r, read), r.outcome == nil
		expenses = append(expenses, e)
	}
	return expenses, err
}

// unwrittenRow is the row of a run that costs.csv does not have: it ended a moment ago, or is under way.
func (p *Project) unwrittenRow(ctx context.Context, snap *snapshot, r runInfo, read bool) plans.CostRow {
	if r.outcome != nil {
		return costRow(*r.outcome, r.spec)
	}
	out := runners.Outcome{Run: r.spec.Run, Started: r.state.Started, Model: r.spec.Model}
	// What it wrote until now may not be readable; then nothing of it is known yet.
	if f, err := p.runs().Follow(r.spec.Run); err == nil && read {
		for more := true; more && err == nil; {
			more, err = f.Read(ctx)
		}
		told := f.Outcome()
		out.Model, out.Usage = told.Model, snap.prices.priced(f.Agent(), r.state.Started, told)
	}
	row := costRow(out, r.spec)
	row.Seconds, row.Outcome = nil, "under way"
	return row
}

// unitName is a unit as people read it.
func unitName(unit string) string {
	if unit = strings.TrimSpace(unit); unit == "" {
		return "(none)"
	}
	return unit
}
