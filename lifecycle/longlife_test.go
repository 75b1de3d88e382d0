package lifecycle

import (
	"fmt"
	"testing"

	"tendril/plans"
)

// What an engine remembers does not grow with the commits that it has seen.
func TestALongLife(t *testing.T) {
	t.Parallel()
	r, asked := &remembered{}, 0
	for i := range 3 * mostRemembered {
		question := fmt.Sprint("commit ", i)
		for range 2 {
			if got, err := r.get(question, func() (string, error) { asked++; return question, nil }); err != nil || got != question {
				t.Fatal(got, err)
			}
		}
	}
	if len(r.answers) > mostRemembered || asked != 3*mostRemembered {
		t.Errorf("%d answers kept, asked %d times", len(r.answers), asked)
	}
	b := costBook{map[string][]plans.CostRow{"old": nil, "new": nil}}
	b.keep(&plans.Set{Entries: []*plans.Entry{{Blobs: map[string]string{plans.CostsFile: "new"}}, {}}})
	if _, there := b.rows["new"]; !there || len(b.rows) != 1 {
		t.Errorf("kept %v", b.rows)
	}
}
