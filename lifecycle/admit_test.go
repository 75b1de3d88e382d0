package lifecycle

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/plans"
)

func want(key plans.Key) Contender { return Contender{Key: key, Status: plans.Approved, Starts: true} }

func TestAdmit(t *testing.T) {
	t.Parallel()
	prio := want("0009-urgent")
	prio.Priority = 5
	busy := Contender{Key: "0001-a", Status: plans.Executing, Agent: "claude", Scope: []string{"src/**"}}
	sameAgent, sameScope, otherScope := want("0002-b"), want("0003-c"), want("0004-d")
	sameAgent.Agent = "claude"
	sameScope.Scope = []string{"src/x.go"}
	otherScope.Scope = []string{"docs/**"}
	dependent := want("0005-e")
	dependent.DependsOn = []plans.Key{"0001-a"}
	free := want("0005-e")
	free.DependsOn = []plans.Key{"0006-f"}
	changes := Contender{Key: "0007-g", Status: plans.ChangesRequested, Starts: true}
	review := func(k plans.Key) Contender { return Contender{Key: k, Status: plans.InReview} }
	tests := []struct {
		name   string
		all    []Contender
		limits Limits
		waits  []plans.Key
	}{
		{"nothing in the way", []Contender{want("0001-a"), want("0002-b")}, Limits{}, nil},
		{"parallel holds the later number", []Contender{want("0002-b"), want("0001-a")}, Limits{Parallel: 1}, []plans.Key{"0002-b"}},
		{"priority goes before number", []Contender{want("0001-a"), prio}, Limits{Parallel: 1}, []plans.Key{"0001-a"}},
		{"what is at work takes a place", []Contender{busy, want("0002-b")}, Limits{Parallel: 1}, []plans.Key{"0002-b"}},
		{"verifying takes a place", []Contender{{Key: "0001-a", Status: plans.Verifying}, want("0002-b")}, Limits{Parallel: 1}, []plans.Key{"0002-b"}},
		{"an agent's own limit", []Contender{busy, sameAgent, sameScope}, Limits{Agents: map[string]int{"claude": 1}}, []plans.Key{"0002-b", "0003-c"}},
		{"scopes that overlap", []Contender{busy, sameScope, otherScope}, Limits{}, []plans.Key{"0003-c"}},
		{"a plan without scope is not held back", []Contender{busy, want("0002-b")}, Limits{}, nil},
		{"a dependency that is not merged", []Contender{busy, dependent}, Limits{}, []plans.Key{"0005-e"}},
		{"a dependency that is merged", []Contender{{Key: "0006-f", Status: plans.Merged}, free}, Limits{}, nil},
		{"reviews hold new plans", []Contender{review("0001-a"), review("0002-b"), want("0003-c")}, Limits{Review: 2}, []plans.Key{"0003-c"}},
		{"reviews do not hold a round of changes", []Contender{review("0001-a"), review("0002-b"), changes}, Limits{Review: 2}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := slices.Sorted(maps.Keys(Admit(tt.all, tt.limits)))
			if diff := cmp.Diff(tt.waits, got); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindCycle(t *testing.T) {
	t.Parallel()
	graph := map[plans.Key][]plans.Key{"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"e"}, "f": {"g"}, "g": nil}
	deps := func(k plans.Key) []plans.Key { return graph[k] }
	tests := map[plans.Key][]plans.Key{
		"a": {"a", "b", "c", "a"}, "b": {"b", "c", "a", "b"}, "d": nil, "e": {"e", "e"}, "f": nil,
	}
	for key, want := range tests {
		if diff := cmp.Diff(want, FindCycle(key, deps)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
