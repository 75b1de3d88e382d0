package lifecycle

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// Whatever is wrong, something can be done about it: an error's second line, what git's words call for, or what is usual there.
func TestEachFindingHasItsMend(t *testing.T) {
	t.Parallel()
	for name, usual := range usualMends() {
		got := mended([]Finding{bad(name, errors.New("broken")), bad(name, errors.New("broken\n  do this")), {Name: name, State: Good}})
		if got[0].Mend != usual || got[1].Mend != "do this" || got[2].Mend != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := mended([]Finding{{Name: "new", State: Note}}); got[0].Mend == "" {
		t.Error("a finding that nothing is known of has no mend")
	}
}

// Faults of every kind that can be made in a repository: each is named, with its mend.
func TestExamineNamesFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(r *testkit.Repository)
		want string
	}{
		"no commit":            {func(r *testkit.Repository) { r.Git("update-ref", "-d", "HEAD") }, "plans branch"},
		"a branch that is not": {func(r *testkit.Repository) { r.Write(".git/tendril/config.yaml", "branch: none\n") }, "plans branch"},
		"no YAML":              {func(r *testkit.Repository) { r.Write(".tendril/config.yaml", "a: [\n"); r.Commit("x") }, "plans branch"},
		"an unknown key":       {func(r *testkit.Repository) { r.Write(".tendril/config.yaml", "agnet: x\n"); r.Commit("x") }, "configuration"},
		"no such remote":       {func(r *testkit.Repository) { r.Write(".tendril/config.yaml", "sync: gone\n"); r.Commit("x") }, ""},
		"no such agent":        {func(r *testkit.Repository) { r.Write(".tendril/config.yaml", "agent: bogus\n"); r.Commit("x") }, "agent"},
		"a lock":               {func(r *testkit.Repository) { r.Write(".git/index.lock", "") }, "locks"},
		"the prefix is taken":  {func(r *testkit.Repository) { r.Git("branch", "tendril") }, "branch names"},
		"a cut-off step":       {func(r *testkit.Repository) { r.Write(".git/tendril/step.json", "{}") }, "runtime folder"},
		"a cut-off move":       {func(r *testkit.Repository) { r.Write(".git/tendril/move-plans.json", "{}") }, "runtime folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testkit.Repo(t)
			c.make(r)
			repo, err := git.Open(t.Context(), r.Dir)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range Examine(t.Context(), repo, time.Now) {
				found = found || f.State != Good && (f.Name == c.want || c.want == "")
				if f.State != Good && (f.Mend == "" || f.Found == "" || strings.Contains(f.Found, "\n")) {
					t.Errorf("%+v", f)
				}
			}
			if !found {
				t.Errorf("nothing is said under %q: %+v", c.want, Examine(t.Context(), repo, time.Now))
			}
		})
	}
}
