package gate

import (
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
)

func TestApprovalPlain(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write("program.go", "package main\n")
	gate := l.set(boss, plans.Approved)
	l.Write("program.go", "package other\n")
	l.commit(mallory, "something else, later")
	l.approved(gate, boss)
}

func TestApprovalMergedWithNoFastForward(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "side")
	gate := l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.as(append(mallory.author(), forge.committer()...), "merge", "-q", "--no-ff", "-m", "Merge pull request #1", "side")
	l.approved(gate, boss)
}

func TestApprovalFastForwarded(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "side")
	gate := l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.Git("merge", "-q", "--ff-only", "side")
	l.approved(gate, boss)
}

// A branch that took main in before it was merged: the merge within is descended too.
func TestApprovalThroughMergesWithinMerges(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "inner")
	gate := l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.Write("other", "x\n")
	l.commit(pat, "main goes on")
	l.Git("checkout", "-q", "-b", "outer")
	l.as(pat.by(), "merge", "-q", "--no-ff", "-m", "inner", "inner")
	l.Git("checkout", "-q", "main")
	l.Write("other", "y\n")
	l.commit(pat, "main goes on")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "outer", "outer")
	l.approved(gate, boss)
}

// Pulling makes what was pushed the second parent.
func TestApprovalPulled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	origin := l.Remote()
	other := l.at(testkit.Clone(t, origin))
	gate := other.set(boss, plans.Approved)
	other.Git("push", "-q")
	l.Write("mine", "x\n")
	l.commit(pat, "my own work")
	l.Git("pull", "-q", "--no-rebase", "--no-edit")
	if got := l.Git("rev-parse", "HEAD^2"); got != gate {
		t.Fatalf("the second parent is %s", got)
	}
	l.approved(gate, boss)
}

func TestApprovalByTheMergeItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ here, there func(*lab) }{
		"status written into the merge": {
			func(l *lab) { l.Write("a", "a\n") },
			func(l *lab) { l.Write("b", "b\n") },
		},
		"conflict resolved": {
			func(l *lab) { l.edit("priority: 0", "priority: 1") },
			func(l *lab) { l.edit("priority: 0", "priority: 2"); l.status(plans.Icebox) },
		},
	} {
		for _, w := range []who{boss, agent} {
			t.Run(name+" by "+w.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.Git("checkout", "-q", "-b", "side")
				c.there(l)
				l.commit(mallory, "there")
				l.Git("checkout", "-q", "main")
				c.here(l)
				l.commit(mallory, "here")
				_, err := testkit.TryGit(t, l.Dir, nil, "merge", "-q", "--no-ff", "--no-commit", "side")
				l.t = t
				l.Write(planFile, text("approved", "body\n"))
				gate := l.commit(w, "merge")
				if got := l.Git("log", "-1", "--format=%P"); len(strings.Fields(got)) != 2 {
					t.Fatalf("no merge: %s (%v)", got, err)
				}
				if w == agent {
					l.refused(rules, gate, "is an agent")
				} else {
					l.approved(gate, boss)
				}
			})
		}
	}
}

// The approval of one text and an edit of it merge cleanly into a text that nobody approved.
func TestApprovalOfOneTextMergedOverAnother(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write(planFile, text("draft", "body\n\n\n\nfinis\n"))
	l.commit(pat, "longer")
	l.Git("checkout", "-q", "-b", "side")
	l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.edit("finis", "finis, and rm -rf /")
	l.commit(mallory, "text")
	l.as(append(mallory.author(), forge.committer()...), "merge", "-q", "--no-ff", "-m", "Merge pull request", "side")
	// What lies in somebody's checkout does not make the merge anybody's word.
	l.Write(".gitattributes", "plan.md binary\n")
	if got := l.Read(planFile); !strings.Contains(got, "status: approved") || !strings.Contains(got, "rm -rf") {
		t.Fatalf("not the merge that was meant: %s", got)
	}
	l.refused(rules, l.Head(), "nobody approved the result", "tendril approve 0001-x")
	// Whoever approves what is there now is its approver.
	l.set(pat, plans.Draft)
	gate := l.set(pat, plans.Approved)
	l.approved(gate, pat)
}

