package runners

import (
	"testing"
	"time"
)

func TestStallWatch(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	type look struct {
		at   time.Duration // since the start
		size int64
		cpu  time.Duration
	}
	minute := func(m float64, size int64, cpu time.Duration) look {
		return look{time.Duration(m * float64(time.Minute)), size, cpu}
	}
	for _, c := range []struct {
		name    string
		unknown bool // the system does not tell CPU times: cpu is 1 with processes below the agent, 0 without
		limit   time.Duration
		looks   []look
		at      int // the look that finds it stalled; -1 for none
	}{
		{"no limit", false, 0, []look{minute(1000, 0, 0)}, -1},
		{"silent and idle", false, 30 * time.Minute, []look{minute(1, 0, 0), minute(16, 0, time.Second), minute(29, 0, time.Second), minute(30, 0, time.Second)}, 3},
		{"silent from the first moment on", false, 30 * time.Minute, []look{minute(31, 0, 0)}, 0},
		{"output", false, 30 * time.Minute, []look{minute(29, 1, 0), minute(58, 2, 0), minute(87, 3, 0), minute(116, 3, 0), minute(117, 3, 0)}, 4},
		{"at work", false, 30 * time.Minute, []look{minute(16, 0, 0), minute(20, 0, time.Minute), minute(49, 0, 2*time.Minute), minute(60, 0, 2*time.Minute), minute(80, 0, 2*time.Minute)}, 4},
		// A heartbeat is no life: an agent that only waits uses a little time too.
		{"a heartbeat", false, 30 * time.Minute, []look{minute(16, 0, 0), minute(20, 0, 500*time.Millisecond), minute(26, 0, time.Second), minute(30, 0, 1500*time.Millisecond)}, 3},
		// A process that ended takes its time out of the sum; then it is counted anew.
		{"a sum that shrinks", false, 30 * time.Minute, []look{minute(16, 0, time.Hour), minute(20, 0, 0), minute(24, 0, time.Minute), minute(30, 0, time.Minute), minute(53, 0, time.Minute), minute(54, 0, time.Minute)}, 5},
		{"unknown, with processes", true, 30 * time.Minute, []look{minute(16, 0, 1), minute(31, 0, 1), minute(100, 0, 1)}, -1},
		{"unknown, without", true, 30 * time.Minute, []look{minute(16, 0, 0), minute(31, 0, 0)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := &stallWatch{limit: c.limit, alive: start}
			for i, l := range c.looks {
				got := w.stalled(start.Add(l.at), l.size, func() (time.Duration, bool) { return l.cpu, !c.unknown })
				if got != (i == c.at) {
					t.Fatalf("look %d at %s: stalled %v", i, l.at, got)
				}
				if got {
					return
				}
			}
		})
	}
}

// Looking at every process costs: it is left alone as long as there is output, and not done at every look.
func TestStallWatchLooksSeldom(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	w := &stallWatch{limit: 30 * time.Minute, alive: start}
	looks := 0
	for at := time.Duration(0); at < 29*time.Minute; at += looking {
		w.stalled(start.Add(at), 0, func() (time.Duration, bool) { looks++; return 0, true })
	}
	if looks < 5 || looks > 12 {
		t.Errorf("looked %d times in half an hour of silence", looks)
	}
}
