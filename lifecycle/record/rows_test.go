package record

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// row is one row of the table in the protocol: what a person has there, and what index, working tree and status are after
// a step.
type row struct {
	name    string
	file    string // in the plan's folder
	arrange func(f fixture, p string)
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
	rm := func(f fixture, p string) {
		if err := os.Remove(filepath.Join(f.Dir, p)); err != nil {
			f.t.Fatal(err)
		}
	}
	write := func(text string) func(fixture, string) { return func(f fixture, p string) { f.Write(p, text) } }
	stage := func(text string) func(fixture, string) {
		return func(f fixture, p string) { f.Write(p, text); f.Git("add", "--", p) }
	}
	nothing := func(fixture, string) {}
	return []row{
		{"I=o, W=o", recordPath, nothing, record2, record2, "", false},
		{"I=o, W=o, plan.md", planPath, nothing, executing, executing, "", false},
		{"W=n already (half-done step)", recordPath, write(record2), record2, record2, "", false},
		{"W=n already (half-done step), plan.md", planPath, write(executing), executing, executing, "", false},
		{"I=o, W edited, plan.md", planPath, write(edited), executing, editedExecuting, " M", false},
		{"I=o, W edited, plan.md, status edited too", planPath, write(rejected), executing, rejected, " M", true},
		{"I=o, W edited, plan.md, unreadable", planPath, write("---\nstatus: [\n"), executing, "---\nstatus: [\n", " M", true},
		{"I=o, W edited, other file", recordPath, write("mine\n"), record2, "mine\n", " M", true},
		{"I≠o staged, plan.md", planPath, stage(edited), editedExecuting, editedExecuting, "M ", false},
		{"I≠o staged, plan.md, edited again", planPath, func(f fixture, p string) {
			stage(edited)(f, p)
			f.Write(p, edited+"more\n")
		}, editedExecuting, editedExecuting + "more\n", "MM", false},
		{"I≠o staged, plan.md, status staged too", planPath, stage(rejected), rejected, rejected, "M ", true},
		{"I≠o staged, plan.md, file removed", planPath, func(f fixture, p string) { stage(edited)(f, p); rm(f, p) }, editedExecuting, "-", "MD", false},
		{"I≠o staged, other", recordPath, stage("mine\n"), "mine\n", "mine\n", "M ", true},
		{"I≠o staged, other, edited again", recordPath, func(f fixture, p string) {
			stage("mine\n")(f, p)
			f.Write(p, "again\n")
		}, "mine\n", "again\n", "MM", true},
		{"I=n staged already", recordPath, stage(record2), record2, record2, "", false},
		{"W deleted, I=o", recordPath, rm, record2, "-", " D", false},
		{"W deleted, I=o, plan.md", planPath, rm, executing, "-", " D", false},
		{"I deleted (rm)", recordPath, func(f fixture, p string) { f.Git("rm", "-q", p) }, "-", "-", "D ", true},
		{"I deleted (rm --cached)", recordPath, func(f fixture, p string) { f.Git("rm", "-q", "--cached", p) }, "-", "version: 1\nround: 1\n", "D ??", true},
		{"new path, nothing there", newPath, nothing, "passed\n", "passed\n", "", false},
		{"new path, untracked file there", newPath, write("mine\n"), "passed\n", "mine\n", " M", true},
		{"new path, untracked file there with the same content", newPath, write("passed\n"), "passed\n", "passed\n", "", false},
		{"new path, ignored file there", newPath, func(f fixture, p string) {
			f.Write(".git/info/exclude", p+"\n")
			f.Write(p, "mine\n")
		}, "passed\n", "mine\n", " M", true},
		{"new path, i-t-a file there", newPath, func(f fixture, p string) { f.Write(p, "mine\n"); f.Git("add", "-N", p) }, "passed\n", "mine\n", " M", true},
		{"new path, person staged one", newPath, stage("mine\n"), "mine\n", "mine\n", "M ", true},
		{"new path, folder there", newPath, func(f fixture, p string) { f.Write(p+"/mine", "mine\n") }, "passed\n", "folder", " D", true},
		{"skip-worktree, file away", recordPath, func(f fixture, p string) {
			f.Git("update-index", "--skip-worktree", p)
			rm(f, p)
		}, record2, "-", "", false},
		{"skip-worktree, file equal o", recordPath, func(f fixture, p string) { f.Git("update-index", "--skip-worktree", p) }, record2, record2, "", false},
		{"skip-worktree, file edited", recordPath, func(f fixture, p string) {
			f.Git("update-index", "--skip-worktree", p)
			f.Write(p, "mine\n")
		}, record2, "mine\n", "", true},
		{"assume-unchanged", recordPath, func(f fixture, p string) { f.Git("update-index", "--assume-unchanged", p) }, record2, record2, "", false},
		{"assume-unchanged, file edited", recordPath, func(f fixture, p string) {
			f.Git("update-index", "--assume-unchanged", p)
			f.Write(p, "mine\n")
		}, record2, "mine\n", "", true},
		{"symlink in the way (file)", recordPath, func(f fixture, p string) { rm(f, p); symlink(f, "elsewhere", p) }, record2, "link to elsewhere", " T", true},
		{"symlink in the way (file), new path", newPath, func(f fixture, p string) { symlink(f, "elsewhere", p) }, "passed\n", "link to elsewhere", " T", true},
		{"removed path, I=o, W=o", changesPath, nothing, "-", "-", "", false},
		{"removed path, W edited", changesPath, write("mine\n"), "-", "mine\n", "??", true},
		{"removed path, W deleted", changesPath, rm, "-", "-", "", false},
		{"removed path, staged", changesPath, stage("mine\n"), "mine\n", "mine\n", "A ", true},
		{"removed path, I deleted", changesPath, func(f fixture, p string) { f.Git("rm", "-q", "--cached", p) }, "-", "diff\n", "??", false},
	}
}