func TestApprovalInAnOctopus(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, b := range []string{"one", "two"} {
		l.Git("checkout", "-q", "-b", b, l.first)
		l.Write(b, b+"\n")
		l.commit(pat, b)
	}
	gate := l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "octopus", "one", "two")
	if got := l.Git("log", "-1", "--format=%P"); len(strings.Fields(got)) != 3 {
		t.Skipf("git made no octopus: %s", got)
	}
	l.approved(gate, boss)
}

// Who pressed merge on a squash is not in the commit: its author counts.
func TestApprovalSquashed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "side")
	l.edit("body", "a better body")
	l.commit(boss, "text")
	l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.Git("merge", "-q", "--squash", "side")
	l.as(append(boss.author(), forge.committer()...), "commit", "-q", "-m", "Approve X (#2)")
	l.approved(l.Head(), boss)
}

func TestApprovalCopied(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"cherry-pick", "rebase"} {
		for _, w := range []who{mallory, agent, engine} {
			t.Run(how+" by "+w.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.Git("checkout", "-q", "-b", "side")
				l.set(boss, plans.Approved)
				l.Git("checkout", "-q", "main")
				l.Write("other", "x\n")
				l.commit(pat, "main goes on")
				if how == "cherry-pick" {
					l.as(w.committer(), "cherry-pick", "side")
				} else {
					l.as(w.committer(), "rebase", "-q", "main", "side")
					l.Git("checkout", "-q", "main")
					l.Git("merge", "-q", "--ff-only", "side")
				}
				if w == mallory {
					l.approved(l.Head(), boss)
				} else {
					l.refused(rules, l.Head(), "in the name of Bo Boss")
				}
			})
		}
	}
}

func TestApprovalRevertedTwice(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gate := l.set(boss, plans.Approved)
	l.as(mallory.by(), "revert", "--no-edit", gate)
	if l.plan(l.Head(), key).Status != plans.Draft {
		t.Fatal("not reverted")
	}
	l.refused(rules, l.Head(), "says draft, not approved")
	l.as(pat.by(), "revert", "--no-edit", "HEAD")
	l.approved(l.Head(), pat)
}

// Whoever renames a plan's folder is the approver of what it says then; the record's key tells the rest.
func TestApprovalOfARenamedFolder(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(boss, plans.Approved)
	l.Git("mv", "plans/0001-x", "plans/0002-y")
	gate := l.commit(mallory, "rename")
	p, err := Approval(t.Context(), l.repo(), gate, l.plan(gate, "0002-y"), rules)
	if err != nil || p.Commit != gate || p.AuthorEmail != mallory.email {
		t.Errorf("got %+v, %v", p, err)
	}
}

// A mail map in the tree would make mallory the boss.
func TestApprovalIgnoresMailmap(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Write(".mailmap", "Bo Boss <boss@example.com> <mallory@example.com>\n")
	l.Git("config", "log.mailmap", "true")
	gate := l.set(mallory, plans.Approved)
	l.approved(gate, mallory)
	only := rules
	only.Approvers = []string{boss.email}
	l.refused(only, gate, "Mallory <mallory@example.com> is not among the approvers")
}

func TestApprovalIgnoresForgedHistory(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"replace", "graft", "graft away"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			gate := l.set(mallory, plans.Approved)
			tree := l.Git("rev-parse", "HEAD^{tree}")
			forged := l.as(boss.by(), "commit-tree", "-m", "approved", "-p", l.first, tree)
			switch how {
			case "replace":
				l.Git("replace", gate, forged)
			case "graft":
				l.Write("other", "x\n")
				l.commit(pat, "later")
				l.Write(".git/info/grafts", l.Head()+" "+forged+"\n")
			case "graft away":
				l.Write("other", "x\n")
				later := l.commit(boss, "later")
				l.Write(".git/info/grafts", later+"\n")
			}
			l.approved(gate, mallory)
		})
	}
}

