package verify

import (
	"fmt"
	"strings"
	"testing"

	"tendril/worktree"
)

func TestBigBinaries(t *testing.T) {
	t.Parallel()
	files := []worktree.FileStat{
		{Path: "new", Binary: true, NewBlob: "a"},
		{Path: "renamed", Binary: true, OldBlob: "a", NewBlob: "a"},
		{Path: "text", NewBlob: "a"},
		{Path: "small", Binary: true, NewBlob: "b"},
	}
	if got := fmt.Sprint(bigBinaries(files, map[string]int64{"a": 6 << 20, "b": bigBinary - 1})); got != "[new: a binary file of 6 MB]" {
		t.Error(got)
	}
}

func TestDisproportion(t *testing.T) {
	t.Parallel()
	gone := func(n, lines int) (all []worktree.FileStat) {
		for i := range n {
			all = append(all, worktree.FileStat{Path: fmt.Sprintf("gone/%d", i), Status: "D", Deleted: lines})
		}
		return all
	}
	for _, c := range []struct {
		files     []worktree.FileStat
		generated string
		want      string
	}{
		{nil, "", ""},
		{gone(19, 1), "", ""},
		{gone(20, 1), "", "20 files are deleted, 0 others changed"},
		{append(gone(20, 1), make([]worktree.FileStat, 7)...), "", ""},
		{gone(1, 1000), "", "1000 lines are deleted, 0 added"},
		{gone(1, 1000), "gone/0", ""},
		{[]worktree.FileStat{{Path: "x", Status: "M", Deleted: 1000, Added: 200}}, "", ""},
		{[]worktree.FileStat{{Path: "x", Status: "M", Deleted: 1001, Added: 200}}, "", "1001 lines are deleted, 200 added"},
	} {
		if got := disproportion(c.files, strings.Fields(c.generated)); got != c.want {
			t.Errorf("%d files: %q, want %q", len(c.files), got, c.want)
		}
	}
}
