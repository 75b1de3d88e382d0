package proc

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " 1 2 3 0 -1 4194560 1 1 0 0 10 20 30 40 20 0 1 0 987654 1000 1 1"
	for _, c := range []struct {
		name, line string
		zombie     bool
		bad        bool
	}{
		{name: "plain", line: "42 (sh) S" + rest},
		{name: "name with spaces and parentheses", line: "42 (a) R (b c) S" + rest},
		{name: "name with a newline", line: "42 (a\nb) R" + rest},
		{name: "zombie", line: "42 (sh) Z" + rest, zombie: true},
		{name: "only the first thread ended", line: "42 (sh) Z 1 2 3 0 -1 4194560 1 1 0 0 10 20 30 40 20 0 7 0 987654 1000 1 1"},
		{name: "dead", line: "42 (sh) X" + rest, zombie: true},
		{name: "no name", line: "42 sh S" + rest, bad: true},
		{name: "short", line: "42 (sh) S 1 2 3", bad: true},
		{name: "no number", line: "42 (sh) S x 2 3 0 -1 4194560 1 1 0 0 10 20 30 40 20 0 1 0 987654 1000 1 1", bad: true},
		{name: "empty", line: "", bad: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, zombie, err := parseStat(c.line)
			if (err != nil) != c.bad {
				t.Fatalf("error %v, want one: %v", err, c.bad)
			}
			if c.bad {
				return
			}
			if p.Parent != 1 || p.Group != 2 || p.Start != "987654" || p.CPU != time.Second || zombie != c.zombie {
				t.Errorf("got %+v, zombie %v", p, zombie)
			}
		})
	}
}