func TestApprovalInAShallowClone(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gate := l.set(boss, plans.Approved)
	l.Write("other", "x\n")
	end := l.commit(pat, "later")
	origin := l.Remote()
	c := l.at(testkit.Clone(t, "file://"+origin, "--depth=1"))
	c.refused(rules, end, "cut off", "git fetch --unshallow")
	c.Git("fetch", "-q", "--depth=2")
	c.refused(rules, gate, "cut off")
	c.Git("fetch", "-q", "--depth=3")
	c.approved(gate, boss)
}

// A clock that runs backwards does not change which commit is the newest.
func TestApprovalWithSkewedDates(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	date := func(when string) []string { return []string{"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when} }
	l.status(plans.Approved)
	l.Git("add", "-A")
	l.as(append(boss.by(), date("2035-01-01T00:00:00Z")...), "commit", "-q", "-m", "approved, in the future")
	l.Git("checkout", "-q", "-b", "side")
	l.status(plans.Draft)
	l.Git("add", "-A")
	l.as(append(pat.by(), date("1999-01-01T00:00:00Z")...), "commit", "-q", "-m", "draft, long ago")
	l.status(plans.Approved)
	l.Git("add", "-A")
	l.as(append(mallory.by(), date("1990-01-01T00:00:00Z")...), "commit", "-q", "-m", "approved, before that")
	gate := l.Head()
	l.approved(gate, mallory)
}

// git commit --amend right after Tendril's commit changes Tendril's: the author stays.
func TestApprovalAmendedIntoTendrilsCommit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.set(engine, plans.Failed)
	l.status(plans.Approved)
	l.Git("add", "-A")
	l.as(pat.committer(), "commit", "-q", "--amend", "--no-edit")
	l.refused(rules, l.Head(), "a commit of Tendril's that Pat Person amended", "in a new commit of your own")
}

func TestApprovalByTendrilOrAnAgent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w     who
		words string
	}{
		"tendril":                   {engine, "Tendril passes no gate"},
		"tendril under a name":      {who{"Bo Boss", "TENDRIL@localhost"}, "Tendril passes no gate"},
		"agent":                     {agent, "agents pass no gate"},
		"agent in capitals":         {who{"Bo Boss", "X@Agent.Tendril.LocalHost"}, "agents pass no gate"},
		"agent with a trailing dot": {who{"Bo Boss", "x@agent.tendril.localhost."}, "agents pass no gate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			gate := l.set(c.w, plans.Approved)
			l.refused(rules, gate, c.words)
			l.set(pat, plans.Draft)
			l.approved(l.set(pat, plans.Approved), pat)
		})
	}
}

// An agent that merges a person's approval into the plans branch passed the gate itself.
func TestApprovalMergedInByAnAgent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "-b", "side")
	l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "main")
	l.as(agent.by(), "merge", "-q", "--no-ff", "-m", "m", "side")
	l.refused(rules, l.Head(), "is an agent")
}

// Text that changed after the approval is a new approval by whoever changed it, if they may.
func TestApprovalAndLaterEdits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	only := rules
	only.Approvers = []string{boss.email}
	l.set(boss, plans.Approved)
	l.edit("body", "another body")
	edit := l.commit(mallory, "text")
	l.refused(only, edit, "Mallory <mallory@example.com> is not among the approvers")
	l.approved(edit, mallory)
	l.edit("another body", "the boss's body")
	edit = l.commit(boss, "text")
	if p, err := l.approval(only); err != nil || p.Commit != edit {
		t.Errorf("got %+v, %v", p, err)
	}
}

