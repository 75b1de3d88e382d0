package gate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
)

var (
	headA = strings.Repeat("a", 40)
	headB = strings.Repeat("b", 40)
)

// inReview brings a lab to in-review with a head.
func (l *lab) inReview(head string) {
	l.t.Helper()
	l.status(plans.InReview)
	l.record(head)
	l.commit(engine, "tendril: 0001-x in-review")
}

func (l *lab) acceptance(rules Rules) (Passage, error) {
	l.t.Helper()
	return Acceptance(l.t.Context(), l.repo(), l.Head(), l.plan(l.Head(), key), rules)
}

func (l *lab) accepted(commit string, w who, head string) {
	l.t.Helper()
	p, err := l.acceptance(rules)
	if err != nil {
		l.t.Fatalf("refused: %v", err)
	}
	if p.Commit != commit || p.AuthorEmail != w.email || p.Head != head {
		l.t.Errorf("%s by %s accepted %s, want %s by %s and %s", p.Commit, p.By(), p.Head, commit, w.email, head)
	}
}

func (l *lab) moved(commit, accepted, current string) {
	l.t.Helper()
	p, err := l.acceptance(rules)
	m := (*Moved)(nil)
	if !errors.As(err, &m) {
		l.t.Fatalf("got %+v, %v, want Moved", p, err)
	}
	if m.Commit != commit || m.Accepted != accepted || m.Current != current {
		l.t.Errorf("got %+v", m)
	}
}

func TestAcceptanceByHand(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.inReview(headA)
	gate := l.set(boss, plans.Accepted)
	l.accepted(gate, boss, headA)
	// What Tendril writes later beside it changes nothing about the gate.
	l.Write(recFile, l.Read(recFile)+"reason: delivery\n")
	l.commit(engine, "tendril: record")
	l.accepted(gate, boss, headA)
}

func TestAcceptanceByTrailer(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.inReview(headA)
	l.status(plans.Accepted)
	gate := l.commit(boss, "tendril: accept 0001-x\n\n"+Accepts([]plans.Key{key}, []string{headA})[0]+"\nSigned-off-by: x <x@y>")
	l.accepted(gate, boss, headA)
}

// The trailer says what was shown, the record what is verified now.
func TestAcceptanceOfAnotherHead(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.inReview(headA)
	l.status(plans.Accepted)
	gate := l.commit(boss, "accept\n\nTendril-Accepts: "+headB)
	l.moved(gate, headB, headA)
}

// A clone accepts head A; meanwhile the engine verified head B: the two merge cleanly, and the record of the merge says B.
func TestAcceptanceInACloneAfterANewVerification(t *testing.T) {
	t.Parallel()
	for _, textToo := range []bool{false, true} {
		l := newLab(t)
		l.inReview(headA)
		origin := l.Remote()
		c := l.at(testkit.Clone(t, origin))
		gate := c.set(boss, plans.Accepted)
		l.record(headB)
		if textToo {
			l.edit("body", "another body")
		}
		l.commit(engine, "tendril: 0001-x verifying, in-review")
		l.Git("pull", "-q", "--no-rebase", "--no-edit", c.Dir, "main")
		if got := l.Read(recFile); !strings.Contains(got, headB) || l.plan(l.Head(), key).Status != plans.Accepted {
			t.Fatalf("not the merge that was meant: %s", got)
		}
		if textToo {
			p, err := l.acceptance(rules)
			wantRefusal(t, p, err, l.Head(), "nobody accepted the result", "tendril accept 0001-x")
		} else {
			l.moved(gate, headA, headB)
		}
	}
}

// While the merge with a moved base is checked, the record keeps the accepted head.
func TestAcceptanceWhileDelivering(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.inReview(headA)
	gate := l.set(boss, plans.Accepted)
	l.Write(recFile, l.Read(recFile)+"delivering:\n  head: "+headB+"\n  base: "+l.first+"\n")
	l.commit(engine, "tendril: delivering")
	l.accepted(gate, boss, headA)
}

func TestAcceptanceRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(l *lab) string
		words string
	}{
		"by tendril":  {func(l *lab) string { return l.set(engine, plans.Accepted) }, "Tendril passes no gate"},
		"by an agent": {func(l *lab) string { return l.set(agent, plans.Accepted) }, "agents pass no gate"},
		"not accepted any more": {func(l *lab) string {
			l.set(boss, plans.Accepted)
			return l.set(boss, plans.InReview)
		}, "says in-review, not accepted"},
		"amended": {func(l *lab) string {
			l.status(plans.Accepted)
			l.Git("add", "-A")
			l.as(boss.committer(), "commit", "-q", "--amend", "--no-edit")
			return l.Head()
		}, "a commit of Tendril's that Bo Boss amended"},
		"no record": {func(l *lab) string {
			l.Git("rm", "-q", recFile)
			return l.set(boss, plans.Accepted)
		}, "there is no " + recFile},
		"broken record": {func(l *lab) string {
			l.Write(recFile, "head: [\n")
			return l.set(boss, plans.Accepted)
		}, recFile},
		"another plan's record": {func(l *lab) string {
			l.Write(recFile, strings.ReplaceAll(l.Read(recFile), string(key), "0002-y"))
			return l.set(boss, plans.Accepted)
		}, "is the record of 0002-y"},
		"no head in the record": {func(l *lab) string {
			l.record("")
			return l.set(boss, plans.Accepted)
		}, "names no head"},
		"short id in the trailer": {func(l *lab) string {
			l.status(plans.Accepted)
			return l.commit(boss, "x\n\nTendril-Accepts: aaaaaaa")
		}, "does not hold a full commit id"},
		"two heads": {func(l *lab) string {
			l.status(plans.Accepted)
			return l.commit(boss, "x\n\nTendril-Accepts: "+headA+"\nTendril-Accepts: "+headB)
		}, "accepts 2 different heads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.inReview(headA)
			want := c.do(l)
			p, err := l.acceptance(rules)
			wantRefusal(t, p, err, want, c.words)
		})
	}
}

func TestPickHead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values  []string
		want    string
		refused string
	}{
		{nil, "", ""},
		{[]string{""}, "", ""},
		{[]string{headA}, headA, ""},
		{[]string{strings.ToUpper(headA)}, headA, ""},
		{[]string{headA, headA}, headA, ""},
		{[]string{headA, headB}, "", "2 different heads"},
		{[]string{"0001-x " + headA, "0002-y " + headB}, headA, ""},
		{[]string{"0002-y " + headB}, "", ""},
		{[]string{headB, "0001-x " + headA}, headA, ""},
		{[]string{"0001-x " + headA, "0001-x " + headB}, "", "2 different heads"},
		{[]string{"0001-x " + headA[:12]}, "", "full commit id"},
		{[]string{"refs/heads/main"}, "", "full commit id"},
		{[]string{"0001-x " + headA + " please"}, "", "neither HEAD nor KEY HEAD"},
	} {
		got, refusal := pickHead(c.values, key, "sha1")
		if got != c.want || (refusal != nil) != (c.refused != "") {
			t.Errorf("%q: got %q, %v", c.values, got, refusal)
		}
		if refusal != nil && !strings.Contains(refusal.Error(), c.refused) {
			t.Errorf("%q: refused with %v", c.values, refusal)
		}
	}
	lines := Accepts([]plans.Key{key, "0002-y"}, []string{headA, headB})
	if want := []string{"Tendril-Accepts: 0001-x " + headA, "Tendril-Accepts: 0002-y " + headB}; !slices.Equal(lines, want) {
		t.Errorf("lines %q", lines)
	}
}
