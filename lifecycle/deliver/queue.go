package deliver

import (
	"cmp"
	"slices"

	"tendril/plans"
)

// Waiting is an accepted plan that waits for its turn.
type Waiting struct {
	Key      plans.Key
	Priority int
	// Base is the branch it goes into.
	Base string
	// UnderWay is true once its merge with the base is recorded as delivering.
	UnderWay bool
}

// Order is the order in which accepted plans go in: what is under way first, then by priority, higher first, then by
// number. Of plans for one base only the first may take a step: they go in one at a time.
func Order(all []Waiting) []Waiting {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Waiting) int {
		if a.UnderWay != b.UnderWay {
			if a.UnderWay {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Key.Number(), b.Key.Number()), cmp.Compare(a.Key, b.Key))
	})
	return sorted
}
