//go:build linux

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/crash"
	"tendril/internal/testkit"
	"tendril/lifecycle"
	"tendril/lifecycle/record"
)

// The moments of a plan's life in the order in which it meets them. A death while a worktree is made ends the engine, so
// the same life can die once more later; a supervisor's death does not end the engine, which goes on to the review.
var (
	deathsMaking = []crash.Point{
		"lifecycle.written", "worktree.recorded", "worktree.branch", "worktree.added", "worktree.linked", "worktree.checkedout",
		"worktree.hooked", "worktree.ready", "lifecycle.claimed",
	}
	deathsWorking = []crash.Point{
		"runners.spec-before", "runners.spec-written", "runners.spawn-before", "runners.spawned", "runners.claim-before",
		"runners.claimed", "runners.agent-before", "runners.agent-started", "runners.agent-recorded", "runners.reported",
		"runners.reported-in", "lifecycle.started",
		"runners.agent-ended", "runners.leftovers-ended", "runners.outcome-before", "runners.outcome-written",
		"worktree.leftovers.staged", "worktree.leftovers.committed", "worktree.leftovers.synced", "lifecycle.collected", "lifecycle.verified",
	}
	deathsDelivering = []crash.Point{
		"lifecycle.integrated", "lifecycle.delivered", "worktree.removing", "worktree.moved", "worktree.unregistered", "worktree.deleted",
		"lifecycle.retired", "lifecycle.unbranched",
	}
)

// TestALifeGoesOnAfterADeathAtEachPoint takes plans from approved to merged, the base moving in between, while the engine
// or a supervisor dies by SIGKILL at crash points of every kind. Whatever died: the agent's finished work is not done
// twice, the plan is delivered once, and nothing is left behind. (The recorder's own points are visited in
// lifecycle/record, where every effect on index and working tree is looked at.)
func TestALifeGoesOnAfterADeathAtEachPoint(t *testing.T) {
	t.Parallel()
	visited := map[crash.Point]bool{}
	for _, p := range record.CrashPoints {
		visited[p] = true
	}
	take := func(list []crash.Point, i int) crash.Point {
		visited[list[i%len(list)]] = true
		return list[i%len(list)]
	}
	for i := range deathsWorking {
		working := []crash.Point{take(deathsMaking, i), take(deathsWorking, i)}
		// Once each way of dying on the way into the base was seen, lives end at the review.
		var delivering []crash.Point
		if i < len(deathsDelivering) {
			delivering = []crash.Point{take(deathsDelivering, i)}
		}
		t.Run(string(working[1]), func(t *testing.T) {
			t.Parallel()
			newMortal(t).live(working, delivering)
		})
	}
	for _, p := range lifecycle.CrashPoints() {
		if !visited[p] {
			t.Errorf("no life dies at %s", p)
		}
	}
}

// mortal is a project whose engine dies.
type mortal struct {
	t   *testing.T
	dir string
	env []string
}

const mortalBody = "```sh run\necho started >> \"$(git rev-parse --path-format=absolute --git-common-dir)/started\"\necho hello > greeting.txt\n```\n"

func newMortal(t *testing.T) *mortal {
	t.Helper()
	return newMortalIn(t, filepath.Join(testkit.TempDir(t), "project"))
}

func newMortalIn(t *testing.T, dir string) *mortal {
	t.Helper()
	m := &mortal{t: t, dir: dir, env: testkit.Env(t)}
	m.env = testkit.Setenv(m.env, scriptVariable, fmt.Sprint(os.Getpid()))
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.GitEnv(t, m.dir, m.env, "init", "--quiet", "--initial-branch=main")
	testkit.Write(t, m.dir, ".tendril/config.yaml", scriptConfig)
	testkit.Commit(t, m.dir, "configure")
	testkit.Write(t, m.dir, ".git/body.md", mortalBody)
	m.must("new", "Mortal", "--body", ".git/body.md")
	m.must("approve", "1")
	return m
}

