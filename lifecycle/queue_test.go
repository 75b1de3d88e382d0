package lifecycle

import "testing"

// However many plans wait for a free place and however often that is looked at, one line says so.
func TestTheQueueIsToldOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		told   bool
		queued int
		want   string
	}{
		{false, 0, ""},
		{false, 1, "one plan waits for a free place"},
		{false, 4, "4 plans wait for a free place"},
		{true, 5, ""},
		{true, 0, ""},
	} {
		if got := queueWords(c.told, c.queued); got != c.want {
			t.Errorf("%v, %d: %q, want %q", c.told, c.queued, got, c.want)
		}
	}
	if w := waitFor(Contender{Key: "0002-b"}, nil, workload{places: 1}, Limits{Parallel: 1}); w == nil || !w.Place {
		t.Errorf("waits for %+v", w)
	}
}
