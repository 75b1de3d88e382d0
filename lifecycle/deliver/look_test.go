package deliver

import (
	"slices"
	"strings"
	"testing"
)

// step asks Look and Decide.
func (l *lab) step(a Ask) Decision {
	l.t.Helper()
	return Decide(ok(Look(l.t.Context(), l.repo, a))(l.t))
}

// ask is the question about the plan as git has it now.
func (l *lab) ask(accepted string) Ask {
	l.t.Helper()
	a := Ask{
		Key: key, AcceptedHead: accepted, RecordedBase: l.base, PlansDir: "plans", MovedBy: Person,
		BaseTip: l.Git("rev-parse", "main"),
	}
	if out := l.Git("for-each-ref", "--format=%(objectname)", "refs/heads/"+branch); out != "" {
		a.BranchHead = out
	}
	return a
}

// The whole way of an accepted plan whose base moves twice, with bookkeeping commits in between, and an engine that ends
// after every step: each look names the next step from what git has and what was recorded last.
func TestWayIntoAMovedBase(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	accepted := l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
	bookkeeping := func() { l.on("main", "tendril: writes", planDir+"/record.yaml", l.Git("rev-parse", "main")+"\n") }
	expect := func(a Ask, step Step, head string) Decision {
		t.Helper()
		d := l.step(a)
		if d.Step != step || d.Head != head {
			t.Fatalf("got %q of %q (%s), want %q of %q", d.Step, d.Head, d.Why, step, head)
		}
		return d
	}

	bookkeeping()
	expect(l.ask(accepted), Merge, accepted)
	l.on("main", "meanwhile", "b.txt", "b\n")
	expect(l.ask(accepted), Integrate, accepted)

	integrate := func() string {
		t.Helper()
		a := l.ask(accepted)
		built := ok(BuildIntegration(t.Context(), l.repo, a.BranchHead, a.BaseTip, words("integrate")))(t)
		l.move(branch, built.Commit)
		return built.Commit
	}
	one := integrate()
	// The engine ended before it recorded the merge.
	expect(l.ask(accepted), Check, one)
	bookkeeping()
	recorded := func(delivering string, v Verdict) Ask {
		a := l.ask(accepted)
		a.DeliveringHead, a.Checked = delivering, v
		return a
	}
	expect(recorded(one, Unchecked), Check, one)
	expect(recorded(one, Failed), Mend, one)
	expect(recorded(one, Passed), Merge, one)
	// While it was checked, the base moved again.
	l.on("main", "again", "d.txt", "d\n")
	expect(recorded(one, Passed), Integrate, one)
	two := integrate()
	expect(recorded(one, Passed), Check, two)
	bookkeeping()
	expect(recorded(two, Passed), Merge, two)

	tip := l.Git("rev-parse", "main")
	built := ok(BuildMerge(t.Context(), l.repo, tip, two, words("merge")))(t)
	if ok(Moved(t.Context(), l.repo, two, built.Commit, "plans"))(t) {
		t.Error("the base got what was not verified")
	}
	l.move("main", built.Commit)
	expect(recorded(two, Passed), Done, accepted)
	l.Git("branch", "-D", "-q", branch)
	expect(recorded(two, Passed), Done, accepted)
}

