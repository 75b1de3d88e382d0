package verify

import (
	"fmt"
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
	"tendril/worktree"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	p, s, f := Check{Parallel: true}, Check{}, Check{Fix: true}
	for want, checks := range map[string][]Check{
		"[]":                {f},
		"[[0] [1] [2]]":     {s, p, s},
		"[[0 1] [2] [3 4]]": {p, p, s, p, p},
		"[[0 2]]":           {p, f, p},
	} {
		if got := fmt.Sprint(groups(checks)); got != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

func TestLeaveOut(t *testing.T) {
	t.Parallel()
	r := &run{Input: Input{Plan: &plans.Plan{Skip: map[string]string{"b": "no time"}}}}
	for _, c := range []struct {
		check Check
		files []worktree.FileStat
		want  string
	}{
		{Check{Name: "a"}, nil, ""},
		{Check{Name: "b"}, nil, "no time"},
		{Check{Name: "a", When: []string{"src/**"}}, []worktree.FileStat{{Path: "src/x/y.go"}}, ""},
		{Check{Name: "a", When: []string{"src/**"}}, []worktree.FileStat{{Path: "docs/x", Old: "src/x"}}, ""},
		{Check{Name: "a", When: []string{"src/**", "!*.md"}}, []worktree.FileStat{{Path: "src/x.md"}}, "nothing changed of what it looks at (src/**, !*.md)"},
	} {
		tl := &tally{run: r, diff: &worktree.DiffResult{Files: c.files}}
		if got, err := tl.leaveOut(c.check); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c.check, got, err)
		}
	}
}

// One bed for what needs processes: checks beside each other, in a folder, with a variable, after a cleaning, with a report,
// and one that fails once.
func TestChecksInFull(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("sub/x.txt", "x")
	b.write("ignored/build/old", "x")
	b.write("ignored/keep", "x")
	b.in.Private = []string{"ignored/keep"}
	b.in.Checks = []Check{
		// Each waits for the other, and the first that ends must not end the second.
		{Name: "left", Run: "cd ..; touch $HERE/ignored/left; until [ -e $HERE/ignored/right ]; do sleep 0.05; done", Required: true, Parallel: true, Dir: "sub", Env: []string{"HERE=" + b.ws.Path}},
		{Name: "right", Run: "touch ignored/right; until [ -e ignored/left ]; do sleep 0.05; done; sleep 0.3", Required: true, Parallel: true},
		{Name: "where", Run: "test -e x.txt; test ! -e ../ignored/build; test -e ../ignored/keep", Required: true, Dir: "sub", Clean: []string{"/ignored"}},
		{Name: "nowhere", Run: "true", Dir: "missing"},
		{Name: "flaky", Run: "echo try; test -e ignored/again || { touch ignored/again; echo broken; exit 3; }", Required: true, Flaky: 2},
		{Name: "hopeless", Run: "exit 4", Flaky: 1},
		{Name: "reported", Run: `mkdir -p ignored/r; echo '<testsuite><testcase name="adds" file="a.go" line="3"><failure message="got 1"/></testcase></testsuite>' >ignored/r/a.xml`, Report: "ignored/r/*.xml"},
		{Name: "unreported", Run: "true", Report: "ignored/none/*.xml"},
		{Name: "output", Run: `echo '{"Action":"pass","Package":"p","Test":"T"}'`, Required: true, Report: "-"},
		{Name: "elsewhere", Run: "false", Required: true, When: []string{"nothing/**"}},
	}
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	if got := strings.TrimPrefix(brief(res), "changes passed, scope passed, conflict-markers passed, secrets passed, "); !strings.HasSuffix(got,
		"left passed, right passed, where passed, nowhere failed, flaky flaky, hopeless failed, reported failed, unreported failed, output passed, elsewhere skipped") {
		t.Error(got)
	}
	for name, want := range map[string]string{
		"nowhere": "its folder missing is not in the work", "hopeless": "it failed 2 times in a row, the last time: exit code 4",
		"flaky":      "it failed once and then passed on the same commit; this is how it failed at first (exit code 3)\n\ntry\nbroken",
		"reported":   "it exited with 0, and its report names failed tests: 1",
		"unreported": "it wrote no report ignored/none/*.xml",
	} {
		if got := of(t, res, name).Tail; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if c := of(t, res, "reported"); c.FailedCases != 1 || c.Cases[0].Where() != "a.go:3" {
		t.Errorf("%+v", c)
	}
	if testkit.Read(t, b.logs, "05-flaky.again-1.log") != "try\n" {
		t.Error("the second run has no log of its own")
	}
}
