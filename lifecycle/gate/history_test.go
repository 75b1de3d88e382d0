package gate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/testkit"
	"tendril/plans"
)

// effective reads the history of HEAD anew.
func (l *lab) effective() map[plans.Key]Effective {
	l.t.Helper()
	all, err := NewHistory(l.repo(), rules).At(l.t.Context(), l.Head())
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

// counts expects a status of the plan and the number of its ignored steps.
func (l *lab) counts(want plans.Status, ignored int) Effective {
	l.t.Helper()
	got, there := l.effective()[key]
	if !there || got.Status != want || len(got.Invalid) != ignored {
		l.t.Errorf("got %+v (there: %v), want %s and %d ignored", got, there, want, ignored)
	}
	return got
}

func TestHistoryOfAnOrdinaryLife(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.counts(plans.Draft, 0)
	for _, m := range []move{
		{boss, plans.Approved},
		{engine, plans.Executing},
		{engine, plans.InReview},
		{boss, plans.Accepted},
		{engine, plans.Merged},
	} {
		id := l.set(m.w, m.to)
		if got := l.counts(m.to, 0); got.Commit != id || got.Raw != m.to {
			t.Errorf("%+v, want commit %s", got, id)
		}
		l.Write("other", string(m.to)+"\n")
		l.commit(pat, "something else")
	}
}

func TestHistoryIgnoresWhatIsNotInTheMatrix(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	claimed := l.set(engine, plans.Executing)
	bad := l.set(mallory, plans.Accepted)
	got := l.counts(plans.Executing, 1)
	want := Invalid{
		Commit: bad, Author: "Mallory <mallory@example.com>", From: plans.Executing, To: plans.Accepted,
		Why: "a person may not go from executing to accepted, only to draft, rejected",
	}
	if diff := cmp.Diff([]Invalid{want}, got.Invalid); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if inv, is := got.Ignored(); !is || inv != want || got.Raw != plans.Accepted || got.Commit != claimed {
		t.Errorf("%+v", got)
	}
	// An edit of the text does not make it count, nor does it count twice.
	l.edit("body", "another body")
	l.commit(boss, "text")
	l.counts(plans.Executing, 1)
	l.set(engine, plans.InReview)
	if _, is := l.counts(plans.InReview, 1).Ignored(); is {
		t.Error("an old ignored step is shown as the present one")
	}
}

// A later commit of a person that changes only text keeps the status.
func TestHistoryKeepsTheStatusOverEdits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	approved := l.set(boss, plans.Approved)
	l.edit("body", "another body")
	l.commit(mallory, "text")
	if got := l.counts(plans.Approved, 0); got.Commit != approved {
		t.Errorf("%+v", got)
	}
	// Another spelling of the same status is none either.
	l.edit("status: approved", "status: Approved")
	l.commit(agent, "spelling")
	l.counts(plans.Approved, 0)
}

func TestHistoryPassesOverWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	good := l.Read(planFile)
	for name, bad := range map[string]string{
		"conflict": strings.Replace(good, "status: approved", "<<<<<<< HEAD\nstatus: approved\n=======\nstatus: draft\n>>>>>>> x", 1),
		"no end":   "---\ntitle: X\nstatus: merged\n",
		"twice":    strings.Replace(good, "status: approved", "status: merged\nstatus: merged", 1),
		"word":     strings.Replace(good, "approved", "done", 1),
		"empty":    "",
		"bytes":    "\xff\xfe\x00",
		"huge":     good + strings.Repeat("x", maxPlan),
	} {
		l.Write(planFile, bad)
		l.commit(mallory, name)
		if got := l.counts(plans.Approved, 0); got.Raw != plans.Approved {
			t.Errorf("%s: %+v", name, got)
		}
	}
	l.Write(planFile, good)
	l.set(engine, plans.Executing)
	l.counts(plans.Executing, 0)
}

