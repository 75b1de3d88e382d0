//go:build linux

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

// The plans of several clones go to a branch of their own and back: both branches of the remote move at once, a process that
// dies behind that is made up for by the next call, no clone goes on where the plans were, and each approval starts one
// execution.
func TestClonesMovePlans(t *testing.T) {
	t.Parallel()
	all := newClones(t, "take: all\n", "ann", "bob")
	ann, bob := all[0], all[1]
	bob.git("pull", "--quiet")
	ann.plan("One", "greeting.txt")

	if out, err := ann.with("TENDRIL_CRASH_AT", "lifecycle.moved-plans").tendril("init", "--move-plans"); err == nil {
		t.Fatalf("ann's init lives:\n%s", out)
	}
	if got := ann.must("doctor"); !strings.Contains(got, "a move of the plans to another branch was cut off") {
		t.Errorf("doctor does not tell of the move:\n%s", got)
	}
	// bob is behind: what he knows is where the plans were, and the next look is told where they are.
	_, _ = bob.tendril("run", "--once", "--trust")
	if out, err := bob.tendril("run", "--once", "--trust"); err == nil || ann.starts("greeting.txt") != 0 {
		t.Errorf("bob goes on where the plans were: %v, %d starts\n%s", err, ann.starts("greeting.txt"), out)
	}
	if out := ann.must("init", "--move-plans"); !strings.Contains(out, "finished what was begun\n1 plan: from main to tendril/plans") {
		t.Errorf("init: %s", out)
	}
	bob.git("fetch", "--quiet")
	bob.must("init")
	ann.runsTo("tendril/plans", "in-review", bob, ann)

	if out := bob.must("init", "--move-plans"); !strings.Contains(out, "1 plan: from tendril/plans to main") {
		t.Errorf("init: %s", out)
	}
	if got, err := testkit.TryGit(t, ann.origin, nil, "show-ref", "--verify", "refs/heads/tendril/plans"); err == nil {
		t.Errorf("the remote still has %s", got)
	}
	if out, err := ann.tendril("run", "--once", "--trust"); err == nil {
		t.Errorf("ann goes on where the plans were:\n%s", out)
	}
	ann.git("fetch", "--quiet", "--prune")
	ann.git("pull", "--quiet", "--ff-only")
	if out := ann.must("status"); !strings.Contains(out, "0001-one") {
		t.Errorf("ann does not see the plan:\n%s", out)
	}
	bob.must("accept", "1", "--quiet")
	ann.runsTo("main", "merged", bob, ann)
	if n := ann.starts("greeting.txt"); n != 1 {
		t.Errorf("%d starts", n)
	}
	if out := bob.must("show", "1"); !strings.Contains(out, "ann <ann@example.com>") || !strings.Contains(out, "bob <bob@example.com>") {
		t.Errorf("the chain is torn:\n%s", out)
	}
}

// runsTo runs engines in turn until the first plan has the status on a branch of the remote.
func (c *clone) runsTo(branch, status string, clones ...*clone) {
	c.t.Helper()
	var last string
	for range 4 {
		for _, other := range clones {
			out, err := other.tendril("run", "--once", "--trust")
			last += fmt.Sprintf("%s (%v):\n%s", other.name, err, out)
			text, err := testkit.TryGit(c.t, c.origin, nil, "cat-file", "blob", branch+":plans/0001-one/plan.md")
			if err == nil && strings.Contains(text, "status: "+status) {
				return
			}
		}
	}
	c.t.Fatalf("not %s on %s:\n%s", status, branch, last)
}

// A move that dies in one clone alone is finished by the next call too, whichever way it goes; what a machine's own file says
// of the branch goes along.
func TestMovePlansCutOff(t *testing.T) {
	t.Parallel()
	c := &clone{t: t, name: "one", dir: filepath.Join(testkit.TempDir(t), "one")}
	c.env = testkit.Setenv(testkit.Env(t), scriptVariable, fmt.Sprint(os.Getpid()))
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.git("init", "--quiet", "--initial-branch=odd")
	testkit.Write(t, c.dir, "code.txt", "code\n")
	c.commit("first")
	c.must("init", "--agent", "script", "--quiet")
	c.must("new", "One", "--quiet")
	c.must("approve", "1", "--quiet")
	before := c.must("list")
	for _, to := range []string{"tendril/plans", "odd"} {
		if out, err := c.with("TENDRIL_CRASH_AT", "lifecycle.moved-plans").tendril("init", "--move-plans"); err == nil {
			t.Fatalf("init lives:\n%s", out)
		}
		if out := c.must("init", "--move-plans"); !strings.Contains(out, "finished what was begun\n1 plan: ") || !strings.Contains(out, " to "+to+" ") {
			t.Errorf("init: %s", out)
		}
		if got := c.must("list"); got != before {
			t.Errorf("on %s:\n%s\nbefore:\n%s", to, got, before)
		}
		if got := testkit.Read(t, c.dir, ".git/tendril/config.yaml"); !strings.Contains(got, "\nbranch: "+to+"\n") {
			t.Errorf("the machine's file: %s", got)
		}
		if got := c.git("status", "--porcelain"); got != "" {
			t.Errorf("status: %s", got)
		}
	}
	if got := c.git("for-each-ref", "--format=%(refname)", "refs/heads"); got != "refs/heads/odd" {
		t.Errorf("branches: %s", got)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(c.dir), "one.worktrees", "plans")); err == nil {
		t.Error("the checkout of the plans is still there")
	}
}
