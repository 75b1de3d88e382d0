package lifecycle

import (
	"context"
	"maps"
	"path"
	"slices"

	"tendril/plans"
)

// gatherBudget finds what is left of the plan's budget, and what it waits for where nothing is, or nothing of the day's.
func (d *decider) gatherBudget(ctx context.Context, one *decided) {
	f := &one.facts
	if !mayCost(f.Status) {
		return
	}
	if budget := d.budgetOf(one.entry.Plan); budget != nil {
		rows, err := d.snap.costRows(ctx, d.p, one.entry)
		if err != nil && f.Wait == nil && !f.Run.Alive {
			f.Wait = &Wait{For: "costs to be readable, since it has a budget: " + firstLine(err.Error()), Person: true}
		}
		f.Budget = purseOf(*budget, planCharges(rows, d.snap.runs[one.entry.Key], d.live))
	}
	starts := f.Status == plans.Approved || f.Status == plans.ChangesRequested
	switch {
	case f.Wait != nil:
	case starts && f.Budget.Empty():
		f.Wait = budgetWait(f.Budget)
	case (starts || f.Status == plans.Executing) && d.snap.day.Empty():
		f.Wait = dayWait(d.snap.day)
	}
}

// budgetOf is the plan's own budget, else the configuration's, else nil.
func (d *decider) budgetOf(plan *plans.Plan) *float64 {
	if plan != nil && plan.Budget != nil {
		return plan.Budget
	}
	return d.snap.cfg.Budget
}

// mayCost says in which states a plan may cost something before a person says another word, or shows what it has cost.
func mayCost(s plans.Status) bool {
	switch s {
	case plans.Approved, plans.ChangesRequested, plans.Executing, plans.Verifying, plans.InReview, plans.Accepted:
		return true
	default:
		return false
	}
}

// dayPurse is what is left of the day's budget, nil where there is none.
func (d *decider) dayPurse() *Purse {
	if d.snap.cfg.BudgetPerDay == nil {
		return nil
	}
	return purseOf(*d.snap.cfg.BudgetPerDay, dayCharges(d.snap.runs, d.now, d.live))
}

// costBook keeps what it read of costs.csv, by blob.
type costBook struct{ rows map[string][]plans.CostRow }

// keep forgets what no plan of the set has any more: each run makes another blob.
func (b costBook) keep(set *plans.Set) {
	now := map[string]bool{}
	for _, entry := range set.Entries {
		now[entry.Blobs[plans.CostsFile]] = true
	}
	maps.DeleteFunc(b.rows, func(blob string, _ []plans.CostRow) bool { return !now[blob] })
}

// costRows are the rows of a plan's costs.csv on the branch.
func (s *snapshot) costRows(ctx context.Context, p *Project, entry *plans.Entry) ([]plans.CostRow, error) {
	blob := entry.Blobs[plans.CostsFile]
	if blob == "" {
		return nil, nil
	}
	if rows, ok := s.costs.rows[blob]; ok {
		return rows, nil
	}
	file := path.Join(s.cfg.Plans, string(entry.Key), plans.CostsFile)
	data, err := p.fileAt(ctx, s.tip, file)
	if err != nil {
		return nil, err
	}
	rows, err := plans.ParseCosts(file, data)
	if err == nil {
		s.costs.rows[blob] = rows
	}
	return rows, err
}

// alarms are the costs at which runs under way would empty their plan's budget: what a run tells beyond that ends it.
func alarms(all []decided, live liveCost) map[string]float64 {
	at := map[string]float64{}
	for _, one := range all {
		f := one.facts
		if f.Budget == nil || !f.Run.Alive {
			continue
		}
		at[f.Run.ID] = f.Budget.Left
		if usd := live(f.Run.ID); usd != nil {
			at[f.Run.ID] += *usd
		}
	}
	return at
}

// metered are the runs under way whose cost matters while they work; what they tell is priced as the configuration now has it.
func (e *Engine) metered(snap *snapshot) []string {
	e.ears.prices = snap.prices
	var ids []string
	for key, runs := range snap.runs {
		if len(e.opt.Only) > 0 && !slices.Contains(e.opt.Only, key) {
			continue
		}
		entry := entryOf(snap.set, key)
		counts := snap.cfg.Budget != nil || snap.cfg.BudgetPerDay != nil || entry != nil && entry.Plan != nil && entry.Plan.Budget != nil
		if !counts && e.scenes == nil {
			continue
		}
		for _, r := range runs {
			if r.alive() {
				ids = append(ids, r.spec.Run)
			}
		}
	}
	return ids
}
