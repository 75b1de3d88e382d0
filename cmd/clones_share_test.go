//go:build linux

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tendril/internal/testkit"
)

// Two engines claim at once: each plan runs in one clone. Whose approval it is decides where, the mailmap says who is who.
func TestClonesShareOneQueue(t *testing.T) {
	t.Parallel()
	all := newClones(t, "", "ann", "bob")
	ann, bob := all[0], all[1]
	ann.plan("One", "one.txt")
	if out := bob.must("run", "--once", "--trust"); strings.Contains(out, "begins") {
		t.Errorf("bob's clone takes what ann approved:\n%s", out)
	}
	if out := bob.must("status"); !strings.Contains(out, "a clone of ann, who approved it") {
		t.Errorf("status does not say who is waited for:\n%s", out)
	}
	ann.plan("Two", "two.txt")
	testkit.Write(t, ann.dir, ".mailmap", "Ann <ann@example.com> <bob@example.com>\n")
	testkit.Write(t, ann.dir, ".tendril/config.yaml", sharedConfig+"parallel: 4\nreview_limit: 20\n")
	ann.commit("they are one person")
	ann.git("push", "--quiet")
	ann.plan("Three", "three.txt")
	var wg sync.WaitGroup
	bob.must("sync")
	outs := make([]string, 2)
	for i, own := range []string{"1", "2"} {
		// Each has a plan of its own to take, and both are after the third. The check of what came out tells.
		wg.Go(func() { outs[i], _ = all[i].tendril("run", "--once", "--trust", own, "3") })
	}
	wg.Wait()
	for _, file := range []string{"one.txt", "two.txt", "three.txt"} {
		if n := ann.starts(file); n != 1 {
			t.Errorf("%s was made %d times\n%s\n%s", file, n, outs[0], outs[1])
		}
	}
	converged(t, ann, bob)
	there := 0
	for _, c := range all {
		out := c.must("list", "--json")
		n := strings.Count(out, `"elsewhere": true`)
		if there += n; n == 0 {
			t.Errorf("%s took all:\n%s", c.name, out)
		}
	}
	if there != 3 {
		t.Errorf("three plans are elsewhere %d times", there)
	}
}

// A clone claims a plan and goes for good: another takes it over, by a person's word. When the first comes back it leaves
// the plan alone.
func TestClonesTakeOver(t *testing.T) {
	t.Parallel()
	all := newClones(t, "take: all\n", "ann", "bob")
	ann, bob := all[0], all[1]
	ann.plan("One", "greeting.txt")
	if out, err := ann.tendril("take", "1"); err == nil || !strings.Contains(out, "no clone has it") {
		t.Errorf("took what nobody has: %s", out)
	}
	if out, err := bob.with("TENDRIL_CRASH_AT", "sync.known:1").tendril("run", "--once", "--trust"); err == nil {
		t.Fatalf("bob's engine lives:\n%s", out)
	}
	if out, err := bob.tendril("take", "1"); err == nil || !strings.Contains(out, "this clone's own") {
		t.Errorf("took its own: %s", out)
	}
	out := ann.must("run", "--once", "--trust")
	if strings.Contains(out, "attempt") {
		t.Errorf("ann's clone works on bob's plan:\n%s", out)
	}
	if out := ann.must("status"); !strings.Contains(out, "in the clone of") {
		t.Errorf("status does not say where it is:\n%s", out)
	}
	for _, args := range [][]string{{"stop", "1"}, {"say", "1", "hello"}, {"path", "1"}} {
		if out, err := ann.tendril(args...); err == nil {
			t.Errorf("%v of a plan elsewhere: %s", args, out)
		}
	}
	if out := ann.must("doctor"); !strings.Contains(out, "main of origin is at") || !strings.Contains(out, "works on 1 plans") {
		t.Errorf("doctor:\n%s", out)
	}
	if out := ann.must("take", "1"); !strings.Contains(out, "taken over from") || !strings.Contains(out, "stops its agent") {
		t.Errorf("take says: %s", out)
	}
	if out := bob.must("run", "--once", "--trust"); strings.Contains(out, "attempt") {
		t.Errorf("bob's clone goes on:\n%s", out)
	}
	until(t, "0001-one", "in-review", ann)
	if n := ann.starts("greeting.txt"); n != 1 {
		t.Errorf("started %d times", n)
	}

	// What is in review is taken over with its head, whether anybody here has looked at it or not.
	if out, err := bob.tendril("accept", "1"); err == nil || !strings.Contains(out, "came in just now") {
		t.Errorf("accepted what nobody saw: %s", out)
	}
	bob.must("take", "1")
	if got, want := bob.git("rev-parse", "tendril/0001-one"), ann.git("rev-parse", "tendril/0001-one"); got != want {
		t.Errorf("taken at %s, ann's work is at %s", got, want)
	}
	if out := bob.must("diff", "1"); !strings.Contains(out, "+hello") {
		t.Errorf("bob's diff: %s", out)
	}
	bob.must("accept", "1")
	until(t, "0001-one", "merged", bob)
	converged(t, ann, bob)
	if got := testkit.Git(t, ann.origin, "for-each-ref", "--format=%(refname)", "refs/heads"); got != "refs/heads/main" {
		t.Errorf("left at the remote:\n%s", got)
	}
}

