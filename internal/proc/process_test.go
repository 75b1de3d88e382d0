package proc

import (
	"slices"
	"testing"
)

func TestDescendants(t *testing.T) {
	t.Parallel()
	table := Table{}
	for _, p := range []struct{ pid, parent, group int }{
		{1, 0, 1},
		{10, 1, 10},
		{11, 10, 10},
		{12, 11, 12},
		{20, 1, 20},
		{21, 20, 12},
		{30, 31, 30},
		{31, 30, 30}, // a loop, as a table read while it changes may show
	} {
		table[p.pid] = Process{Identity: Identity{PID: p.pid}, Parent: p.parent, Group: p.group}
	}
	for _, c := range []struct {
		root int
		want []int
	}{{10, []int{11, 12}}, {20, []int{21}}, {12, nil}, {99, nil}, {30, []int{31}}} {
		got := table.Descendants(c.root)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("descendants of %d: %v, want %v", c.root, got, c.want)
		}
	}
	group := table.InGroup(12)
	slices.Sort(group)
	if !slices.Equal(group, []int{12, 21}) {
		t.Errorf("group 12: %v", group)
	}
	if got := table.InGroup(0); got != nil {
		t.Errorf("group 0: %v, want none", got)
	}
}
