package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// row is one row of the table in the protocol: what a person has there, and what index, working tree and status are after
// a step.
type row struct {
	name    string
	path    string
	arrange func(f fixture)
	// index and work are the contents wanted after the step, "-" for none; status is the path's two letters, empty for none.
	index, work, status string
	left                bool // the path is reported as left
}

func rows() []row {
	executing := withStatus(planText, "executing")
	edited := strings.Replace(planText, "priority: 3", "priority: 7 # mine", 1)
	editedExecuting := withStatus(edited, "executing")
	rejected := withStatus(edited, "rejected")
	record2 := *standard[recordPath]
	rm := func(p string) func(f fixture) {
		return func(f fixture) {
			if err := os.Remove(filepath.Join(f.Dir, p)); err != nil {
				f.t.Fatal(err)
			}
		}
	}
	write := func(p, text string) func(f fixture) { return func(f fixture) { f.Write(p, text) } }
	stage := func(p, text string) func(f fixture) {
		return func(f fixture) { f.Write(p, text); f.Git("add", "--", p) }
	}
	return []row{
		{"I=o, W=o", recordPath, func(fixture) {}, record2, record2, "", false},
		{"I=o, W=o, plan.md", planPath, func(fixture) {}, executing, executing, "", false},
		{"W=n already (half-done step)", recordPath, write(recordPath, record2), record2, record2, "", false},
		{"W=n already (half-done step), plan.md", planPath, write(planPath, executing), executing, executing, "", false},
		{"I=o, W edited, plan.md", planPath, write(planPath, edited), executing, editedExecuting, " M", false},
		{"I=o, W edited, plan.md, status edited too", planPath, write(planPath, rejected), executing, rejected, " M", true},
		{"I=o, W edited, plan.md, unreadable", planPath, write(planPath, "---\nstatus: [\n"), executing, "---\nstatus: [\n", " M", true},
		{"I=o, W edited, other file", recordPath, write(recordPath, "mine\n"), record2, "mine\n", " M", true},
		{"I≠o staged, plan.md", planPath, stage(planPath, edited), editedExecuting, editedExecuting, "M ", false},
		{"I≠o staged, plan.md, edited again", planPath, func(f fixture) {
			stage(planPath, edited)(f)
			f.Write(planPath, edited+"more\n")
		}, editedExecuting, editedExecuting + "more\n", "MM", false},
		{"I≠o staged, plan.md, status staged too", planPath, stage(planPath, rejected), rejected, rejected, "M ", true},
		{"I≠o staged, plan.md, file removed", planPath, func(f fixture) { stage(planPath, edited)(f); rm(planPath)(f) }, editedExecuting, "-", "MD", false},
		{"I≠o staged, other", recordPath, stage(recordPath, "mine\n"), "mine\n", "mine\n", "M ", true},
		{"I≠o staged, other, edited again", recordPath, func(f fixture) {
			stage(recordPath, "mine\n")(f)
			f.Write(recordPath, "again\n")
		}, "mine\n", "again\n", "MM", true},
		{"I=n staged already", recordPath, stage(recordPath, record2), record2, record2, "", false},
		{"W deleted, I=o", recordPath, rm(recordPath), record2, "-", " D", false},
		{"W deleted, I=o, plan.md", planPath, rm(planPath), executing, "-", " D", false},
		{"I deleted (rm)", recordPath, func(f fixture) { f.Git("rm", "-q", recordPath) }, "-", "-", "D ", true},
		{"I deleted (rm --cached)", recordPath, func(f fixture) { f.Git("rm", "-q", "--cached", recordPath) }, "-", "version: 1\nround: 1\n", "D ??", true},
		{"new path, nothing there", newPath, func(fixture) {}, "passed\n", "passed\n", "", false},
		{"new path, untracked file there", newPath, write(newPath, "mine\n"), "passed\n", "mine\n", " M", true},
		{"new path, untracked file there with the same content", newPath, write(newPath, "passed\n"), "passed\n", "passed\n", "", false},
		{"new path, ignored file there", newPath, func(f fixture) {
			f.Write(".git/info/exclude", "verification.md\n")
			f.Write(newPath, "mine\n")
		}, "passed\n", "mine\n", " M", true},
		{"new path, i-t-a file there", newPath, func(f fixture) { f.Write(newPath, "mine\n"); f.Git("add", "-N", newPath) }, "passed\n", "mine\n", " M", true},
		{"new path, person staged one", newPath, stage(newPath, "mine\n"), "mine\n", "mine\n", "M ", true},
		{"new path, folder there", newPath, func(f fixture) { f.Write(newPath+"/mine", "mine\n") }, "passed\n", "folder", " D", true},
		{"skip-worktree, file away", recordPath, func(f fixture) {
			f.Git("update-index", "--skip-worktree", recordPath)
			rm(recordPath)(f)
		}, record2, "-", "", false},
		{"skip-worktree, file equal o", recordPath, func(f fixture) { f.Git("update-index", "--skip-worktree", recordPath) }, record2, record2, "", false},
		{"skip-worktree, file edited", recordPath, func(f fixture) {
			f.Git("update-index", "--skip-worktree", recordPath)
			f.Write(recordPath, "mine\n")
		}, record2, "mine\n", "", true},
		{"assume-unchanged", recordPath, func(f fixture) { f.Git("update-index", "--assume-unchanged", recordPath) }, record2, record2, "", false},
		{"assume-unchanged, file edited", recordPath, func(f fixture) {
			f.Git("update-index", "--assume-unchanged", recordPath)
			f.Write(recordPath, "mine\n")
		}, record2, "mine\n", "", true},
		{"symlink in the way (file)", recordPath, func(f fixture) { rm(recordPath)(f); symlink(f, "elsewhere", recordPath) }, record2, "link to elsewhere", " T", true},
		{"symlink in the way (file), new path", newPath, func(f fixture) { symlink(f, "elsewhere", newPath) }, "passed\n", "link to elsewhere", " T", true},
		{"removed path, I=o, W=o", changesPath, func(fixture) {}, "-", "-", "", false},
		{"removed path, W edited", changesPath, write(changesPath, "mine\n"), "-", "mine\n", "??", true},
		{"removed path, W deleted", changesPath, rm(changesPath), "-", "-", "", false},
		{"removed path, staged", changesPath, stage(changesPath, "mine\n"), "mine\n", "mine\n", "A ", true},
		{"removed path, I deleted", changesPath, func(f fixture) { f.Git("rm", "-q", "--cached", changesPath) }, "-", "diff\n", "??", false},
	}
}

