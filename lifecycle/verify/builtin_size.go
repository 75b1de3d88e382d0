package verify

import (
	"fmt"
	"slices"

	"tendril/plans"
	"tendril/worktree"
)

const (
	// bigBinary is the size from which a binary file is large, in bytes.
	bigBinary = 5 << 20
	// Deleted lines are out of proportion where there are so many, and so many times as many as added ones; files so many,
	// and so many times as many as the others of the change.
	manyLines, linesRatio = 1000, 5
	manyFiles, filesRatio = 20, 3
)

// bigBinaries names the binary files of a change that are large. What was as large before and only changed counts, too:
// history keeps both.
func bigBinaries(files []worktree.FileStat, sizes map[string]int64) []string {
	var found []string
	for _, f := range files {
		if size := sizes[f.NewBlob]; f.Binary && f.NewBlob != f.OldBlob && size >= bigBinary {
			found = append(found, fmt.Sprintf("%s: a binary file of %d MB", f.Path, size>>20))
		}
	}
	return found
}

// disproportion says what is deleted out of proportion; empty where nothing is. What is generated does not count.
func disproportion(files []worktree.FileStat, generated []string) string {
	var added, deleted, gone, other int
	for _, f := range files {
		if slices.Contains(generated, f.Path) {
			continue
		}
		added, deleted = added+f.Added, deleted+f.Deleted
		if f.Status == "D" {
			gone++
		} else {
			other++
		}
	}
	switch {
	case gone >= manyFiles && gone > filesRatio*other:
		return fmt.Sprintf("%d files are deleted, %d others changed", gone, other)
	case deleted >= manyLines && deleted > linesRatio*added:
		return fmt.Sprintf("%d lines are deleted, %d added", deleted, added)
	}
	return ""
}

// judgeSize notes large binaries and what is deleted out of proportion.
func (t *tally) judgeSize(binaries []string) {
	if _, skipped := t.Plan.Skip[CheckBinaries]; skipped || len(binaries) > 0 || t.Only == CheckBinaries {
		t.judge(CheckBinaries, binaries)
	}
	words := disproportion(t.diff.Files, t.summary.Generated)
	if t.Only != "" || words == "" {
		return
	}
	c := plans.CheckResult{Name: CheckDeletions, Result: plans.ResultFailed, Tail: words}
	if reason, ok := t.Plan.Skip[CheckDeletions]; ok {
		c.Result, c.Tail = plans.ResultSkipped, reason
	}
	t.builtins = append(t.builtins, c)
}
