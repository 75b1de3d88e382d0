package record

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"tendril/internal/crash"
	"tendril/internal/testkit"
)

// runChild runs this test binary as a process that records in dir, killed at a point ("" for not at all).
func runChild(t *testing.T, what, dir string, at crash.Point, nth int) (stdout string, killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, childDir+"="+dir)
	if at != "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s:%d", crash.Env, at, nth))
	}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return out.String(), true
		}
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", what, err, stderr.String())
	}
	return out.String(), false
}

// crashCase is one death: at the nth pass of a point.
type crashCase struct {
	point crash.Point
	nth   int
}

// crashCases visits each point at each of its passes: a step of the standard change with two worktrees passes the points
// of a file eight times, those of an index twice.
func crashCases() []crashCase {
	passes := map[crash.Point][]int{
		pointLocked: {1, 2}, pointPlacing: {1, 2, 5, 8}, pointPlaced: {1, 3, 4, 8}, pointIndexing: {1, 2}, pointIndexed: {1, 2}, pointUnlocked: {1, 2},
	}
	var cases []crashCase
	for _, p := range CrashPoints {
		nths := passes[p]
		if nths == nil {
			nths = []int{1}
		}
		for _, n := range nths {
			cases = append(cases, crashCase{p, n})
		}
	}
	return cases
}

// busyPerson makes a checkout that holds every kind of unfinished work, of ours and of others' paths.
func (f fixture) busyPerson() {
	f.t.Helper()
	f.Write("src/staged.go", "package staged\n")
	f.Git("add", "src/staged.go")
	f.Write("src/code.go", "package code // unstaged\n")
	f.Write("notes.txt", "untracked\n")
	f.Write(".git/info/exclude", "*.secret\n")
	f.Write("my.secret", "ignored\n")
	f.Write(planPath, strings.Replace(planText, "priority: 3", "priority: 7 # mine", 1))
}

func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	for _, c := range crashCases() {
		t.Run(fmt.Sprintf("%s %d", c.point, c.nth), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			second := f.at(f.Worktree("--force", "main"))
			f.busyPerson()
			mine := f.Snapshot()

			if _, killed := runChild(t, "commit", f.Dir, c.point, c.nth); !killed {
				t.Fatal("the process was not killed: is the point on its way?")
			}
			runChild(t, "recover", f.Dir, "", 0)
			f.checkTidy()
			runChild(t, "commit", f.Dir, "", 0)

			if n := f.Git("rev-list", "--count", "--author=Tendril", "main"); n != "1" {
				t.Errorf("%s commits of ours on main, want 1", n)
			}
			f.checkTidy()
			f.checkStaged(standard)
			second.checkOnDisk(standard)
			here := maps.Clone(standard)
			here[planPath] = ptr(strings.Replace(withStatus(planText, "executing"), "priority: 3", "priority: 7 # mine", 1))
			f.checkOnDisk(here)
			if got := second.status(); got != "" {
				t.Errorf("status of the second worktree: %s", got)
			}
			wantStatus := "M " + planPath + "\n M src/code.go\nA  src/staged.go\n?? notes.txt"
			if got := f.status(); strings.TrimSpace(got) != wantStatus {
				t.Errorf("status:\n%s\nwant:\n%s", got, wantStatus)
			}
			ours := []string{"file plans/", "index plans/", "status plans/", "ref refs/heads/main"}
			mine.Without(ours...).Unchanged(t, f.Snapshot().Without(ours...))
		})
	}
}

