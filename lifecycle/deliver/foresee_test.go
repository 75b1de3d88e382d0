package deliver

import (
	"fmt"
	"strings"
	"testing"
)

func TestForesee(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	one := l.on(branch, "work", "a.txt", "one\n", planDir+"/plan.md", "x\n")
	l.Git("branch", "two", l.base)
	two := l.on("two", "work", "a.txt", "two\n", "b.txt", "two\n", planDir+"/plan.md", "y\n")
	l.Git("branch", "three", l.base)
	three := l.on("three", "work", "b.txt", "three\n", planDir+"/plan.md", "z\n")
	got := ok(Foresee(t.Context(), l.repo, l.base, [][2]string{{one, two}, {one, three}, {two, three}, {l.base, one}}))(t)
	if fmt.Sprint(got) != "[[a.txt] [] [b.txt] []]" {
		t.Errorf("%v", got)
	}
}

func TestMergeOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n     int
		pairs string
		want  string
		free  int
	}{
		{0, "", "[]", 0},
		{3, "", "[0 1 2]", 3},
		{3, "01 02", "[1 2 0]", 2}, // the one that both conflict with goes last
		{4, "01 12 23", "[0 2 1 3]", 2},
		{3, "01 12 02", "[0 1 2]", 1},
	} {
		clash := func(a, b int) bool {
			return strings.Contains(c.pairs, fmt.Sprintf("%d%d", min(a, b), max(a, b)))
		}
		if order, free := MergeOrder(c.n, clash); fmt.Sprint(order) != c.want || free != c.free {
			t.Errorf("%d %s: %v %d, want %s %d", c.n, c.pairs, order, free, c.want, c.free)
		}
	}
}
