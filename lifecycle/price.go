package lifecycle

import (
	"strings"
	"time"

	"tendril/internal/config"
	"tendril/internal/usage"
	"tendril/plans"
	"tendril/runners"
)

// pricer says what runs cost whose agents do not. The zero value knows no price.
type pricer struct {
	table *usage.Table
	own   map[string]config.Price
}

// newPricer takes the configuration's prices over the built-in table.
func newPricer(own map[string]config.Price) (pricer, error) {
	table, err := usage.Builtin()
	return pricer{table: table, own: own}, err
}

// price gives their cost to the ended runs that told none.
func (p pricer) price(all map[plans.Key][]runInfo) {
	for _, runs := range all {
		for i, r := range runs {
			if r.outcome == nil || r.outcome.Usage.USD != nil {
				continue
			}
			// Who works on an earlier look reads the same outcome: it stays as it is.
			out := *r.outcome
			out.Usage = p.priced(r.spec.Agent.Name, out.Started, out)
			runs[i].outcome = &out
		}
	}
}

// priced is a run's usage, with the cost that its tokens come to where the agent named none. Where one part of it has no
// price, the whole has none.
func (p pricer) priced(agent string, started time.Time, o runners.Outcome) runners.Usage {
	used := o.Usage
	if used.USD != nil {
		return used
	}
	parts := o.Parts
	if len(parts) == 0 {
		parts = []runners.Part{{Model: o.Model, Usage: used}}
	}
	sum := 0.0
	for _, part := range parts {
		usd, known := p.part(agent, started, part)
		if !known {
			return used
		}
		sum += usd
	}
	used.USD, used.Source = &sum, runners.CostTable
	return used
}

// part is what one part of a run cost: what its agent said of it, else its tokens at the model's price.
func (p pricer) part(agent string, at time.Time, part runners.Part) (float64, bool) {
	if part.Usage.USD != nil {
		return *part.Usage.USD, true
	}
	var price usage.Price
	known := false
	if p.table != nil {
		price, known = p.table.Find(seller(agent), part.Model, at)
	}
	if own, ok := p.ownPrice(agent, part.Model); ok {
		price, known = price.Over(own), true
	}
	if !known {
		return 0, false
	}
	u := part.Usage
	return price.Of(usage.Tokens{
		Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning,
	}, part.Request)
}

// ownPrice is the configuration's price of a model, by "AGENT:MODEL" or the model's name alone.
func (p pricer) ownPrice(agent, model string) (usage.Rates, bool) {
	if model == "" {
		return usage.Rates{}, false
	}
	bare, _, _ := strings.Cut(model, "[")
	for _, name := range []string{agent + ":" + model, model, agent + ":" + bare, bare} {
		if c, ok := p.own[name]; ok {
			return usage.Rates{Input: c.Input, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite, Output: c.Output}, true
		}
	}
	return usage.Rates{}, false
}

// seller is who sells an agent its models unless their names say otherwise; empty where only those can tell.
func seller(agent string) string {
	switch agent {
	case "claude":
		return "anthropic"
	case "codex":
		return "openai"
	case "gemini":
		return "google"
	case "copilot":
		return "github-copilot"
	default:
		return ""
	}
}