// The remote is away for a while, and a gate lies in a commit that was not pushed.
func TestClonesWithoutTheRemote(t *testing.T) {
	t.Parallel()
	all := newClones(t, "take: all\n", "ann", "bob")
	ann, bob := all[0], all[1]
	ann.plan("One", "greeting.txt")
	ann.must("draft", "1")
	file := "plans/0001-one/plan.md"
	testkit.Write(t, ann.dir, file, strings.Replace(testkit.Read(t, ann.dir, file), "status: draft", "status: approved", 1))
	ann.commit("approved by hand")
	if out := ann.must("status"); !strings.Contains(out, "0001-one is approved in a commit of yours that is not pushed yet") {
		t.Errorf("status:\n%s", out)
	}
	for _, c := range all {
		if out := c.must("run", "--once", "--trust"); strings.Contains(out, "begins") {
			t.Errorf("%s began what is not pushed:\n%s", c.name, out)
		}
	}
	ann.git("push", "--quiet")
	// Bob's clone claims it and starts; then the remote is gone.
	if out, err := bob.with("TENDRIL_CRASH_AT", "lifecycle.started:1").tendril("run", "--once", "--trust"); err == nil {
		t.Fatalf("bob's engine lives:\n%s", out)
	}
	away := ann.origin + ".away"
	if err := os.Rename(ann.origin, away); err != nil {
		t.Fatal(err)
	}
	out, err := bob.tendril("run", "--once")
	if err == nil || !strings.Contains(out, "not written, and not lost") {
		t.Errorf("bob without the remote: %v\n%s", err, out)
	}
	if out := bob.must("status"); !strings.Contains(out, "origin does not answer") {
		t.Errorf("status does not say so:\n%s", out)
	}
	if out, err := ann.tendril("approve", "1"); err == nil || !strings.Contains(out, "origin does not answer") {
		t.Errorf("a gate without the remote: %v %s", err, out)
	}
	if err := os.Rename(away, ann.origin); err != nil {
		t.Fatal(err)
	}
	until(t, "0001-one", "in-review", bob)
	if data, err := os.ReadFile(filepath.Join(ann.origin, "started")); err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("started: %q %v", data, err)
	}
	converged(t, ann, bob)
}

// Plans on a branch of their own, a base that the server protects, and a person whose base has commits of their own.
func TestClonesWithAProtectedBase(t *testing.T) {
	t.Parallel()
	all := newClones(t, "branch: tendril/plans\n", "ann")
	ann := all[0]
	ann.git("push", "--quiet", "origin", "main:refs/heads/tendril/plans")
	ann.git("fetch", "--quiet")
	testkit.Write(t, ann.dir, "mine.txt", "not published\n")
	ann.commit("mine")
	own := ann.git("rev-parse", "HEAD")
	ann.plan("One", "greeting.txt")
	out := ann.must("run", "--once", "--trust")
	if !strings.Contains(out, "is in-review") {
		t.Fatalf("run:\n%s", out)
	}
	ann.must("accept", "1")
	hook := testkit.WriteScript(t, ann.origin, "hooks/update", "#!/bin/sh\n[ \"$1\" != refs/heads/main ] || { echo 'main takes pull requests only'; exit 1; }\n")
	if out, err := ann.tendril("run", "--once"); !strings.Contains(out, "main takes pull requests only") {
		t.Errorf("delivery to a protected base: %v\n%s", err, out)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	out = ann.must("run", "--once")
	if got := testkit.Git(t, ann.origin, "log", "--format=%s", "main"); !strings.Contains(got, "Merge tendril/0001-one") {
		t.Errorf("not delivered:\n%s\n%s", got, out)
	}
	if _, err := testkit.TryGit(t, ann.origin, nil, "cat-file", "-e", own); err == nil {
		t.Error("a commit of the person's was published")
	}
	if ann.git("rev-parse", "main") != own || ann.git("status", "--porcelain") != "" {
		t.Error("the person's base was touched")
	}
}
