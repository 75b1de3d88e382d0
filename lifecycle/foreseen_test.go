package lifecycle

import (
	"fmt"
	"testing"

	"tendril/plans"
)

func TestPairsOf(t *testing.T) {
	t.Parallel()
	at := func(key, head, base, from, ref string) openBranch {
		return openBranch{key: plans.Key(key), head: head, base: base, from: from, branch: ref}
	}
	var got []string
	for _, p := range pairsOf([]openBranch{
		at("1-a", "h1", "b1", "b1", "main"), at("2-b", "h2", "b1", "b0", "main"), at("3-c", "b1", "b1", "b1", "main"),
		at("4-d", "h4", "r1", "r1", "release"), at("5-e", "h5", "", "b0", "gone"),
	}) {
		got = append(got, p.id())
	}
	// A branch without work is in no pair, nor are two that go into different bases.
	if want := "[h1 h2 h2 b1]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestTheOrderOfAccepting(t *testing.T) {
	t.Parallel()
	f := foreseen{clashes: map[plans.Key][]Clash{}}
	for _, p := range [][2]string{{"0001-a", "0002-b"}, {"0001-a", "0003-c"}} {
		f.clashes[plans.Key(p[0])] = append(f.clashes[plans.Key(p[0])], Clash{With: p[1]})
		f.clashes[plans.Key(p[1])] = append(f.clashes[plans.Key(p[1])], Clash{With: p[0]})
	}
	f.setOrder([]openBranch{
		{key: "0001-a", status: plans.InReview},
		{key: "0002-b", status: plans.InReview},
		{key: "0003-c", status: plans.Accepted},
		{key: "0004-d", status: plans.Executing},
	})
	if got := fmt.Sprint(joinNotes(f)); got != "[accepted in this order, the fewest conflict: 0002-b, 0003-c; then, to be mended: 0001-a]" {
		t.Error(got)
	}
	if words := (Clash{With: "main", Paths: []string{"a", "b", "c", "d"}}).Words(); words != "conflicts with main in a, b, c and 1 more" {
		t.Error(words)
	}
}

func TestScopeOverlaps(t *testing.T) {
	t.Parallel()
	one := func(key string, status plans.Status, scope ...string) decided {
		return decided{entry: &plans.Entry{Key: plans.Key(key), Plan: &plans.Plan{Scope: scope}}, facts: Facts{Status: status}}
	}
	got := scopeOverlaps([]decided{
		one("1-a", plans.Draft, "src/**"), one("2-b", plans.Executing, "src/x/**"), one("3-c", plans.Approved, "docs/**"), one("4-d", plans.Draft),
		one("5-e", plans.Draft, "src/**"), one("6-f", plans.Merged, "src/**"),
	})
	if want := "map[1-a:[2-b] 5-e:[2-b]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
