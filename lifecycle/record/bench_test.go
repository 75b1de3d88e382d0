package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// manyFiles fills a repository with n small files in folders of a hundred, by objects.
func (f fixture) manyFiles(n int) {
	f.t.Helper()
	blob := f.Git("hash-object", "-w", "src/code.go")
	var feed strings.Builder
	for i := range n {
		fmt.Fprintf(&feed, "100644 %s\tmany/%03d/%05d.txt\n", blob, i/100, i)
	}
	feedFile := filepath.Join(testkit.TempDir(f.t), "feed")
	if err := os.WriteFile(feedFile, []byte(feed.String()), 0o600); err != nil {
		f.t.Fatal(err)
	}
	in, err := os.Open(feedFile)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	gitStdin(f.t, f.Dir, in, "update-index", "--add", "--index-info")
	f.Git("commit", "-q", "-m", "many files")
	for _, args := range [][]string{{"git", "checkout", "-q", "-f"}, {"git", "status"}} {
		// Without testkit's limit of time: so many new files can take minutes on a busy disk.
		if err := f.run(args...); err != nil {
			f.t.Fatal(err)
		}
	}
}

// BenchmarkStateChange compares a change of state by the whole protocol with `git commit --only`, in a repository of
// 50 000 files, by turns, and reports the medians and their ratio. It runs once, whatever b.N.
func BenchmarkStateChange(b *testing.B) {
	f := newFixture(b)
	f.manyFiles(50_000)
	r := f.recorder()
	r.Log = nil
	const rounds = 9
	var ours, gits []time.Duration
	for i := range rounds {
		next := strings.Replace(planText, "priority: 3", fmt.Sprintf("priority: %d", i+10), 1)
		start := time.Now()
		if _, err := r.Commit(b.Context(), build(map[string]*string{planPath: &next, recordPath: ptr(fmt.Sprintf("round: %d\n", i))})); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(start))
		f.Write(planPath, next+"more\n")
		start = time.Now()
		f.Git("commit", "-q", "--only", "-m", "state", "--", planPath)
		gits = append(gits, time.Since(start))
	}
	slices.Sort(ours)
	slices.Sort(gits)
	b.ReportMetric(float64(ours[rounds/2].Milliseconds()), "ms/step")
	b.ReportMetric(float64(gits[rounds/2].Milliseconds()), "ms/git-commit-only")
	b.ReportMetric(float64(ours[rounds/2])/float64(gits[rounds/2]), "ratio")
	b.ReportMetric(0, "ns/op")
	if got := f.status(); got != "" {
		b.Errorf("status: %s", got)
	}
}
