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
		"by message, each once":        {UsagePerMessage, false, nil, []Event{first, first, second}, []Part{{Request: true, Usage: one}, {Request: true, Usage: two}}},
		"a session's first run":        {UsageCumulative, false, nil, []Event{thread}, []Part{{Usage: two}}},
		"a session's second run":       {UsageCumulative, true, &one, []Event{thread}, []Part{{Usage: tokens(10, 100, 1, 1, 1)}}},
		"whose share is whose":         {UsageCumulative, true, &one, []Event{big, small}, nil},
		"before is not known":          {UsageCumulative, true, nil, []Event{thread}, nil},
		"the session's figures shrank": {UsageCumulative, true, &less, []Event{thread}, nil},
		"nothing told":                 {UsageTotal, false, nil, nil, nil},
		"no model asked":               {UsageNone, false, nil, []Event{big}, nil},
	} {
		counted := newUsageCount(c.mode)
		for _, ev := range c.events {
			counted.add(ev)
		}
		if diff := cmp.Diff(c.want, counted.parts(c.resumed, c.before)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}
