package plans

import "slices"

// Party is who changes a status.
type Party int

const (
	// Person is anybody who is not Tendril: the gates are theirs.
	Person Party = iota
	// Tendril is the engine.
	Tendril
)

// String names the party for messages.
func (p Party) String() string {
	if p == Tendril {
		return "tendril"
	}
	return "person"
}

// moves is the one table of the design's section 2: who may move a plan from where to where. Nothing leaves merged.
// It is read only.
var moves = map[Party]map[Status][]Status{
	Person: {
		Draft:            {Approved, Icebox, Rejected},
		Icebox:           {Draft, Approved, InReview, Rejected},
		Approved:         {Draft, Rejected},
		Executing:        {Draft, Rejected},
		Verifying:        {Draft, Rejected},
		InReview:         {Accepted, ChangesRequested, Icebox, Draft, Rejected},
		ChangesRequested: {InReview, Draft, Rejected},
		Accepted:         {InReview, ChangesRequested, Rejected},
		Failed:           {Approved, Draft, Rejected},
		Rejected:         {Approved, Draft},
	},
	Tendril: {
		Approved:         {Executing, Failed},
		Executing:        {Verifying, Failed},
		Verifying:        {Executing, InReview, Failed},
		InReview:         {Verifying},
		ChangesRequested: {Executing, Failed},
		Accepted:         {Merged, Verifying, Executing, InReview},
		Failed:           {Verifying},
	},
}

// CanMove tells whether by may set a plan from one status to the other. A status is no move to itself.
func CanMove(by Party, from, to Status) bool { return slices.Contains(moves[by][from], to) }

// Moves returns where by may set a plan that stands at from, for a refusal that names them. The slice is the caller's.
func Moves(by Party, from Status) []Status { return slices.Clone(moves[by][from]) }

// Path returns the shortest chain of moves that by may make from one status to the other, both ends included, and whether
// there is one; from a status to itself it is that status alone. A commit that folds several steps names them by it.
func Path(by Party, from, to Status) ([]Status, bool) {
	if from == to {
		return []Status{from}, slices.Contains(Statuses(), from)
	}
	before := map[Status]Status{from: from}
	for queue := []Status{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range moves[by][queue[0]] {
			if _, seen := before[next]; seen {
				continue
			}
			before[next] = queue[0]
			if next == to {
				return walkBack(before, from, to), true
			}
			queue = append(queue, next)
		}
	}
	return nil, false
}

func walkBack(before map[Status]Status, from, to Status) []Status {
	path := []Status{to}
	for at := to; at != from; {
		at = before[at]
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}
