package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/runners"
)

// Nobody is passed over where there is too much to hear: the next hearing begins behind the last.
func TestListenersTakeTurns(t *testing.T) {
	t.Parallel()
	l := &listeners{at: map[string]*runners.Follower{"a": nil, "b": nil, "c": nil}}
	for _, c := range []struct {
		heard string
		want  []string
	}{
		{"", []string{"a", "b", "c"}}, {"a", []string{"b", "c", "a"}}, {"c", []string{"a", "b", "c"}}, {"bb", []string{"c", "a", "b"}},
	} {
		l.heard = c.heard
		if diff := cmp.Diff(c.want, l.inTurn()); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", c.heard, diff)
		}
	}
}