// TestKilledTwice kills the process that recovers, too.
func TestKilledTwice(t *testing.T) {
	t.Parallel()
	for _, first := range []crashCase{{pointHeld, 1}, {pointPlaced, 3}, {pointIndexed, 1}} {
		for _, second := range []crashCase{{pointPrepared, 1}, {pointHeld, 1}, {pointIndexed, 1}, {pointMoved, 1}} {
			t.Run(fmt.Sprintf("%s %s", first.point, second.point), func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				for i, c := range []crashCase{first, second} {
					what := "commit"
					if i > 0 {
						what = "recover"
					}
					if _, killed := runChild(t, what, f.Dir, c.point, c.nth); !killed {
						t.Fatalf("not killed at %s", c.point)
					}
				}
				runChild(t, "commit", f.Dir, "", 0)
				if n := f.Git("rev-list", "--count", "--author=Tendril", "main"); n != "1" {
					t.Errorf("%s commits of ours on main, want 1", n)
				}
				if got := f.status(); got != "" {
					t.Errorf("status: %s", got)
				}
				f.checkTidy()
			})
		}
	}
}

// TestKilledThenPersonCommits: between the death and the recovery a person commits something of theirs, so that the step
// can never be made as it was; what of it lies about is taken back, and the step is made anew.
func TestKilledThenPersonCommits(t *testing.T) {
	t.Parallel()
	for _, c := range []crashCase{{pointLocked, 1}, {pointHeld, 1}, {pointPlacing, 1}, {pointPlaced, 1}, {pointPlaced, 4}, {pointIndexed, 1}} {
		for _, how := range []string{"commit one file", "commit all"} {
			t.Run(fmt.Sprintf("%s %d %s", c.point, c.nth, how), func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				if _, killed := runChild(t, "commit", f.Dir, c.point, c.nth); !killed {
					t.Fatal("not killed")
				}
				// The dead process's lock keeps a person out; they do what git advises.
				_ = os.Remove(f.Dir + "/.git/index.lock")
				testkit.Eventually(t, testLimit, func() bool {
					f.Write("src/code.go", "package code // theirs\n")
					args := []string{"commit", "-q", "-m", "theirs", "--", "src/code.go"}
					if how == "commit all" {
						args = []string{"commit", "-q", "-a", "-m", "theirs"}
					}
					_, err := testkit.TryGit(t, f.Dir, nil, args...)
					return err == nil
				}, "a person commits")
				runChild(t, "recover", f.Dir, "", 0)
				f.checkTidy()
				if how == "commit one file" {
					if got := f.status(); got != "" {
						t.Errorf("status after the recovery: %s", got)
					}
					if got := f.onDisk(planPath); got != planText {
						t.Errorf("plan.md after the recovery: %q", got)
					}
				}
				runChild(t, "commit", f.Dir, "", 0)
				if got := f.status(); got != "" {
					t.Errorf("status: %s", got)
				}
				f.checkCommitted(standard)
				f.checkTidy()
			})
		}
	}
}

// TestKilledTwiceThenPersonCommits: what two dead processes did is taken back as a whole, and a person's edit of plan.md,
// which both had their hands on, stays.
func TestKilledTwiceThenPersonCommits(t *testing.T) {
	t.Parallel()
	for _, second := range []crashCase{{pointPrepared, 1}, {pointJournalled, 1}, {pointHeld, 1}, {pointIndexed, 1}} {
		t.Run(string(second.point), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			edited := strings.Replace(planText, "Words.", "Mine.", 1)
			f.Write(planPath, edited)
			if _, killed := runChild(t, "commit", f.Dir, pointPlaced, 3); !killed {
				t.Fatal("not killed")
			}
			if _, killed := runChild(t, "recover", f.Dir, second.point, second.nth); !killed {
				t.Fatal("not killed")
			}
			_ = os.Remove(f.Dir + "/.git/index.lock")
			f.Write("src/code.go", "package code // theirs\n")
			testkit.Eventually(t, testLimit, func() bool {
				return f.tryGit("commit", "-q", "-m", "theirs", "--", "src/code.go") == nil
			}, "a person commits")
			runChild(t, "recover", f.Dir, "", 0)
			if got := f.status(); got != " M "+planPath {
				t.Errorf("status: %s", got)
			}
			if got := f.onDisk(planPath); got != edited {
				t.Errorf("plan.md: %q", got)
			}
			f.record()
			if got := f.onDisk(planPath); got != withStatus(edited, "executing") {
				t.Errorf("plan.md: %q", got)
			}
		})
	}
}
