package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
)

func TestTryingLeavesEverythingAsItIs(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "grep -q half a.txt; touch made-by-check", "fails", "echo why; false")
	b.write("a.txt", "half done\n")
	b.write("new", "x")
	b.git("add", "new")
	b.in.Try = true
	head := b.repo.Head()
	before := testkit.Snapshot(t, b.ws.Path)
	res, err := Run(t.Context(), b.in)
	must(t, err)
	before.Unchanged(t, testkit.Snapshot(t, b.ws.Path).Without("file made-by-check", "status made-by-check"))
	wantResult(t, res, plans.ResultFailed)
	if res.Verification.Commit != "" || res.Head != head || res.NoChanges {
		t.Errorf("%+v", res)
	}
	if got := brief(res); got != "changes passed, scope passed, conflict-markers passed, secrets passed, test passed, fails failed" {
		t.Error(got)
	}
	if !strings.Contains(string(res.Feedback), "## fails: exit code 1\ncommand: echo why; false\nwhy\n") {
		t.Errorf("%s", res.Feedback)
	}
	// Trying proves nothing: what a check made then is committed like everything else.
	b.in.Try = false
	b.checks("test", "true")
	b.run()
	if got := b.git("diff", "--name-only", head, "HEAD"); got != "a.txt\nmade-by-check\nnew" {
		t.Error(got)
	}
}

func TestOnlyOneCheck(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("one", "touch ran-one", "two", "touch ran-two")
	b.in.Plan.Skip = map[string]string{"two": "never"}
	b.in.Only = "two"
	res, err := Run(t.Context(), b.in)
	must(t, err)
	if brief(res) != "two passed" {
		t.Error(brief(res))
	}
	if _, err := os.Lstat(filepath.Join(b.ws.Path, "ran-one")); err == nil {
		t.Error("the other ran, too")
	}
	b.in.Only = CheckScope
	b.in.Plan.Scope = []string{"src/"}
	if res, err = Run(t.Context(), b.in); err != nil || brief(res) != "scope failed" {
		t.Errorf("%s %v", brief(res), err)
	}
	b.in.Only = "three"
	if _, err := Run(t.Context(), b.in); err == nil || !strings.Contains(err.Error(), "changes, scope, conflict-markers, secrets, big-binaries, one, two") {
		t.Errorf("%v", err)
	}
}

// An agent in a sandbox may look at what is remembered of its worktree, and write none of it.
func TestTryingWhereNothingCanBeKept(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "echo tried; test -f new")
	b.write("new", "x")
	b.in.Try = true
	blocked := filepath.Join(t.TempDir(), "file")
	testkit.Write(t, filepath.Dir(blocked), "file", "x")
	b.in.LogDir = filepath.Join(blocked, "logs")
	res, err := Run(t.Context(), b.in)
	must(t, err)
	if got := of(t, res, "test"); got.Result != plans.ResultPassed || got.Tail != "tried\n" {
		t.Errorf("%+v", got)
	}
}
