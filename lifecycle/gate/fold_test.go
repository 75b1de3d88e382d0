package gate

import (
	"testing"

	"tendril/internal/git"
	"tendril/plans"
)

// move is one step by somebody.
type move struct {
	w  who
	to plans.Status
}

func (m move) step(before plans.Status) step {
	id := git.Ident{Name: m.w.name, Email: m.w.email}
	return step{commit: commit{id: headA, author: id, committer: id}, before: before, to: m.to}
}

func steps(from plans.Status, moves ...move) []step {
	var out []step
	for _, m := range moves {
		out = append(out, m.step(from))
		from = m.to
	}
	return out
}

// The design's section 2, spelled out once more on its own: which status counts after these steps, and how many were
// ignored.
func TestFold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		moves   []move
		want    plans.Status
		ignored int
	}{
		"nothing":                         {nil, plans.Draft, 0},
		"first seen approved":             {[]move{{pat, plans.Approved}}, plans.Approved, 0},
		"first seen executing":            {[]move{{pat, plans.Executing}}, plans.Draft, 1},
		"first seen merged":               {[]move{{pat, plans.Merged}}, plans.Draft, 1},
		"first seen accepted, by tendril": {[]move{{engine, plans.Accepted}}, plans.Draft, 1},
		"a finding":                       {[]move{{engine, plans.Icebox}}, plans.Icebox, 0},
		"tendril ices a draft":            {[]move{{pat, plans.Draft}, {engine, plans.Icebox}}, plans.Draft, 1},
		"the ordinary life": {[]move{
			{pat, plans.Draft},
			{pat, plans.Approved},
			{engine, plans.Executing},
			{engine, plans.InReview},
			{pat, plans.Accepted},
			{engine, plans.Merged},
		}, plans.Merged, 0},
		"folded by tendril":                {[]move{{pat, plans.Approved}, {engine, plans.InReview}}, plans.InReview, 0},
		"not folded by a person":           {[]move{{pat, plans.Approved}, {engine, plans.Executing}, {pat, plans.Approved}}, plans.Executing, 1},
		"tendril approves":                 {[]move{{pat, plans.Draft}, {engine, plans.Approved}}, plans.Draft, 1},
		"tendril accepts":                  {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {engine, plans.Accepted}}, plans.InReview, 1},
		"accepted while executing":         {[]move{{pat, plans.Approved}, {engine, plans.Executing}, {pat, plans.Accepted}}, plans.Executing, 1},
		"and tendril goes on":              {[]move{{pat, plans.Approved}, {engine, plans.Executing}, {pat, plans.Accepted}, {engine, plans.InReview}}, plans.InReview, 1},
		"and taken back":                   {[]move{{pat, plans.Approved}, {engine, plans.Executing}, {pat, plans.Accepted}, {pat, plans.Executing}}, plans.Executing, 1},
		"nothing leaves merged":            {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Accepted}, {engine, plans.Merged}, {pat, plans.Approved}, {pat, plans.Rejected}, {engine, plans.Executing}}, plans.Merged, 3},
		"an agent approves":                {[]move{{pat, plans.Draft}, {agent, plans.Approved}}, plans.Draft, 1},
		"an agent rejects":                 {[]move{{pat, plans.Draft}, {agent, plans.Rejected}}, plans.Draft, 1},
		"back from the icebox to review":   {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Icebox}, {pat, plans.InReview}}, plans.InReview, 0},
		"from the icebox to review":        {[]move{{pat, plans.Icebox}, {pat, plans.InReview}}, plans.Icebox, 1},
		"through a draft to the icebox":    {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Draft}, {pat, plans.Icebox}, {pat, plans.InReview}}, plans.Icebox, 1},
		"withdrawn":                        {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Accepted}, {pat, plans.InReview}}, plans.InReview, 0},
		"approved again after a failure":   {[]move{{pat, plans.Approved}, {engine, plans.Failed}, {pat, plans.Approved}}, plans.Approved, 0},
		"a person says failed":             {[]move{{pat, plans.Approved}, {pat, plans.Failed}}, plans.Approved, 1},
		"rejected while running":           {[]move{{pat, plans.Approved}, {engine, plans.Executing}, {pat, plans.Rejected}, {engine, plans.InReview}}, plans.Rejected, 1},
		"mended by hand after it failed":   {[]move{{pat, plans.Approved}, {engine, plans.Failed}, {engine, plans.Verifying}, {engine, plans.InReview}}, plans.InReview, 0},
		"sent back by a moved branch":      {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Accepted}, {engine, plans.InReview}}, plans.InReview, 0},
		"changes requested, second round":  {[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.ChangesRequested}, {engine, plans.InReview}}, plans.InReview, 0},
		"changes requested while approved": {[]move{{pat, plans.Approved}, {pat, plans.ChangesRequested}}, plans.Approved, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := track{}
			for _, s := range steps("", c.moves...) {
				tr = tr.apply(s, headB, rules)
			}
			if tr.current() != c.want || len(tr.effective.Invalid) != c.ignored {
				t.Errorf("got %s with %d ignored (%+v), want %s with %d", tr.current(), len(tr.effective.Invalid), tr.effective.Invalid, c.want, c.ignored)
			}
		})
	}
}

func TestFoldMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		here    []move
		from    plans.Status
		side    []move
		want    plans.Status
		ignored int
	}{
		"one step": {[]move{{pat, plans.Draft}}, plans.Draft, []move{{boss, plans.Approved}}, plans.Approved, 0},
		"a whole life": {[]move{{pat, plans.Draft}}, plans.Draft, []move{
			{boss, plans.Approved},
			{engine, plans.InReview},
			{boss, plans.Accepted},
			{engine, plans.Merged},
		}, plans.Merged, 0},
		"both approved": {[]move{{pat, plans.Approved}}, plans.Draft, []move{{boss, plans.Approved}, {engine, plans.Executing}}, plans.Executing, 0},
		"accepted there before it was verified": {
			[]move{{pat, plans.Approved}, {engine, plans.Executing}},
			plans.Executing,
			[]move{{boss, plans.Accepted}},
			plans.Executing,
			1,
		},
		"accepted there, another round here": {
			[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.ChangesRequested}, {engine, plans.Executing}},
			plans.InReview,
			[]move{{boss, plans.Accepted}},
			plans.Executing,
			1,
		},
		"drafted here, delivered there": {
			[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Rejected}},
			plans.InReview,
			[]move{{boss, plans.Accepted}, {engine, plans.Merged}},
			plans.Merged,
			0,
		},
		"an illegal step there": {[]move{{pat, plans.Draft}}, plans.Draft, []move{{boss, plans.Merged}}, plans.Draft, 1},
		"nothing comes back from merged": {
			[]move{{pat, plans.Approved}, {engine, plans.InReview}, {pat, plans.Accepted}, {engine, plans.Merged}},
			plans.InReview,
			[]move{{boss, plans.Draft}},
			plans.Merged,
			1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := track{}
			for _, s := range steps("", c.here...) {
				tr = tr.apply(s, headA, rules)
			}
			side := steps(c.from, c.side...)
			tr = tr.merge(side, side[len(side)-1].to, headB, rules)
			if tr.current() != c.want || len(tr.effective.Invalid) != c.ignored {
				t.Errorf("got %s, %+v, want %s and %d ignored", tr.current(), tr.effective.Invalid, c.want, c.ignored)
			}
		})
	}
}
