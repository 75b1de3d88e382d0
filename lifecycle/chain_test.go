package lifecycle

import (
	"fmt"
	"strings"
	"testing"

	"tendril/lifecycle/gate"
	"tendril/plans"
)

// A chain names each gate, run and delivery once, in the order in which the record learned of them, and the gate that no
// engine has acted on yet.
func TestLinkRecords(t *testing.T) {
	t.Parallel()
	first, second := &plans.Approval{By: "Ann", Commit: "c1", Text: "t1"}, &plans.Approval{By: "Bob", Commit: "c2", Text: "t2"}
	run := func(round int, id string) plans.Attempt {
		return plans.Attempt{Round: round, Attempt: 1, Run: id, Host: "h"}
	}
	records := []*plans.Record{
		{Round: 1, Runner: "a", Clone: "1", Approved: first},
		{Round: 1, Runner: "b", Clone: "2", Approved: first},
		{Round: 1, Runner: "b", Clone: "2", Approved: first, Attempts: []plans.Attempt{run(1, "r1")}},
		{Round: 2, Runner: "a", Clone: "1", Approved: second, Attempts: []plans.Attempt{run(1, "r1")}},
		{Round: 2, Runner: "a", Clone: "1", Approved: second, Attempts: []plans.Attempt{run(1, "r1"), run(2, "r2")}},
		{
			Round: 2, Runner: "a", Clone: "1", Approved: second, Attempts: []plans.Attempt{run(1, "r1"), run(2, "r2")},
			Accepted: &plans.Acceptance{By: "Cyd", Commit: "c3", Head: "h2"}, Delivered: &plans.Delivery{How: "merge", Commit: "m"},
		},
	}
	var got []string
	for _, l := range linkRecords(records, &gate.Passage{AuthorName: "Dan", Commit: "c4"}, &gate.Passage{AuthorName: "Cyd", Commit: "c3"}) {
		got = append(got, fmt.Sprintf("%s %s%s%d%v", l.What, l.Commit, l.Where, l.Round, l.Pending))
	}
	want := []string{
		"approved c10false", "taken-over b0false", "ran h1false", "approved c20false", "ran h2false", "accepted c30false",
		"delivered m0false", "approved c40true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
