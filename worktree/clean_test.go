package worktree

import "testing"

func TestCovered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		globs []string
		path  string
		want  bool
	}{
		{nil, ".env", false},
		{[]string{".env"}, ".env", true},
		{[]string{".env*"}, ".env.local", true},
		{[]string{"conf"}, "conf/a/b", true},
		{[]string{"conf/"}, "conf/a", true},
		{[]string{"conf"}, "config", false},
		{[]string{"a["}, "a[", false},
	} {
		if got := covered(c.globs, c.path); got != c.want {
			t.Errorf("%v, %s: %v", c.globs, c.path, got)
		}
	}
}
