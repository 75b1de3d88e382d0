package runners

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPartsOfARun(t *testing.T) {
	t.Parallel()
	one, two := tokens(10, 100, 5, 7, 3), tokens(20, 200, 6, 8, 4)
	big, small := usageEvent("big", one), usageEvent("small", two)
	big.Model, small.Model = "big", "small"
	first, second := usageEvent("m1", one), usageEvent("m2", two)
	thread := usageEvent("thread", two)
	less := one
	less.CacheWrite = count(7) // more than the session says now
	for name, c := range map[string]struct {
		mode    string
		resumed bool
		before  *Usage
		events  []Event
		want    []Part
	}{
		"by model":                     {UsageTotal, false, nil, []Event{big, small}, []Part{{Model: "big", Usage: one}, {Model: "small", Usage: two}}},
		"by message, each once":        {UsagePerMessage, false, nil, []Event{first, first, second}, []Part{{Model: "asked", Request: true, Usage: one}, {Model: "asked", Request: true, Usage: two}}},
		"a session's first run":        {UsageCumulative, false, nil, []Event{thread}, []Part{{Model: "asked", Usage: two}}},
		"a session's second run":       {UsageCumulative, true, &one, []Event{thread}, []Part{{Model: "asked", Usage: tokens(10, 100, 1, 1, 1)}}},
		"whose share is whose":         {UsageCumulative, true, &one, []Event{big, small}, []Part{{Usage: tokens(20, 200, 6, 8, 4)}}},
		"before is not known":          {UsageCumulative, true, nil, []Event{thread}, []Part{{Model: "asked"}}},
		"the session's figures shrank": {UsageCumulative, true, &less, []Event{thread}, []Part{{Model: "asked"}}},
		"nothing told":                 {UsageTotal, false, nil, nil, nil},
		"no model asked":               {UsageNone, false, nil, []Event{big}, nil},
	} {
		counted := newUsageCount(c.mode)
		for _, ev := range c.events {
			counted.add(ev)
		}
		if diff := cmp.Diff(c.want, counted.parts(c.resumed, c.before, "asked")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// An outcome keeps what decides on a price: the models, and the requests that are long enough to cost more.
func TestPartsThatAreKept(t *testing.T) {
	t.Parallel()
	short, long := tokens(10_000, 10_000, 10_000, 5, 0), tokens(10_000, 190_001, 0, 5, 0)
	part := func(model string, request bool, u Usage) Part { return Part{Model: model, Request: request, Usage: u} }
	for name, c := range map[string]struct{ in, want []Part }{
		"nothing":        {nil, nil},
		"one sum":        {[]Part{part("m", false, long)}, nil},
		"short requests": {[]Part{part("m", true, short), part("m", true, short)}, nil},
		"a long one":     {[]Part{part("m", true, long)}, []Part{part("m", true, long)}},
		"nobody's share": {[]Part{part("", false, short)}, []Part{part("", false, short)}},
		"not all there":  {[]Part{part("m", false, Usage{})}, []Part{part("m", false, Usage{})}},
		"two models":     {[]Part{part("m", false, short), part("n", false, long)}, []Part{part("m", false, short), part("n", false, long)}},
		"long among short": {
			[]Part{part("m", true, short), part("m", true, long), part("m", true, short)},
			[]Part{part("m", false, tokens(20_000, 20_000, 20_000, 10, 0)), part("m", true, long)},
		},
	} {
		if diff := cmp.Diff(c.want, kept(c.in, "m")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}