func TestLook(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		do   func(l *lab, accepted string, a *Ask)
		want Step
	}{
		"nothing happened": {func(*lab, string, *Ask) {}, Merge},
		"a person mended by hand": {func(l *lab, _ string, a *Ask) {
			a.BranchHead = l.on(branch, "mended", "a.txt", "mended\n")
		}, Verify},
		"an agent committed once more": {func(l *lab, _ string, a *Ask) {
			a.BranchHead, a.MovedBy = l.on(branch, "more", "a.txt", "more\n"), Agent
		}, Review},
		"the branch was rewound": {func(l *lab, _ string, a *Ask) {
			l.move(branch, l.base)
			a.BranchHead = l.base
		}, Verify},
		"the branch was amended": {func(l *lab, _ string, a *Ask) {
			l.Git("checkout", "-q", branch)
			l.Git("commit", "-q", "--amend", "-m", "other words")
			a.BranchHead = l.Head()
		}, Verify},
		"merged by a person": {func(l *lab, _ string, a *Ask) {
			l.Git("merge", "-q", "--no-ff", "-m", "by hand", branch)
			a.BaseTip = l.Head()
		}, Done},
		"fast-forwarded by a person": {func(l *lab, accepted string, a *Ask) {
			l.move("main", accepted)
			a.BaseTip = accepted
		}, Done},
		"squashed, then the engine ended": {func(l *lab, accepted string, a *Ask) {
			built := ok(BuildSquash(l.t.Context(), l.repo, l.base, accepted, words("X\n\n"+Delivers(key, accepted)+"\n")))(l.t)
			l.move("main", built.Commit)
			a.BaseTip = built.Commit
		}, Done},
		"the base conflicts": {func(l *lab, _ string, a *Ask) {
			a.BaseTip = l.on("main", "meanwhile", "a.txt", "theirs\n")
		}, Mend},
		"the base did the same": {func(l *lab, _ string, a *Ask) {
			a.BaseTip = l.on("main", "the same", "a.txt", "new\n"+lines("a", 20))
		}, Done},
		"squashed by a person, and the base went on": {func(l *lab, _ string, a *Ask) {
			l.Git("merge", "-q", "--squash", branch)
			l.Commit("squashed by hand")
			a.BaseTip = l.on("main", "and on", "b.txt", "b\n")
		}, Done},
		"squashed by a person, and the base went on in the same lines": {func(l *lab, _ string, a *Ask) {
			l.Git("merge", "-q", "--squash", branch)
			l.Commit("squashed by hand")
			a.BaseTip = l.on("main", "and on", "a.txt", "newer\n"+lines("a", 20))
		}, Done},
		"rebased by a person, branch and all": {func(l *lab, _ string, a *Ask) {
			l.on("main", "meanwhile", "b.txt", "b\n")
			l.Git("cherry-pick", branch)
			a.BaseTip = l.Head()
			l.move(branch, a.BaseTip)
			a.BranchHead = a.BaseTip
		}, Done},
		"half of it is in the base": {func(l *lab, _ string, a *Ask) {
			more := l.on(branch, "more", "b.txt", "b\n")
			l.Git("cherry-pick", more+"^")
			a.AcceptedHead, a.BranchHead, a.BaseTip = more, more, l.Head()
		}, Integrate},
		"the base was rewound": {func(l *lab, _ string, a *Ask) {
			tip := l.on("main", "to be undone", "b.txt", "b\n")
			a.RecordedBase = tip
			l.Git("reset", "-q", "--hard", l.base)
		}, Verify},
		"the base was rewritten, and holds the same": {func(l *lab, _ string, a *Ask) {
			a.RecordedBase = l.on("main", "to be rewritten", "b.txt", "b\n", planDir+"/record.yaml", "x\n")
			l.Git("commit", "-q", "--amend", "-m", "other words")
			a.BaseTip = l.Head()
		}, Integrate},
		"the base lost bookkeeping only": {func(l *lab, _ string, a *Ask) {
			a.RecordedBase = l.on("main", "claimed", planDir+"/record.yaml", "x\n")
			l.Git("reset", "-q", "--hard", l.base)
		}, Merge},
		"the recorded base is wrong": {func(l *lab, _ string, a *Ask) {
			a.BaseTip = l.on("main", "never verified with the work", "b.txt", "b\n")
			a.RecordedBase = a.BaseTip
		}, Integrate},
		"the recorded base is gone": {func(l *lab, _ string, a *Ask) { a.RecordedBase = strings.Repeat("1", 40) }, Integrate},
		"no base is recorded":       {func(l *lab, _ string, a *Ask) { a.RecordedBase = "" }, Merge},
		"the branch is gone":        {func(l *lab, _ string, a *Ask) { a.BranchHead = "" }, Nothing},
		"the base is gone":          {func(l *lab, _ string, a *Ask) { a.BaseTip = "" }, Nothing},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			accepted := l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
			a := l.ask(accepted)
			c.do(l, accepted, &a)
			if d := l.step(a); d.Step != c.want {
				t.Errorf("got %q (%s), want %q", d.Step, d.Why, c.want)
			}
		})
	}
}

func TestALostCommitOfTheBaseIsNamed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	tip := l.on("main", "to be undone", "b.txt", "b\n")
	l.Git("checkout", "-q", "-B", branch, tip)
	l.Git("checkout", "-q", "main")
	a := l.ask(l.on(branch, "work", "a.txt", "new\n"))
	a.RecordedBase, a.BaseTip = tip, l.base
	l.Git("reset", "-q", "--hard", l.base)
	d := l.step(a)
	if d.Step != Verify || d.Since != l.base || d.Why != "the base was set back and has no more: "+tip[:10]+" to be undone" {
		t.Errorf("%+v", d)
	}
}

func TestFindContent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	accepted := l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
	l.on("main", "before", "b.txt", "b\n")
	if got := ok(FindContent(t.Context(), l.repo, accepted, l.Head()))(t); got != "" {
		t.Errorf("found %s where nothing is", got)
	}
	l.Git("merge", "-q", "--squash", branch)
	squash := l.Commit("squashed by hand")
	for i := range 5 {
		tip := l.on("main", "after", "b.txt", lines("c", i+1))
		if got := ok(FindContent(t.Context(), l.repo, accepted, tip))(t); got != squash {
			t.Errorf("%d commits later: %s, want %s", i+1, got, squash)
		}
	}
	tip := l.on("main", "the same lines", "a.txt", "newer\n")
	if got := ok(FindContent(t.Context(), l.repo, accepted, tip))(t); got != squash {
		t.Errorf("by its patch: %s, want %s", got, squash)
	}
}

func TestLookNamesConflicts(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	accepted := l.on(branch, "work", "a.txt", "new\n")
	l.on("main", "meanwhile", "a.txt", "theirs\n")
	in := ok(Look(t.Context(), l.repo, l.ask(accepted)))(t)
	if !in.Conflict || !slices.Equal(in.ConflictPaths, []string{"a.txt"}) || !strings.Contains(Decide(in).Why, "a.txt") {
		t.Errorf("%+v", in)
	}
}

func TestLookWithoutTheAcceptedCommit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if _, err := Look(t.Context(), l.repo, l.ask(strings.Repeat("1", 40))); err == nil || !strings.Contains(err.Error(), "is not in this repository") {
		t.Errorf("got %v", err)
	}
}
