package record

import (
	"bytes"

	"tendril/plans"
)

// SpliceStatus sets theirs' status line to new's when theirs still has old's status. Everything else of theirs stays, byte
// for byte.
func SpliceStatus(theirs, old, new []byte) ([]byte, bool) {
	was, err := plans.StatusOf(old)
	if err != nil {
		return nil, false
	}
	is, err := plans.StatusOf(new)
	if err != nil {
		return nil, false
	}
	has, err := plans.StatusOf(theirs)
	if err != nil || has != was || was == is {
		return nil, false
	}
	out, err := plans.SetStatus(theirs, is)
	if err != nil || bytes.Equal(out, theirs) {
		return nil, false
	}
	return out, true
}
