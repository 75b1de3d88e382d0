package plans

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The files of a plan's folder that Tendril and people write.
const (
	PlanFile         = "plan.md"
	RecordFile       = "record.yaml"
	ReviewFile       = "review.md"
	ChangesFile      = "changes.diff"
	VerificationFile = "verification.md"
	CostsFile        = "costs.csv"
	SummaryFile      = "summary.md"
	MemoryFile       = "memory.md"
	ComparisonFile   = "comparison.md"
	// BoardFile lies in the plans folder itself.
	BoardFile = "README.md"
)

// Set is every plan of one commit. It and what it holds are shared between readers: nobody changes them.
type Set struct {
	// Commit is what was read, Dir the plans folder in it.
	Commit, Dir string
	// Entries are sorted by number, then key.
	Entries []*Entry
	// Strays are folders that look like a plan's and are none for their name: a number first, a plan.md in it, and no key.
	Strays []string
}

// Entry is one plan's folder. Where the plan cannot be read, Plan is nil and Err says why.
type Entry struct {
	Key Key
	// Plan is what plan.md says. Err is what is wrong with it, or with its record: the plan may be there beside an Err.
	Plan *Plan
	Err  error
	// Record is nil when there is none or it cannot be read (RecordErr).
	Record    *Record
	RecordErr error
	// Blobs are the regular files directly in the folder: name to blob id.
	Blobs map[string]string
}

// ErrNoPlan is what Find wraps where no plan has the name.
var ErrNoPlan = errors.New("no such plan")

// Find returns the plan that a key or a number ("7", "0007") names. A number that two folders carry is refused with both
// names; a name that no plan has gives ErrNoPlan.
func (s *Set) Find(ref string) (*Entry, error) {
	if ref != "" && leadingDigits(ref) == len(ref) {
		return s.byNumber(ref)
	}
	for _, e := range s.Entries {
		if string(e.Key) == ref {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%q: %w\n  tendril list shows the keys", clip(ref), ErrNoPlan)
}

func (s *Set) byNumber(ref string) (*Entry, error) {
	n, err := strconv.Atoi(ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n  tendril list shows the keys", clip(ref), ErrNoPlan)
	}
	var found []*Entry
	for _, e := range s.Entries {
		if e.Key.Number() == n {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("plan %d: %w\n  tendril list shows the keys", n, ErrNoPlan)
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, e := range found {
		names[i] = string(e.Key)
	}
	return nil, fmt.Errorf("plan %d is ambiguous: %s\n  give the whole key", n, strings.Join(names, ", "))
}