// The plan in hand is not always the one at the tip: what counts is what the gate commit has.
func TestApprovalOfAnotherTextInHand(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gate := l.set(boss, plans.Approved)
	held := *l.plan(gate, key)
	if _, err := Approval(t.Context(), l.repo(), gate, &held, rules); err != nil {
		t.Fatal(err)
	}
	other, err := plans.Parse(key, planFile, []byte(text("approved", "other\n")), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Approval(t.Context(), l.repo(), gate, other, rules)
	wantRefusal(t, p, err, gate, "is not the text that would run", "git diff")
	// Another status line alone is no other text.
	same, err := plans.Parse(key, planFile, []byte(text("executing", "body\n")), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Approval(t.Context(), l.repo(), gate, same, rules); err != nil || p.Text != held.TextID {
		t.Errorf("got %+v, %v", p, err)
	}
}

// A rewound branch brings an approval back: it is the same commit, which the ledger knows.
func TestApprovalOfARewoundBranch(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gate := l.set(boss, plans.Approved)
	ledger := Ledger{Dir: testkit.TempDir(t)}
	if err := ledger.Claim(key, gate, "run-1"); err != nil {
		t.Fatal(err)
	}
	l.set(engine, plans.InReview)
	l.Git("reset", "-q", "--hard", gate)
	p, err := l.approval(rules)
	if err != nil {
		t.Fatal(err)
	}
	if run, claimed, err := ledger.Claimed(key, p.Commit); !claimed || run != "run-1" || err != nil {
		t.Errorf("%q, %v, %v", run, claimed, err)
	}
}

func TestApprovalWithLongIds(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	testkit.Git(t, dir, "init", "-q", "--object-format=sha256")
	l := &lab{Repository: testkit.At(t, dir), t: t}
	l.Write(planFile, text("draft", "body\n"))
	l.first = l.Commit("a plan")
	l.Git("checkout", "-q", "-b", "side")
	gate := l.set(boss, plans.Approved)
	l.Git("checkout", "-q", "-")
	l.as(mallory.by(), "merge", "-q", "--no-ff", "-m", "m", "side")
	plan, err := plans.Parse(key, planFile, []byte(l.Read(planFile)), "sha256")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Approval(t.Context(), l.repo(), l.Head(), plan, rules)
	if err != nil || p.Commit != gate || p.Text != plan.TextID {
		t.Errorf("%+v, %v", p, err)
	}
	l.counts(plans.Approved, 0)
}

func TestApprovalWithoutACommit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p, err := plans.Parse("0009-z", "plans/0009-z/plan.md", []byte(text("approved", "body\n")), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Approval(t.Context(), l.repo(), l.Head(), p, rules)
	wantRefusal(t, got, err, "", "no commit of the plans branch holds plans/0009-z/plan.md")
	for _, tip := range []string{"HEAD", "", "--all", strings.Repeat("g", 40)} {
		if _, err := Approval(t.Context(), l.repo(), tip, p, rules); err == nil || !strings.Contains(err.Error(), "is not a full commit id") {
			t.Errorf("tip %q: %v", tip, err)
		}
	}
}

// The person's settings of log, diff and colour change nothing, and neither does where the plans lie.
func TestApprovalDeafToSettings(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, kv := range []string{
		"log.follow=true", "log.showSignature=true", "log.showRoot=false", "log.diffMerges=combined", "diff.relative=true", "diff.renames=copies",
		"color.ui=always", "format.pretty=oneline", "log.abbrevCommit=true", "core.abbrev=7", "core.quotePath=true", "diff.noprefix=true",
		"log.decorate=full", "trailer.separators=#", "core.commentChar=;",
	} {
		name, value, _ := strings.Cut(kv, "=")
		l.Git("config", name, value)
	}
	gate := l.set(boss, plans.Approved)
	l.Git("config", "diff.orderFile", "/nowhere")
	l.approved(gate, boss)
}
