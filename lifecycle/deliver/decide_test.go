package deliver

import (
	"slices"
	"testing"

	"tendril/plans"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const accepted, merged, older, other, base = "aaaa", "mmmm", "llll", "oooo", "bbbb"
	quiet := Input{AcceptedHead: accepted, BranchHead: accepted, RecordedBase: base, BaseTip: base}
	with := func(change func(*Input)) Input {
		in := quiet
		change(&in)
		return in
	}
	onMerge := func(change func(*Input)) Input {
		return with(func(in *Input) {
			in.BranchHead, in.DeliveringHead, in.DeliveringBase, in.Automatic = merged, merged, base, true
			change(in)
		})
	}
	cases := map[string]struct {
		in   Input
		step Step
		head string
	}{
		"nothing accepted":                {with(func(in *Input) { in.AcceptedHead = "" }), Nothing, ""},
		"base is what was verified":       {quiet, Merge, accepted},
		"already in the base":             {with(func(in *Input) { in.InBase = true }), Done, accepted},
		"in the base, branch moved since": {with(func(in *Input) { in.InBase, in.BranchHead, in.MovedBy = true, other, Agent }), Done, accepted},
		"in the base, branch gone":        {with(func(in *Input) { in.InBase, in.BranchHead = true, "" }), Done, accepted},
		"base gone":                       {with(func(in *Input) { in.BaseTip = "" }), Nothing, ""},
		"branch gone":                     {with(func(in *Input) { in.BranchHead = "" }), Nothing, ""},
		"base set back":                   {with(func(in *Input) { in.Lost, in.MovedBase = Lost{Commits: []string{"x"}, Since: older}, true }), Verify, ""},
		"base moved":                      {with(func(in *Input) { in.MovedBase = true }), Integrate, accepted},
		"base moved and conflicts":        {with(func(in *Input) { in.MovedBase, in.Conflict = true, true }), Mend, accepted},
		"conflicts in bookkeeping alone":  {with(func(in *Input) { in.Conflict = true }), Mend, accepted},
		"branch moved by a person":        {with(func(in *Input) { in.BranchHead, in.MovedBy = other, Person }), Verify, ""},
		"branch moved by an agent":        {with(func(in *Input) { in.BranchHead, in.MovedBy = other, Agent }), Review, ""},
		"branch moved by who knows":       {with(func(in *Input) { in.BranchHead, in.MovedBy = other, Unknown }), Verify, ""},
		"branch rewound":                  {with(func(in *Input) { in.BranchHead, in.MovedBy = older, Person }), Verify, ""},
		"branch and base moved":           {with(func(in *Input) { in.BranchHead, in.MovedBy, in.MovedBase = other, Person, true }), Verify, ""},
		"on the merge, unchecked":         {onMerge(func(*Input) {}), Check, merged},
		"on the merge, passed":            {onMerge(func(in *Input) { in.Checked = Passed }), Merge, merged},
		"on the merge, failed":            {onMerge(func(in *Input) { in.Checked = Failed }), Mend, merged},
		"on the merge, passed, base moved again": {
			onMerge(func(in *Input) { in.Checked, in.MovedBase = Passed, true }), Integrate, merged,
		},
		"on the merge, base moved again and conflicts": {
			onMerge(func(in *Input) { in.Checked, in.MovedBase, in.Conflict = Passed, true, true }), Mend, merged,
		},
		"on a merge that was not recorded": {
			onMerge(func(in *Input) { in.DeliveringHead, in.DeliveringBase, in.Checked = "", "", Unchecked }), Check, merged,
		},
		"a verdict about another merge": {
			onMerge(func(in *Input) { in.DeliveringHead, in.Checked = older, Passed }), Check, merged,
		},
		"recorded as delivering, branch not there yet": {
			with(func(in *Input) { in.DeliveringHead, in.DeliveringBase, in.MovedBase = merged, base, true }), Integrate, accepted,
		},
		"an old pass does not let the accepted head in on a moved base": {
			with(func(in *Input) { in.DeliveringHead, in.Checked, in.MovedBase = merged, Passed, true }), Integrate, accepted,
		},
		"a person's commit on top of the merge": {
			onMerge(func(in *Input) { in.BranchHead, in.Automatic, in.MovedBy, in.Checked = other, false, Person, Passed }), Verify, "",
		},
		"an agent's hand in the merge": {
			onMerge(func(in *Input) { in.Automatic, in.MovedBy, in.Checked = false, Agent, Passed }), Review, "",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Decide(c.in)
			if got.Step != c.step || got.Head != c.head {
				t.Errorf("got %q of %q (%s), want %q of %q", got.Step, got.Head, got.Why, c.step, c.head)
			}
			if got.Why == "" {
				t.Error("no reason is given")
			}
		})
	}
}

// Every step that Decide can name must be a legal move of the plan, or none.
func TestStepsAreMovesOfTheMatrix(t *testing.T) {
	t.Parallel()
	for step, to := range map[Step]plans.Status{
		Verify: plans.Verifying, Review: plans.InReview, Mend: plans.Executing, Done: plans.Merged,
	} {
		if !plans.CanMove(plans.Tendril, plans.Accepted, to) {
			t.Errorf("%s needs accepted → %s, which Tendril may not", step, to)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	got := Order([]Waiting{
		{Key: "0009-i", Base: "main"},
		{Key: "0002-b", Base: "main"},
		{Key: "0007-g", Base: "main", Priority: 3},
		{Key: "0011-k", Base: "main", UnderWay: true},
		{Key: "10000-z", Base: "main"},
	})
	var keys []plans.Key
	for _, w := range got {
		keys = append(keys, w.Key)
	}
	if want := []plans.Key{"0011-k", "0007-g", "0002-b", "0009-i", "10000-z"}; !slices.Equal(keys, want) {
		t.Errorf("got %v, want %v", keys, want)
	}
}