func TestHistoryOfAPlanThatGoesAndComesBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	l.set(engine, plans.InReview)
	l.set(boss, plans.Accepted)
	l.set(engine, plans.Merged)
	good := l.Read(planFile)
	l.Git("rm", "-q", planFile)
	l.commit(mallory, "gone")
	if all := l.effective(); len(all) != 0 {
		t.Errorf("a deleted plan is there: %+v", all)
	}
	// Nothing leaves merged, not by deleting it either.
	l.Write(planFile, strings.Replace(good, "merged", "approved", 1))
	l.commit(mallory, "back")
	l.counts(plans.Merged, 1)
	l.Write(planFile, good)
	l.commit(mallory, "as it was")
	l.counts(plans.Merged, 1)
}

func TestHistoryReadsOnlyPlans(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write("plans/README.md", text("approved", ""))
	l.Write("plans/notes/plan.md", text("approved", ""))
	l.Write("plans/0002-y/sub/plan.md", text("approved", ""))
	l.Write("plans/0003-Z/plan.md", text("approved", ""))
	l.Write("docs/plans/0004-w/plan.md", text("approved", ""))
	l.Write("plans/0005-v/plan.md", text("approved", ""))
	l.commit(pat, "files")
	all := l.effective()
	if len(all) != 2 || all["0005-v"].Status != plans.Approved {
		t.Errorf("%+v", all)
	}
}

func TestHistoryInAnotherFolder(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"work/my [plans]*", "."} {
		l := newLab(t)
		l.Write(dir+"/0007-q/plan.md", text("approved", ""))
		l.Write("work/my pxxx/0008-r/plan.md", text("approved", ""))
		l.commit(pat, "files")
		r := rules
		r.PlansDir = dir
		all, err := NewHistory(l.repo(), r).At(t.Context(), l.Head())
		if err != nil || len(all) != 1 || all["0007-q"].Status != plans.Approved {
			t.Errorf("%s: %+v, %v", dir, all, err)
		}
	}
}

func TestHistoryThroughMerges(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "side")
	l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.Write("a", "a\n")
	l.commit(pat, "a")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "m", "side")
	if got := l.counts(plans.Approved, 0); got.Commit != l.Head() {
		t.Errorf("%+v", got)
	}
	// Tendril's steps on the remote, pulled by a person under work of their own: the person made none of them.
	l.Git("checkout", "-q", "-b", "remote")
	l.set(engine, plans.Executing)
	l.set(engine, plans.InReview)
	l.set(boss, plans.Accepted)
	l.set(engine, plans.Merged)
	l.Git("checkout", "-q", "main")
	l.Write("b", "b\n")
	l.commit(mallory, "b")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "pull", "remote")
	l.counts(plans.Merged, 0)
}

// A person edits the text while Tendril moves the status on the remote; the pull gives a file that neither side has.
func TestHistoryOfAStatusMergedBesideAnEdit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write(planFile, text("draft", "body\n\n\n\nfinis\n"))
	l.commit(pat, "longer")
	l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "-b", "remote")
	l.set(engine, plans.Executing)
	l.Git("checkout", "-q", "main")
	l.edit("finis", "the end")
	l.commit(mallory, "text")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "pull", "remote")
	l.counts(plans.Executing, 0)
}

func TestHistoryOfAnIllegalStepOnASideBranch(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	l.set(engine, plans.Executing)
	l.Git("checkout", "-q", "-b", "side")
	bad := l.set(mallory, plans.Accepted)
	l.Git("checkout", "-q", "main")
	l.as(boss.by(), "merge", "-q", "--no-ff", "-m", "m", "side")
	if got := l.counts(plans.Executing, 1); got.Invalid[0].Commit != bad {
		t.Errorf("%+v", got)
	}
}

// The branch of a pull request that took main in: what it took over is main's, what it added is its own.
func TestHistoryOfABranchThatTookMainIn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "side")
	l.Write("s", "s\n")
	l.commit(boss, "s")
	l.Git("checkout", "-q", "main")
	l.set(pat, plans.Approved)
	l.set(engine, plans.InReview)
	l.Git("checkout", "-q", "side")
	l.as(boss.by(), "merge", "-q", "--no-ff", "-m", "take main in", "main")
	l.set(boss, plans.Accepted)
	l.Git("checkout", "-q", "main")
	l.Write("b", "b\n")
	l.commit(mallory, "b")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "m", "side")
	l.counts(plans.Accepted, 0)
}