func symlink(f fixture, target, path string) {
	f.t.Helper()
	if err := os.Symlink(target, filepath.Join(f.Dir, path)); err != nil {
		f.t.Fatal(err)
	}
}

// TestRow makes one step over as many plans as the table has rows, each as its row has it, and looks at each.
func TestRow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("rm", "-q", "-r", "plans")
	all := rows()
	folder := func(i int) string { return fmt.Sprintf("plans/%04d-row/", i+1) }
	changes := map[string]*string{}
	for i := range all {
		f.Write(folder(i)+"plan.md", planText)
		f.Write(folder(i)+"record.yaml", "version: 1\nround: 1\n")
		f.Write(folder(i)+"changes.diff", "diff\n")
		for path, content := range standard {
			changes[folder(i)+filepath.Base(path)] = content
		}
	}
	f.Commit("a plan for each row")
	for i, row := range all {
		row.arrange(f, folder(i)+filepath.Base(row.file))
	}
	flags := lines(f.Git("ls-files", "-v"), 2)
	ours := []string{"index plans/", "file plans/", "status plans/", "ref refs/heads/main"}
	before := f.Snapshot().Without(ours...)
	res := f.recordThis(changes)
	before.Unchanged(t, f.Snapshot().Without(ours...))
	f.checkCommitted(changes)
	staged := f.blobs(f.Git("ls-files", "-s", "-z"), known(all, changes))
	nowFlags, status := lines(f.Git("ls-files", "-v"), 2), f.status()
	for i, row := range all {
		t.Run(row.name, func(t *testing.T) {
			path := folder(i) + filepath.Base(row.file)
			index, there := staged[path]
			if !there {
				index = "-"
			}
			if index != row.index {
				t.Errorf("index: %q, want %q", index, row.index)
			}
			if got := f.onDisk(path); got != row.work {
				t.Errorf("working tree: %q, want %q", got, row.work)
			}
			letters := ""
			for line := range strings.SplitSeq(status, "\n") {
				if !strings.Contains(line, folder(i)) {
					continue
				}
				if line[3:] == path {
					letters += line[:2]
				} else if !strings.HasPrefix(line[3:], path+"/") {
					t.Errorf("status of another path: %s", line)
				}
			}
			if letters != row.status {
				t.Errorf("status %q, want %q", letters, row.status)
			}
			if was, now := flags[path], nowFlags[path]; was != "" && now != "" && was != now {
				t.Errorf("flags: %s, were %s", now, was)
			}
			left := false
			for _, l := range res.Left {
				if l.Path == path {
					left = l.Worktree == f.Dir && l.Why != ""
				} else if strings.HasPrefix(l.Path, folder(i)) {
					t.Errorf("left: %+v", l)
				}
			}
			if left != row.left {
				t.Errorf("reported as left: %v, want %v", left, row.left)
			}
		})
	}
}

// known is every content that the index may hold after TestRow.
func known(all []row, changes map[string]*string) map[string]*string {
	out := maps.Clone(changes)
	for i := range all {
		out[fmt.Sprintf("index %d", i)], out[fmt.Sprintf("work %d", i)] = &all[i].index, &all[i].work
	}
	return out
}

// lines reads output of a fixed width and a path, by path.
func lines(out string, width int) map[string]string {
	found := map[string]string{}
	for line := range strings.SplitSeq(out, "\n") {
		if len(line) > width {
			found[line[width:]] = line[:width]
		}
	}
	return found
}