// live takes the plan through its life, with deaths before it is in review and before it is merged.
func (m *mortal) live(working, delivering []crash.Point) {
	m.t.Helper()
	m.die(working)
	m.until("in-review")
	if delivering == nil {
		m.noTwoFinished()
		return
	}
	testkit.Write(m.t, m.dir, "other.txt", "the base moves\n")
	testkit.Commit(m.t, m.dir, "the base moves")
	m.must("accept", "1")
	m.die(delivering)
	m.until("merged")
	m.check()
}

// die lets one engine after the other run into the points.
func (m *mortal) die(points []crash.Point) {
	m.t.Helper()
	for _, p := range points {
		if !m.dyingRun(p) {
			m.t.Errorf("nothing died at %s: it is not on the way of a plan from here\n%s", p, m.must("status"))
		}
	}
}

// dyingRun lets an engine run until it ends or is killed; it says whether a process, engine or supervisor, died at the
// point.
func (m *mortal) dyingRun(point crash.Point) bool {
	m.t.Helper()
	marker := filepath.Join(m.dir, ".git", "died")
	// How this run ends is the point's business.
	_, _ = m.tendril(testkit.Setenv(testkit.Setenv(m.env, crash.Env, string(point)), crash.MarkEnv, marker), "run", "--once")
	return os.Remove(marker) == nil
}

// until runs engines that do not die until the plan has the status.
func (m *mortal) until(status string) {
	m.t.Helper()
	var last string
	for range 5 {
		out, err := m.tendril(m.env, "run", "--once")
		last = out
		if err != nil {
			last += err.Error()
		}
		if strings.Contains(m.must("list", "--json"), `"status": "`+status+`"`) {
			return
		}
	}
	m.t.Fatalf("not %s:\n%s\n%s", status, last, m.must("status"))
}

// check looks at what must hold whatever died.
func (m *mortal) check() {
	m.t.Helper()
	if got := testkit.Git(m.t, m.dir, "status", "--porcelain"); got != "" {
		m.t.Errorf("the checkout is not clean:\n%s", got)
	}
	if got := testkit.Git(m.t, m.dir, "log", "--format=%B", "--first-parent"); strings.Count(got, "approved -> executing") != 1 || strings.Count(got, "-> merged") != 1 {
		m.t.Errorf("claimed or merged other than once:\n%s", got)
	}
	if got := testkit.Read(m.t, m.dir, "greeting.txt"); got != "hello\n" {
		m.t.Errorf("delivered %q", got)
	}
	if got := m.must("status"); strings.Contains(got, "Needs your eye") {
		m.t.Errorf("something does not count:\n%s", got)
	}
	locks, err := filepath.Glob(filepath.Join(m.dir, ".git", "*.lock"))
	if err != nil || len(locks) > 0 {
		m.t.Errorf("locks left: %v %v", locks, err)
	}
	if got := testkit.Git(m.t, m.dir, "worktree", "list", "--porcelain"); strings.Count(got, "worktree ") != 1 {
		m.t.Errorf("worktrees left:\n%s", got)
	}
	if got := testkit.Git(m.t, m.dir, "for-each-ref", "refs/heads/"); strings.Contains(got, "tendril/") {
		m.t.Errorf("branches left:\n%s", got)
	}
	m.noTwoFinished()
}

// noTwoFinished asks that no attempt which had ended by itself was made again.
func (m *mortal) noTwoFinished() {
	m.t.Helper()
	costs := testkit.Read(m.t, m.dir, "plans/0001-mortal/costs.csv")
	finished := 0
	for line := range strings.Lines(costs) {
		if strings.HasSuffix(strings.TrimSpace(line), ",ok") {
			finished++
		}
	}
	if finished != 1 {
		m.t.Errorf("%d finished runs, want 1:\n%s", finished, costs)
	}
}

func (m *mortal) must(args ...string) string {
	m.t.Helper()
	out, err := m.tendril(m.env, args...)
	if err != nil {
		m.t.Fatalf("tendril %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (m *mortal) tendril(env []string, args ...string) (string, error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tendril", args...)
	cmd.Dir, cmd.Env = m.dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}
