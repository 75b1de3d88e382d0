package usage

import (
	"testing"
	"time"
)

func tokens(input, read, write, output, reasoning int64) Tokens {
	known := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	return Tokens{known(input), known(read), known(write), known(output), known(reasoning)}
}

// Worked out by hand: tokens of each bucket times what a million of them cost.
func TestWhatModelsCost(t *testing.T) {
	t.Parallel()
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	// The scripted server's two calls, and the first alone.
	both, first := tokens(203, 8103, 2203, 63, 100), tokens(101, 3001, 2001, 41, 70)
	const today, never = "2026-11-30T12:00:00Z", -1.0
	for name, c := range map[string]struct {
		sold, model, at string
		used            Tokens
		request         bool
		want            float64
	}{
		// 203×5 + 8103×0.5 + 2203×6.25 + 63×25 = 20410.25; Claude Code itself says the same.
		"claude, two calls":         {"anthropic", "claude-opus-4-8", today, tokens(203, 8103, 2203, 63, -1), false, 0.02041025},
		"the longer context":        {"anthropic", "claude-opus-4-8[1m]", today, tokens(203, 8103, 2203, 63, -1), false, 0.02041025},
		"a dated name":              {"anthropic", "claude-opus-4-8-20260615", today, tokens(203, 8103, 2203, 63, -1), false, 0.02041025},
		"claude, one call":          {"anthropic", "claude-opus-4-8", today, tokens(101, 3001, 2001, 41, -1), false, 0.01553675},
		"the model names its maker": {"", "claude-opus-4-8", today, tokens(203, 8103, 2203, 63, -1), false, 0.02041025},
		"provider and model":        {"", "anthropic/claude-opus-4-8", today, tokens(203, 8103, 2203, 63, -1), false, 0.02041025},
		// 203×1.25 + 8103×0.125 + 2203×1.25 (a written cache costs an input) + 163×10 (reasoning is output) = 5650.375
		"codex, two calls": {"openai", "gpt-5-codex", today, both, false, 0.005650375},
		// 101×1.25 + 3001×0.125 + 2001×1.25 + 111×10 = 4112.625
		"codex, one call": {"openai", "gpt-5-codex", today, first, false, 0.004112625},
		// 2406×1.25 + 8103×0.125 + 163×10 = 5650.375
		"gemini": {"google", "gemini-2.5-pro", today, tokens(2406, 8103, -1, 63, 100), false, 0.005650375},
		// 2406×1.25 + 8103×0.125 + 163×10, and speech is another model.
		"not the one that speaks": {"google", "gemini-2.5-pro-preview-05-06", today, tokens(2406, 8103, -1, 63, 100), false, 0.005650375},
		// o3 cost 10 and 40 until 2025-06-09, 2 and 8 since.
		"the day before": {"openai", "o3", "2025-06-09T23:59:59Z", tokens(1000, 0, 0, 1000, 0), false, 0.05},
		"the day":        {"openai", "o3", "2025-06-10T00:00:00Z", tokens(1000, 0, 0, 1000, 0), false, 0.01},
		// By day deepseek-chat costs 0.27 and 1.1, by night the half.
		"by day":   {"deepseek", "deepseek-chat", "2025-05-01T12:00:00Z", tokens(1e6, 0, 0, 1e6, 0), false, 1.37},
		"by night": {"deepseek", "deepseek-chat", "2025-05-01T18:00:00Z", tokens(1e6, 0, 0, 1e6, 0), false, 0.685},
		// gemini-2.5-pro: a request that reads more than 200 000 tokens costs 2.5, 0.25 and 15 instead of 1.25, 0.125 and 10.
		"a short request": {"google", "gemini-2.5-pro", today, tokens(100_000, 100_000, -1, 1000, -1), true, 0.1475},
		"a long request":  {"google", "gemini-2.5-pro", today, tokens(100_001, 100_000, -1, 1000, -1), true, 0.2900025},
		"a long run":      {"google", "gemini-2.5-pro", today, tokens(1_000_000, 0, -1, 1000, -1), false, 1.26},
		"no such model":   {"openai", "gpt-unheard-of", today, both, false, never},
		"no model named":  {"openai", "", today, both, false, never},
		"an alias":        {"anthropic", "opus", today, both, false, never},
		"nobody's model":  {"", "my-own-model", today, both, false, never},
		"input not known": {"openai", "gpt-5-codex", today, tokens(-1, 1, 1, 1, 1), false, never},
		"nothing told":    {"openai", "gpt-5-codex", today, Tokens{}, false, never},
		"nothing used":    {"openai", "gpt-5-codex", today, tokens(0, 0, 0, 0, 0), false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			got := never
			if price, ok := table.Find(c.sold, c.model, at); ok {
				if usd, known := price.Of(c.used, c.request); known {
					got = usd
				}
			}
			if got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestOwnPrices(t *testing.T) {
	t.Parallel()
	half, two := 0.5, 2.0
	unpriced := Price{}
	if usd, known := unpriced.Over(Rates{Input: &two}).Of(tokens(10, 0, 0, 10, 0), false); known {
		t.Errorf("no price for output, and it costs %v", usd)
	}
	own := unpriced.Over(Rates{Input: &two, Output: &half})
	// 1000×2 + 1000×2 (a cache without a price) + 1000×0.5
	if usd, known := own.Of(tokens(1000, 1000, 0, 1000, -1), false); !known || usd != 0.0045 {
		t.Errorf("%v, %v", usd, known)
	}
	// One figure of the table is another's; the others stay, in every tier.
	ten := 10.0
	p := Price{rates: Rates{Input: &two, Output: &two}, tiers: []tier{{Over: 100, Rates: Rates{Input: &ten, Output: &ten}}}}
	if usd, known := p.Over(Rates{Output: &half}).Of(tokens(1000, 0, 0, 1000, 0), true); !known || usd != 0.0105 {
		t.Errorf("%v, %v", usd, known)
	}
}