func TestHistoryOfAnEvilMerge(t *testing.T) {
	t.Parallel()
	for w, want := range map[who]plans.Status{boss: plans.Approved, agent: plans.Draft} {
		l := newLab(t)
		l.Git("checkout", "-q", "-b", "side")
		l.Write("s", "s\n")
		l.commit(pat, "s")
		l.Git("checkout", "-q", "main")
		l.Git("merge", "-q", "--no-ff", "--no-commit", "side")
		l.set(w, plans.Approved)
		ignored := 0
		if want == plans.Draft {
			ignored = 1
		}
		l.counts(want, ignored)
	}
}

// A merge that takes an old version back (-s ours and the like) is its author's own step.
func TestHistoryOfAMergeThatTakesThePastBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "-b", "old", l.first)
	l.Write("s", "s\n")
	l.commit(pat, "s")
	l.Git("checkout", "-q", "main")
	l.Git("merge", "-q", "--no-ff", "--no-commit", "old")
	l.Git("checkout", "-q", "old", "--", planFile)
	l.commit(mallory, "merge")
	if got := l.counts(plans.Draft, 0); got.Commit != l.Head() {
		t.Errorf("%+v", got)
	}
}

// In a shallow clone what came before is unknown: the status that is there is taken as it is, and the gates refuse.
func TestHistoryInAShallowClone(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	l.set(engine, plans.InReview)
	c := l.at(testkit.Clone(t, "file://"+l.Remote(), "--depth=1"))
	c.counts(plans.InReview, 0)
	c.set(boss, plans.Accepted)
	c.counts(plans.Accepted, 0)
}

func TestHistoryGoesOn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	h := NewHistory(l.repo(), rules)
	same := func(what string) {
		t.Helper()
		got, err := h.At(t.Context(), l.Head())
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if diff := cmp.Diff(l.effective(), got); diff != "" {
			t.Errorf("%s: going on differs from reading anew (-anew +on):\n%s", what, diff)
		}
	}
	same("first")
	l.set(boss, plans.Approved)
	same("one commit")
	same("nothing new")
	l.Write("x", "x\n")
	l.commit(pat, "x")
	same("a commit beside")
	l.Git("checkout", "-q", "-b", "side")
	l.set(engine, plans.Executing)
	l.set(mallory, plans.Accepted)
	l.Git("checkout", "-q", "main")
	l.Write("y", "y\n")
	l.commit(pat, "y")
	l.as(pat.by(), "merge", "-q", "--no-ff", "-m", "m", "side")
	same("a merge")
	before := l.Head()
	l.set(engine, plans.InReview)
	same("on it")
	l.Git("reset", "-q", "--hard", before)
	same("rewound")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.set(boss, plans.Rejected)
	same("another line")
	l.Git("checkout", "-q", "-b", "local", l.first)
	l.Write("z", "z\n")
	l.commit(pat, "z")
	l.as(pat.by(), "merge", "-q", "--no-ff", "-m", "pull", "main")
	same("main as the second parent")
	l.Git("checkout", "-q", "--orphan", "orphan")
	l.commit(pat, "a new beginning")
	same("no history in common")
	if _, err := h.At(t.Context(), strings.Repeat("1", 40)); err == nil {
		t.Error("a tip that is not there is no error")
	}
	same("after an error")
}

// What the caller has parsed is not read again: here it says something else than the file does.
func TestHistoryLearns(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	h := NewHistory(l.repo(), rules)
	h.Learn(map[string]plans.Status{l.plan(l.Head(), key).Blob: plans.Rejected})
	got, err := h.At(t.Context(), l.Head())
	if err != nil || got[key].Status != plans.Rejected {
		t.Errorf("%+v, %v", got, err)
	}
}

// The caller's map is the caller's.
func TestHistoryMapIsTheCallers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	h := NewHistory(l.repo(), rules)
	for range 2 {
		got, err := h.At(t.Context(), l.Head())
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		clear(got)
	}
}
