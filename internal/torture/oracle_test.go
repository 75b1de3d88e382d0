//go:build linux

package torture

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tendril/internal/testkit"
)

// steps are the changes of state that Tendril may make, as docs/design.md has them.
var steps = map[string][]string{
	"approved": {"executing", "failed"}, "executing": {"verifying", "failed"}, "verifying": {"executing", "in-review", "failed"},
	"in-review": {"verifying"}, "changes-requested": {"executing", "failed"}, "accepted": {"merged", "verifying", "executing", "in-review"},
	"failed": {"verifying"},
}

// judge looks at everything that must hold after a life.
func (l *life) judge() {
	l.t.Helper()
	l.tally.merged = l.merged()
	if l.tally.merged != l.plans {
		status, _ := l.tendril("status")
		l.bad("%d of %d plans are merged\n%s\n%s", l.tally.merged, l.plans, status, &l.said)
	}
	l.judgePerson()
	l.judgeHistory()
	l.judgeWork()
	l.judgeCosts()
	l.judgeLeftovers()
}

func (l *life) bad(format string, args ...any) {
	l.t.Helper()
	l.t.Errorf("seed's life: "+format, args...)
}

func (l *life) git(args ...string) string {
	l.t.Helper()
	out, err := testkit.TryGit(l.t, l.dir, l.env, args...)
	if err != nil {
		l.bad("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

// keys are the plans of the life.
func (l *life) keys() []string {
	var keys []string
	for i := range l.plans {
		keys = append(keys, fmt.Sprintf("%04d-plan-%d", i+1, i+1))
	}
	return keys
}

// merged counts the plans that are merged on the branch.
func (l *life) merged() int {
	n := 0
	for _, key := range l.keys() {
		text, err := testkit.TryGit(l.t, l.dir, l.env, "show", "main:plans/"+key+"/plan.md")
		if err == nil && strings.Contains(text, "\nstatus: merged\n") {
			n++
		}
	}
	return n
}

// judgePerson: no byte of theirs lost or changed, no commit of theirs undone (2).
func (l *life) judgePerson() {
	for name, want := range l.person.files {
		if got, err := os.ReadFile(filepath.Join(l.dir, name)); err != nil || string(got) != want {
			l.bad("%s holds %q (%v), the person wrote %q", name, got, err, want)
		}
	}
	for name, want := range l.person.staged {
		if got := l.git("show", ":"+name); got != strings.TrimSpace(want) {
			l.bad("%s is staged as %q, the person staged %q", name, got, want)
		}
	}
	history := strings.Split(l.git("log", "--format=%s", "main"), "\n")
	for _, subject := range l.person.commits {
		if !slices.Contains(history, subject) {
			l.bad("the person's commit %q is not in main", subject)
		}
	}
}

var trailer = regexp.MustCompile(`(?m)^Tendril-Status: (\S+) (.+)$`)

// judgeHistory: one execution an approval, one delivery, every step in the table (1, 3, 4).
func (l *life) judgeHistory() {
	began, ended := map[string]int{}, map[string]int{}
	for _, match := range trailer.FindAllStringSubmatch(l.git("log", "--first-parent", "--reverse", "--format=%B", "main"), -1) {
		states := strings.Split(strings.TrimSpace(match[2]), " -> ")
		for i := 1; i < len(states); i++ {
			if !slices.Contains(steps[states[i-1]], states[i]) {
				l.bad("%s went from %s to %s", match[1], states[i-1], states[i])
			}
			if states[i-1] == "approved" {
				began[match[1]]++
			}
			if states[i] == "merged" {
				ended[match[1]]++
			}
		}
	}
	for _, key := range l.keys() {
		approvals := strings.Count(l.git("log", "--format=%B", "--first-parent", "main", "--", "plans/"+key+"/plan.md"), "approve")
		if began[key] > max(approvals, 1) || ended[key] > 1 {
			l.bad("%s was begun %d times with %d approvals, and merged %d times", key, began[key], approvals, ended[key])
		}
	}
	l.git("fsck", "--connectivity-only", "--no-dangling")
}

// judgeWork: what was delivered is whole, never two at once in a worktree, and checked on the commit that it names (4, 5, 7).
func (l *life) judgeWork() {
	if overlap, err := os.ReadFile(filepath.Join(l.home, "seen", "overlap")); err == nil {
		l.bad("two agents at once:\n%s", overlap)
	}
	checked, err := os.ReadFile(filepath.Join(l.home, "seen", "checked"))
	if err != nil && l.tally.merged > 0 {
		l.bad("nothing was checked: %v", err)
	}
	for _, key := range l.keys() {
		if got := l.git("show", "main:"+key+".txt"); got != "done "+key {
			l.bad("%s delivered %q", key, got)
		}
		page := l.git("show", "main:plans/"+key+"/verification.md")
		commit := regexp.MustCompile(`(?m)^commit: (\S+)$`).FindStringSubmatch(page)
		if commit == nil || !strings.Contains(page, "result: passed") || !strings.Contains(string(checked), commit[1]) {
			l.bad("%s: verification.md names what no check ran on:\n%.300s", key, page)
		}
	}
}

// judgeCosts: each run has one row, and one of a plan's ended well (5, 8).
func (l *life) judgeCosts() {
	rows := map[string]bool{}
	for _, key := range l.keys() {
		all, err := csv.NewReader(strings.NewReader(l.git("show", "main:plans/"+key+"/costs.csv"))).ReadAll()
		if err != nil || len(all) == 0 {
			l.bad("%s: costs.csv: %v", key, err)
			continue
		}
		well := 0
		for _, row := range all[1:] {
			if rows[row[0]] {
				l.bad("%s: run %s counts twice", key, row[0])
			}
			rows[row[0]] = true
			if row[len(row)-1] == "ok" {
				well++
			}
		}
		if well != 1 {
			l.bad("%s: %d runs ended well", key, well)
		}
	}
	runs, err := os.ReadDir(filepath.Join(l.dir, ".git", "tendril", "runs"))
	if err != nil {
		l.bad("runs: %v", err)
	}
	for _, run := range runs {
		if run.IsDir() && !strings.HasPrefix(run.Name(), ".") && !rows[run.Name()] {
			l.bad("run %s is in no costs.csv", run.Name())
		}
	}
}

// judgeLeftovers: no process, lock, worktree or branch stays (6, 12).
func (l *life) judgeLeftovers() {
	var left []int
	for range 50 {
		if left = l.processes(""); len(left) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, pid := range left {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		l.bad("process %d is left: %q", pid, line)
	}
	if got := l.git("worktree", "list", "--porcelain"); strings.Count(got, "worktree ") != 1 {
		l.bad("worktrees are left:\n%s", got)
	}
	if got := l.git("for-each-ref", "refs/heads/tendril"); got != "" {
		l.bad("branches are left:\n%s", got)
	}
	locks, err := filepath.Glob(filepath.Join(l.dir, ".git", "*.lock"))
	if err != nil || len(locks) > 0 {
		l.bad("locks are left: %v %v", locks, err)
	}
	if out, err := l.tendril("status"); err != nil || strings.Contains(out, "Needs your eye") {
		l.bad("status: %v\n%s", err, out)
	}
}
