package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryPair holds the design's section 2 as a matrix, typed in from its words: rows from, columns to, in the order of
// the table of states. P is a move of a person's, T of Tendril's, B of both, a dot of nobody's.
func TestEveryPair(t *testing.T) {
	t.Parallel()
	order := []Status{
		"draft", "icebox", "approved", "executing", "verifying", "in-review", "changes-requested", "accepted", "merged", "failed", "rejected",
	}
	matrix := []struct {
		from Status
		to   string
	}{
		//                    d i a e v r c A m f x
		{"draft" /*             */, ". P P . . . . . . . P"},
		{"icebox" /*            */, "P . P . . P . . . . P"},
		{"approved" /*          */, "P . . T . . . . . T P"},
		{"executing" /*         */, "P . . . T . . . . T P"},
		{"verifying" /*         */, "P . . T . T . . . T P"},
		{"in-review" /*         */, "P P . . T . P P . . P"},
		{"changes-requested" /* */, "P . . T . P . . . T P"},
		{"accepted" /*          */, ". . . T T B P . T . P"},
		{"merged" /*            */, ". . . . . . . . . . ."},
		{"failed" /*            */, "P . P . T . . . . . P"},
		{"rejected" /*          */, "P . P . . . . . . . ."},
	}
	if len(matrix) != len(order) || !cmp.Equal(order, Statuses()) {
		t.Fatalf("the states are %v", Statuses())
	}
	for _, row := range matrix {
		if len(row.to) != 2*len(order)-1 {
			t.Fatalf("row %s has %d columns", row.from, (len(row.to)+1)/2)
		}
		for i, to := range order {
			cell := row.to[2*i]
			for party, letter := range map[Party]byte{Person: 'P', Tendril: 'T'} {
				want := cell == letter || cell == 'B'
				if got := CanMove(party, row.from, to); got != want {
					t.Errorf("CanMove(%s, %s, %s) = %v, want %v", party, row.from, to, got, want)
				}
				listed := false
				for _, m := range Moves(party, row.from) {
					listed = listed || m == to
				}
				if listed != want {
					t.Errorf("Moves(%s, %s) lists %s: %v, want %v", party, row.from, to, listed, want)
				}
			}
		}
	}
}

func TestUnknownStatusMovesNowhere(t *testing.T) {
	t.Parallel()
	if CanMove(Person, "", Draft) || CanMove(Person, "nonsense", Approved) || CanMove(Party(7), Draft, Approved) || len(Moves(Tendril, "")) != 0 {
		t.Error("an unknown status or party moves")
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		by       Party
		from, to Status
		want     []Status
	}{
		{Tendril, Approved, InReview, []Status{Approved, Executing, Verifying, InReview}},
		{Tendril, Executing, InReview, []Status{Executing, Verifying, InReview}},
		{Tendril, Executing, Executing, []Status{Executing}},
		{Tendril, ChangesRequested, Failed, []Status{ChangesRequested, Failed}},
		{Tendril, Accepted, Merged, []Status{Accepted, Merged}},
		{Tendril, Accepted, Failed, []Status{Accepted, Verifying, Failed}},
		{Person, Draft, Approved, []Status{Draft, Approved}},
		{Person, InReview, Merged, nil},
		{Person, Merged, Draft, nil},
		{Tendril, Draft, Executing, nil},
		{Tendril, Merged, Merged, []Status{Merged}},
		{Tendril, Executing, Merged, nil},
		{Tendril, "", "", nil},
	} {
		got, ok := Path(c.by, c.from, c.to)
		if ok != (c.want != nil) {
			t.Errorf("Path(%s, %s, %s) ok = %v", c.by, c.from, c.to, ok)
		}
		if ok && !cmp.Equal(got, c.want) {
			t.Errorf("Path(%s, %s, %s) = %v, want %v", c.by, c.from, c.to, got, c.want)
		}
	}
}

func TestMovesIsTheCallers(t *testing.T) {
	t.Parallel()
	Moves(Person, Draft)[0] = Merged
	if CanMove(Person, Draft, Merged) {
		t.Error("a caller changed the table")
	}
}
