package runners

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func usageEvent(id string, u Usage) Event { return Event{Type: EventUsage, ID: id, Usage: u} }

func TestUsageIsCountedOnce(t *testing.T) {
	t.Parallel()
	one := tokens(1, 10, 100, 1000, 10000).costing(0.5)
	two := tokens(2, 20, 200, 2000, 20000).costing(0.25)
	sum := tokens(3, 30, 300, 3000, 30000).costing(0.75)
	noReasoning := tokens(2, 20, 200, 2000, -1)
	for _, c := range []struct {
		name   string
		mode   string
		events []Event
		want   Usage
	}{
		{"none at all is unknown", UsageTotal, nil, Usage{}},
		{"a script's is known", UsageNone, []Event{usageEvent("a", one)}, Usage{USD: dollars(0), Source: CostNone}},
		// Lesson 137: the same figures on each block of one message.
		{"the same message four times", UsagePerMessage, []Event{usageEvent("a", one), usageEvent("a", one), usageEvent("a", one), usageEvent("a", one)}, one},
		{"two messages", UsagePerMessage, []Event{usageEvent("a", one), usageEvent("b", two), usageEvent("a", one)}, sum},
		{"messages without an id add up", UsagePerMessage, []Event{usageEvent("", one), usageEvent("", two)}, sum},
		{"a later total takes the place of an earlier one", UsageTotal, []Event{usageEvent("", one), usageEvent("", two)}, two},
		{"a total by model", UsageTotal, []Event{usageEvent("opus", one), usageEvent("haiku", two)}, sum},
		{"a bucket that one part does not know is unknown", UsageTotal, []Event{usageEvent("a", one), usageEvent("b", noReasoning)}, tokens(3, 30, 300, 3000, -1)},
		// Lesson 141: a true zero is one.
		{"zero is known", UsageTotal, []Event{usageEvent("a", tokens(0, 0, 0, 0, 0).costing(0))}, tokens(0, 0, 0, 0, 0).costing(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := newUsageCount(c.mode)
			for _, ev := range c.events {
				n.add(ev)
			}
			got, session := n.spent(false, nil)
			if diff := cmp.Diff(c.want, got); diff != "" || session != nil {
				t.Errorf("(-want +got)\n%s session %v", diff, session)
			}
		})
	}
}

// An agent that counts over its whole session: over three runs every token counts once.
func TestUsageOfASession(t *testing.T) {
	t.Parallel()
	run := func(resumed bool, before *Usage, events ...Event) (Usage, *Usage) {
		n := newUsageCount(UsageCumulative)
		for _, ev := range events {
			n.add(ev)
		}
		return n.spent(resumed, before)
	}
	first, after := run(false, nil, usageEvent("t", tokens(10, 20, 30, 40, 50).costing(1)))
	if diff := cmp.Diff(tokens(10, 20, 30, 40, 50).costing(1), first); diff != "" {
		t.Errorf("first (-want +got)\n%s", diff)
	}
	// The second fails and says nothing: unknown, and what it used is in the third's figure.
	second, after := run(true, after)
	if diff := cmp.Diff(Usage{}, second); diff != "" {
		t.Errorf("second (-want +got)\n%s", diff)
	}
	third, after := run(true, after, usageEvent("t", tokens(15, 20, 33, 44, 55).costing(1.5)))
	if diff := cmp.Diff(tokens(5, 0, 3, 4, 5).costing(0.5), third); diff != "" {
		t.Errorf("third (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(tokens(15, 20, 33, 44, 55).costing(1.5), *after); diff != "" {
		t.Errorf("session (-want +got)\n%s", diff)
	}
	// Nobody knows what came before: the run is unknown, the session is known from now on.
	unknown, after := run(true, nil, usageEvent("t", tokens(9, 9, 9, 9, 9)))
	if diff := cmp.Diff(Usage{}, unknown); diff != "" || after == nil {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// A first run that failed before it said anything began at nothing.
	_, after = run(false, nil)
	next, _ := run(true, after, usageEvent("t", tokens(7, 0, 0, 1, 0)))
	if diff := cmp.Diff(tokens(7, 0, 0, 1, 0), next); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// A total that shrank is no total.
	odd, _ := run(true, &Usage{Input: count(100), Output: count(1)}, usageEvent("t", tokens(9, 9, 9, 9, 9)))
	if diff := cmp.Diff(Usage{Output: count(8)}, odd); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
