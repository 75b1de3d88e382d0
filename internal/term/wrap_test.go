package term

import "testing"

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short\n", 20, "short\n"},
		{"one two three four\n", 0, "one two three four\n"},
		{"  one two three four\nnext", 12, "  one two\n      three\n      four\nnext"},
		{"a-word-that-is-wider-than-all here\n", 10, "a-word-that-is-wider-than-all\n    here\n"},
		{"    → tendril approve 0001-x, then\n", 24, "    → tendril approve\n        0001-x, then\n"},
		{"", 10, ""},
	} {
		if got := Wrap(c.in, c.width); got != c.want {
			t.Errorf("%q at %d: %q", c.in, c.width, got)
		}
	}
}
