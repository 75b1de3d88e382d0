package gate

import (
	"testing"

	"tendril/plans"
)

func TestApprovers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gate := l.set(boss, plans.Approved)
	for _, list := range [][]string{
		nil,
		{"boss@example.com"},
		{"mallory@example.com", "BOSS@Example.com"},
		{"Somebody Else <boss@example.com>"},
		{" Bo Boss  < boss@example.com > "},
	} {
		r := rules
		r.Approvers = list
		if p, err := l.approval(r); err != nil || p.Commit != gate {
			t.Errorf("approvers %q: %v", list, err)
		}
	}
	for _, list := range [][]string{
		{"mallory@example.com"},
		{"Bo Boss"},
		{"boss@example.com.evil.org"},
		{"ss@example.com"},
		{"Bo Boss <boss@example.com> <mallory@example.com>"},
		{""},
	} {
		r := rules
		r.Approvers = list
		p, err := l.approval(r)
		wantRefusal(t, p, err, gate, "Bo Boss <boss@example.com> is not among the approvers", list[0])
	}
}

// An empty entry among the approvers does not let commits without an address in.
func TestApproversAndNoAddress(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.status(plans.Approved)
	l.Git("add", "-A")
	l.as([]string{"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL= "}, "commit", "-q", "-m", "approved")
	r := rules
	r.Approvers = []string{"", "boss@example.com"}
	l.refused(r, l.Head(), "is not among the approvers")
}
