package lifecycle

import (
	"testing"

	"tendril/plans"
)

func TestExaminePlans(t *testing.T) {
	t.Parallel()
	whole := decided{entry: &plans.Entry{Key: "0001-a"}}
	broken := decided{entry: &plans.Entry{Key: "0002-b"}, facts: Facts{Problem: "x"}}
	for name, c := range map[string]struct {
		all    []decided
		strays []string
		state  string
		found  string
	}{
		"all well":    {[]decided{whole}, nil, Good, "1"},
		"one broken":  {[]decided{whole, broken}, nil, Note, "1 of 2 cannot be read: 0002-b"},
		"a bad name":  {[]decided{whole}, []string{"0003-Big", "12-short"}, Note, "1; for their names these are none: 0003-Big, 12-short"},
		"broken wins": {[]decided{broken}, []string{"0003-Big"}, Note, "1 of 1 cannot be read: 0002-b"},
	} {
		if f := examinePlans(c.all, c.strays); f.State != c.state || f.Found != c.found {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