func symlink(f fixture, target, path string) {
	f.t.Helper()
	if err := os.Symlink(target, filepath.Join(f.Dir, path)); err != nil {
		f.t.Fatal(err)
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	for _, row := range rows() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			row.arrange(f)
			flags := f.Git("ls-files", "-v", "--", row.path)
			before := f.Snapshot()
			res := f.record()
			if got := f.staged(row.path); got != row.index {
				t.Errorf("index: %q, want %q", got, row.index)
			}
			if got := f.onDisk(row.path); got != row.work {
				t.Errorf("working tree: %q, want %q", got, row.work)
			}
			var letters []string
			for line := range strings.SplitSeq(f.status(), "\n") {
				if len(line) > 3 && line[3:] == row.path {
					letters = append(letters, line[:2])
				} else if line != "" && !strings.HasPrefix(line[3:], row.path+"/") {
					t.Errorf("status of another path: %s", line)
				}
			}
			if got := strings.Join(letters, ""); got != row.status {
				t.Errorf("status %q, want %q", got, row.status)
			}
			if got := f.Git("ls-files", "-v", "--", row.path); flags != "" && row.index != "-" && got != flags {
				t.Errorf("flags: %s, were %s", got, flags)
			}
			left := false
			for _, l := range res.Left {
				if l.Path != row.path || l.Worktree != f.Dir || l.Why == "" {
					t.Errorf("left: %+v", l)
				}
				left = true
			}
			if left != row.left {
				t.Errorf("reported as left: %v, want %v", left, row.left)
			}
			for path, content := range standard {
				want := "-"
				if content != nil {
					want = *content
				}
				if got := f.committed(path); got != want {
					t.Errorf("committed %s: %q, want %q", path, got, want)
				}
			}
			if diff := before.Without("index plans/", "file plans/", "status plans/", "ref refs/heads/main").Diff(f.Snapshot().Without("index plans/", "file plans/", "status plans/", "ref refs/heads/main")); diff != "" {
				t.Errorf("something else changed:\n%s", diff)
			}
		})
	}
}
