package lifecycle

import (
	"testing"

	"tendril/internal/config"
	"tendril/plans"
)

// Who has a plan: the clone's id decides, since two clones on one machine have one name; a claim from before clones were told
// apart is that of the clone with that name where the work lies.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runner, clone string
		here          bool
		want          string
	}{
		"nobody":                    {"", "", false, ""},
		"ours":                      {"host", "me", false, ""},
		"ours under another name":   {"old-name", "me", false, ""},
		"the same name":             {"host", "other", true, "host"},
		"another":                   {"far", "other", false, "far"},
		"old, ours by name, here":   {"host", "", true, ""},
		"old, ours by name, absent": {"host", "", false, "host"},
		"old, another's":            {"far", "", true, "far"},
	} {
		got := elsewhere(&config.Config{Runner: "host"}, "me", &plans.Record{Runner: c.runner, Clone: c.clone}, c.here)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A plan that another clone has is left alone, but for what still works on it here.
func TestNextElsewhere(t *testing.T) {
	t.Parallel()
	for _, status := range plans.Statuses() {
		f := Facts{Status: status, Written: status, Elsewhere: "far", BranchMoved: true, Workspace: true, Max: 3, Run: RunFact{ID: "r"}}
		if got := Next(f); got.Kind != Rest {
			t.Errorf("%s: %v", status, got)
		}
		f.Run.Alive = true
		if got := Next(f); got.Kind != Halt {
			t.Errorf("%s with an agent at work: %v", status, got)
		}
	}
}

// A plan elsewhere takes no place here, but holds back what overlaps with it.
func TestAdmitBesideElsewhere(t *testing.T) {
	t.Parallel()
	far := Contender{Key: "0001-far", Status: plans.Executing, Elsewhere: true, Agent: "a", Scope: []string{"src/**"}}
	near := Contender{Key: "0002-near", Status: plans.Approved, Starts: true, Agent: "a", Scope: []string{"docs/**"}}
	same := Contender{Key: "0003-same", Status: plans.Approved, Starts: true, Agent: "b", Scope: []string{"src/x"}}
	waits := Admit([]Contender{far, near, same}, Limits{Parallel: 2, Agents: map[string]int{"a": 1}})
	if _, waiting := waits["0002-near"]; waiting {
		t.Errorf("0002 waits: %v", waits)
	}
	if _, waiting := waits["0003-same"]; !waiting {
		t.Error("0003 starts beside a plan whose scope it shares")
	}
}
