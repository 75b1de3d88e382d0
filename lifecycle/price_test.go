package lifecycle

import (
	"testing"
	"time"

	"tendril/internal/config"
	"tendril/plans"
	"tendril/runners"
)

// What the recorded runs come to, worked out by hand from the scripted server's two calls: 203 tokens of input, 8103 from the
// cache, 2203 into it, 63 of output, 100 of reasoning.
func TestRunsWithoutACostArePriced(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	usd := func(v float64) *float64 { return &v }
	used := func(input, read, write, output, reasoning int64) runners.Usage {
		return runners.Usage{Input: n(input), CacheRead: n(read), CacheWrite: n(write), Output: n(output), Reasoning: n(reasoning)}
	}
	both := used(203, 8103, 2203, 63, 100)
	reported := both
	reported.USD, reported.Source = usd(0.5), runners.CostAgent
	own := map[string]config.Price{
		"mine":              {Input: usd(1), Output: usd(2)},
		"codex:gpt-5-codex": {Output: usd(20)},
		"claude-opus-4-8":   {Input: usd(10)},
		"half":              {Input: usd(1)},
	}
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		agent  string
		own    map[string]config.Price
		o      runners.Outcome
		want   float64 // -1: unknown
		source runners.CostSource
	}{
		"the agent's word counts": {"codex", own, runners.Outcome{Model: "mine", Usage: reported}, 0.5, runners.CostAgent},
		// 203×5 + 8103×0.5 + 2203×6.25 + 163×25 = 22910.25
		"claude":         {"claude", nil, runners.Outcome{Model: "claude-opus-4-8[1m]", Usage: both}, 0.02291025, runners.CostTable},
		"codex, asked":   {"codex", nil, runners.Outcome{Model: "gpt-5-codex", Usage: both}, 0.005650375, runners.CostTable},
		"codex, unasked": {"codex", nil, runners.Outcome{Usage: both}, -1, ""},
		"no such model":  {"codex", nil, runners.Outcome{Model: "gpt-nought", Usage: both}, -1, ""},
		"no tokens told": {"codex", nil, runners.Outcome{Model: "gpt-5-codex"}, -1, ""},
		"opencode":       {"opencode", nil, runners.Outcome{Model: "anthropic/claude-opus-4-8", Usage: both}, 0.02291025, runners.CostTable},
		// (203 + 8103 + 2203)×1 + 163×2
		"an own price": {"codex", own, runners.Outcome{Model: "mine", Usage: both}, 0.010835, runners.CostTable},
		// The output costs 20 instead of 10: 163×10 more.
		"one own figure":  {"codex", own, runners.Outcome{Model: "gpt-5-codex", Usage: both}, 0.007280375, runners.CostTable},
		"half a price":    {"codex", own, runners.Outcome{Model: "half", Usage: both}, -1, ""},
		"with its suffix": {"claude", own, runners.Outcome{Model: "claude-opus-4-8[1m]", Usage: both}, 0.02392525, runners.CostTable},
		"two models": {"copilot", nil, runners.Outcome{Model: "gpt-5.4", Usage: used(2000, 0, 0, 0, 0), Parts: []runners.Part{
			// 1000×2.5 + 1000×5
			{Model: "gpt-5.4", Usage: used(1000, 0, 0, 0, 0)}, {Model: "claude-opus-4.8", Usage: used(1000, 0, 0, 0, 0)},
		}}, 0.0075, runners.CostTable},
		"one of them unknown": {"copilot", nil, runners.Outcome{Model: "gpt-5.4", Usage: used(2000, 0, 0, 0, 0), Parts: []runners.Part{
			{Model: "gpt-5.4", Usage: used(1000, 0, 0, 0, 0)}, {Model: "nought", Usage: used(1000, 0, 0, 0, 0)},
		}}, -1, ""},
		"whose share is whose": {"copilot", nil, runners.Outcome{Model: "gpt-5.4", Usage: used(2000, 0, 0, 0, 0), Parts: []runners.Part{
			{Usage: used(2000, 0, 0, 0, 0)},
		}}, -1, ""},
		// 300 000×2.5 (long: each token) + 100 000×1.25
		"a long request": {"opencode", nil, runners.Outcome{Model: "google/gemini-2.5-pro", Usage: used(400_000, 0, 0, 0, 0), Parts: []runners.Part{
			{Model: "google/gemini-2.5-pro", Request: true, Usage: used(300_000, 0, 0, 0, 0)},
			{Model: "google/gemini-2.5-pro", Request: true, Usage: used(100_000, 0, 0, 0, 0)},
		}}, 0.875, runners.CostTable},
	} {
		p, err := newPricer(c.own)
		if err != nil {
			t.Fatal(err)
		}
		got := p.priced(c.agent, at, c.o)
		switch {
		case got.USD == nil && c.want < 0:
		case got.USD == nil || *got.USD != c.want || got.Source != c.source:
			t.Errorf("%s: %v %q, want %v %q", name, got.USD, got.Source, c.want, c.source)
		}
	}
}

// An action reads the outcomes of the look that it was started on while the next look is priced: none of them changes.
func TestPricingChangesNoEarlierLook(t *testing.T) {
	t.Parallel()
	one := int64(1)
	ended := &runners.Outcome{Model: "gpt-5-codex", Usage: runners.Usage{Input: &one, Output: &one}}
	prices, err := newPricer(nil)
	if err != nil {
		t.Fatal(err)
	}
	look := map[plans.Key][]runInfo{"0001-one": {{spec: runners.Spec{Agent: runners.Agent{Name: "codex"}}, outcome: ended}}}
	prices.price(look)
	if got := look["0001-one"][0].outcome; got.Usage.USD == nil || ended.Usage.USD != nil {
		t.Errorf("the look has %v, the one before %v", got.Usage.USD, ended.Usage.USD)
	}
}
