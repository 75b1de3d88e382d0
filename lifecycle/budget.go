package lifecycle

import (
	"fmt"
	"time"

	"tendril/internal/usage"
	"tendril/plans"
	"tendril/runners"
)

// Purse is a budget with what was spent of it, in USD.
type Purse struct {
	// USD is the budget, Spent what runs told of their cost, Left the rest, never below 0.
	USD   float64 `json:"usd"`
	Spent float64 `json:"spent"`
	Left  float64 `json:"left"`
	// Unknown counts runs that ended and told no cost: Spent is the least that it can be, and the budget cannot be kept.
	Unknown int `json:"unknown,omitempty"`
	// Open is true while a run is under way that has not told (all of) its cost.
	Open bool `json:"open,omitempty"`
}

// Empty says whether nothing is left. Of no budget (nil) there is always something left.
func (p *Purse) Empty() bool { return p != nil && p.Left <= 0 }

// Words say in a few words what is left, and where that cannot be known: "$3.80 of $5.00 left".
func (p *Purse) Words() string {
	if p == nil {
		return ""
	}
	words := fmt.Sprintf("%s of %s left", dollars(p.Left), dollars(p.USD))
	if p.Unknown == 1 {
		words += "; one run told no cost, so the budget cannot be kept"
	} else if p.Unknown > 1 {
		words += fmt.Sprintf("; %d runs told no cost, so the budget cannot be kept", p.Unknown)
	}
	return words
}

// spentWords say what was spent of how much: "$5.20 of $5.00".
func (p *Purse) spentWords() string { return dollars(p.Spent) + " of " + dollars(p.USD) }

// dayNote says what is left of the day's budget.
func dayNote(day *Purse) string { return "budget_per_day: " + day.Words() }

// dollars writes an amount for people.
func dollars(usd float64) string {
	if usd > 0 && usd < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// charge is what one run cost, nil as long as that is not known; open is true while it is under way.
type charge struct {
	usd  *float64
	open bool
}

// purseOf is a budget after the charges. It is pure.
func purseOf(budget float64, charges []charge) *Purse {
	p := &Purse{USD: budget}
	for _, c := range charges {
		p.Open = p.Open || c.open
		switch {
		case c.usd != nil:
			p.Spent += *c.usd
		case !c.open:
			p.Unknown++
		}
	}
	p.Spent = usage.Round(p.Spent)
	p.Left = max(usage.Round(budget-p.Spent), 0)
	return p
}

// liveCost is what a run under way has told of its cost until now; nil is unknown.
type liveCost func(run string) *float64

// planCharges are the charges of a plan: each run once, whether its row is written, it only lies here, or it is under way.
func planCharges(rows []plans.CostRow, runs []runInfo, live liveCost) []charge {
	var charges []charge
	here := map[string]bool{}
	for _, r := range runs {
		here[r.spec.Run] = true
		charges = append(charges, runCharge(r, live))
	}
	for _, row := range rows {
		if !here[row.Run] {
			charges = append(charges, charge{usd: row.USD})
		}
	}
	return charges
}

// dayCharges are the charges of the runs that were started in this clone on the local day of now.
func dayCharges(all map[plans.Key][]runInfo, now time.Time, live liveCost) []charge {
	var charges []charge
	for _, runs := range all {
		for _, r := range runs {
			if sameDay(r.state.Started.In(now.Location()), now) {
				charges = append(charges, runCharge(r, live))
			}
		}
	}
	return charges
}

func sameDay(a, b time.Time) bool { return a.Year() == b.Year() && a.YearDay() == b.YearDay() }

func runCharge(r runInfo, live liveCost) charge {
	switch {
	case r.outcome != nil && r.outcome.Result == runners.Failed && r.outcome.Usage == (runners.Usage{}) && r.outcome.Err.Wait():
		// It was turned away before it had done anything that could cost.
		return charge{usd: new(float64)}
	case r.outcome != nil:
		return charge{usd: r.outcome.Usage.USD}
	case live != nil:
		return charge{usd: live(r.spec.Run), open: true}
	default:
		return charge{open: true}
	}
}

// budgetWait is what a plan waits for whose budget is spent before a round of it begins.
func budgetWait(p *Purse) *Wait {
	return &Wait{For: fmt.Sprintf("more budget: %s are spent; raise budget: in plan.md or the configuration", p.spentWords()), Person: true}
}

// dayWait is what everything new waits for once the budget of the day is spent.
func dayWait(p *Purse) *Wait {
	return &Wait{For: fmt.Sprintf("tomorrow: %s are spent today (budget_per_day)", p.spentWords()), Person: true}
}
