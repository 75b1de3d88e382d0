package usage

import "math"

// Tokens are what a request or a run used, in five buckets that do not overlap. Nil is not told apart: those tokens are in
// Input (of the caches) or in Output (of the reasoning).
type Tokens struct {
	Input, CacheRead, CacheWrite, Output, Reasoning *int64
}

// Price is what a model costs.
type Price struct {
	rates Rates
	tiers []tier
}

// Over returns the price with the figures that own has in the place of its own, for requests of every length.
func (p Price) Over(own Rates) Price {
	out := Price{rates: own.over(p.rates)}
	for _, t := range p.tiers {
		out.tiers = append(out.tiers, tier{Over: t.Over, Rates: own.over(t.Rates)})
	}
	return out
}

// Of is what tokens cost in USD; false where that is not known: input or output were not counted, or one of them has no
// price. request is true for the tokens of one request, whose length decides between the tiers of a price; the tokens of a
// whole run tell nothing of how long each request was, so that they are taken for many short ones.
func (p Price) Of(t Tokens, request bool) (float64, bool) {
	if t.Input == nil || t.Output == nil {
		return 0, false
	}
	rates := p.rates
	if request {
		read := *t.Input + count(t.CacheRead) + count(t.CacheWrite)
		for _, tier := range p.tiers {
			if read > tier.Over {
				rates = tier.Rates.over(p.rates)
			}
		}
	}
	sum := 0.0
	for _, part := range []struct {
		tokens *int64
		// rate is the bucket's own, else that of what it is a part of: no cache to pay for is an ordinary input.
		rate, whole *float64
	}{
		{t.Input, rates.Input, nil},
		{t.CacheRead, rates.CacheRead, rates.Input},
		{t.CacheWrite, rates.CacheWrite, rates.Input},
		{t.Output, rates.Output, nil},
		{t.Reasoning, rates.Reasoning, rates.Output},
	} {
		n := count(part.tokens)
		if n == 0 {
			continue
		}
		rate := part.rate
		if rate == nil {
			rate = part.whole
		}
		if rate == nil {
			return 0, false
		}
		sum += float64(n) * *rate / 1e6
	}
	return Round(sum), true
}

// Round rounds US dollars to a billionth: what is below it is nobody's, and came of the arithmetic.
func Round(usd float64) float64 { return math.Round(usd*1e9) / 1e9 }

func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
