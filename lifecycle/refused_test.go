package lifecycle

import (
	"strings"
	"testing"

	"tendril/plans"
	"tendril/runners"
)

func TestRefusedWords(t *testing.T) {
	t.Parallel()
	for want, denied := range map[string][]string{
		"":                                    nil,
		"; it was refused Write":              {"Write"},
		"; it was refused a, b, c":            {"a", "b", "c"},
		"; it was refused a, b, c and 2 more": {"a", "b", "c", "d", "e"},
		"; it was refused one; two":           {"one\n two"},
		"; it was refused " + strings.Repeat("ü", 59) + "…": {strings.Repeat("ü", 200)},
	} {
		if got := refusedWords(denied); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A plan that fails since its agent could do nothing says what it was refused.
func TestAFailedPlanSaysWhatWasRefused(t *testing.T) {
	t.Parallel()
	run := func(round int, result runners.Result, denied ...string) runInfo {
		return runInfo{spec: runners.Spec{Round: round}, outcome: &runners.Outcome{Result: result, Denied: denied}}
	}
	runs := []runInfo{run(1, runners.OK, "Bash"), run(2, runners.OK, "Write"), run(2, runners.Lost), {spec: runners.Spec{Round: 2}}}
	for _, c := range []struct {
		round  int
		reason plans.Reason
		want   string
	}{
		{1, plans.NoChanges, "; it was refused Bash"},
		{2, plans.Checks, "; it was refused Write"},
		{2, plans.Budget, ""},
		{3, plans.NoChanges, ""},
	} {
		w := work{snap: &snapshot{}, rec: &plans.Record{Round: c.round}}
		w.one.entry = &plans.Entry{Key: "0001-a"}
		w.snap.runs = map[plans.Key][]runInfo{"0001-a": runs}
		if got := w.refusals(c.reason); got != c.want {
			t.Errorf("round %d, %s: %q, want %q", c.round, c.reason, got, c.want)
		}
	}
}
