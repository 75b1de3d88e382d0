//go:build linux

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tendril/internal/testkit"
)

const (
	// besidePlans is how many plans go from approved to merged beside the person.
	besidePlans = 3
	// besideLimit is how long that may take; besidePace is the person's longest pause between two commits.
	besideLimit = 90 * time.Second
	besidePace  = 200 * time.Millisecond
	// lockPatience is how long the person tries again where git says that something is locked.
	lockPatience = 10 * time.Second
)

// TestAPersonCommitsBesideTheEngine has a person commit again and again beside an engine that takes plans from approved
// to merged: on the plans branch with work half staged, on another branch, and in a second worktree that has the plans
// branch. No commit of theirs fails for good, none undoes one of Tendril's, and what they did not commit stays as it was.
func TestAPersonCommitsBesideTheEngine(t *testing.T) {
	t.Parallel()
	layouts := []struct {
		name string
		// arrange brings the project into the layout and returns the folder where the person commits.
		arrange func(b *beside) string
		// yields are what may change besides the person's commits, as prefixes of a snapshot's entries.
		yields []string
	}{
		{"on the plans branch", func(b *beside) string { return b.dir }, []string{
			"index out/", "file out/", "index plans/", "file plans/",
		}},
		{"on another branch", func(b *beside) string {
			testkit.Git(b.t, b.dir, "switch", "--quiet", "--create", "elsewhere")
			return b.dir
		}, nil},
		{"with the plans branch in a second worktree", func(b *beside) string {
			second := filepath.Join(filepath.Dir(b.dir), "second")
			testkit.Git(b.t, b.dir, "branch", "tendril/plans")
			testkit.Git(b.t, b.dir, "worktree", "add", "--quiet", second, "tendril/plans")
			return second
		}, []string{"index plans/", "file plans/"}},
	}
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			b := newBeside(t)
			b.work = l.arrange(b)
			b.begin(l.yields)
			b.live()
			b.check()
		})
	}
}

// beside is a project with an engine at work and a person who commits.
type beside struct {
	mortal
	work   string // where the person commits
	yields []string
	before testkit.State
	round  int
	// again are the commands of theirs that had to be repeated, retries how often in all.
	again, retries int
	// accepted is whether the person has nothing to review any more.
	accepted atomic.Bool
}

const besideConfig = `agent: script
parallel: 4
checks:
  - {name: test, run: 'grep -q hello out/*.txt', timeout: 1m}
`

func newBeside(t *testing.T) *beside {
	t.Helper()
	dir := filepath.Join(testkit.TempDir(t), "project")
	b := &beside{mortal: mortal{t: t, dir: dir, env: testkit.Setenv(testkit.Env(t), scriptVariable, fmt.Sprint(os.Getpid()))}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "init", "--quiet", "--initial-branch=main")
	testkit.Write(t, dir, ".tendril/config.yaml", besideConfig)
	testkit.Write(t, dir, ".gitignore", "*.ignored\n")
	testkit.Write(t, dir, "half.txt", "committed\n")
	testkit.Write(t, dir, "unstaged.txt", "committed\n")
	testkit.WriteScript(t, dir, ".git/hooks/post-checkout", "#!/bin/sh\nexit 0\n")
	testkit.Commit(t, dir, "configure")
	return b
}

// begin makes the person's unfinished work, the plans and their approvals.
func (b *beside) begin(yields []string) {
	b.t.Helper()
	b.yields = append(yields, "HEAD", "ref refs/heads/", "index half.txt", "file half.txt", "status half.txt", "index mine-", "file mine-")
	testkit.Write(b.t, b.work, "unstaged.txt", "stashed\n")
	testkit.Git(b.t, b.work, "stash", "push", "--quiet")
	testkit.Write(b.t, b.work, "unstaged.txt", "not staged\n")
	testkit.Write(b.t, b.work, "untracked.txt", "untracked\n")
	testkit.Write(b.t, b.work, "some.ignored", "ignored\n")
	b.halfStage()
	for i := range besidePlans {
		body := fmt.Sprintf("```sh run\nmkdir -p out && echo hello > out/%d.txt\n```\n", i+1)
		testkit.Write(b.t, b.dir, ".git/body.md", body)
		b.must("new", fmt.Sprintf("Plan %d", i+1), "--body", ".git/body.md")
	}
	b.before = testkit.Snapshot(b.t, b.work)
	for i := range besidePlans {
		b.must("approve", fmt.Sprint(i+1))
	}
}

// halfStage leaves half.txt with one line staged and another one not.
func (b *beside) halfStage() {
	b.t.Helper()
	testkit.Write(b.t, b.work, "half.txt", b.staged())
	b.person("add", "half.txt")
	testkit.Write(b.t, b.work, "half.txt", b.staged()+"not staged\n")
}

func (b *beside) staged() string { return fmt.Sprintf("committed\nstaged %d\n", (b.round+1)/2) }

// live has the engine and the person work until every plan is merged. A plan in review is accepted at once.
func (b *beside) live() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), besideLimit)
	defer cancel()
	engine := exec.CommandContext(ctx, "tendril", "run")
	var out bytes.Buffer
	engine.Dir, engine.Env, engine.Stdout, engine.Stderr = b.dir, b.env, &out, &out
	engine.Cancel = func() error { return engine.Process.Signal(syscall.SIGINT) }
	engine.WaitDelay = 10 * time.Second
	if err := engine.Start(); err != nil {
		b.t.Fatal(err)
	}
	accepted, done := b.acceptAll(ctx)
	calm := time.Duration(0)
	for merged := false; !merged && ctx.Err() == nil; {
		b.commit()
		if b.accepted.Load() {
			calm += calm/2 + besidePace // nothing goes into a base that does not stand still for as long as its checks take
		}
		select {
		case err := <-done:
			if err != nil {
				b.t.Error(err)
			}
			merged = true
		case <-time.After(calm + rand.N(besidePace)):
		}
	}
	late := ctx.Err()
	cancel()
	<-accepted
	if err := engine.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		b.t.Logf("the engine ended with %v", err)
	}
	if late != nil || b.t.Failed() {
		b.t.Fatalf("%v, after %d commits:\n%s\n%s", late, b.round, b.must("status"), out.String())
	}
}

// acceptAll accepts in the background what comes into review. done gets one word when every plan is merged or something
// went wrong; ended is closed when nothing is at work any more.
func (b *beside) acceptAll(ctx context.Context) (ended chan struct{}, done chan error) {
	ended, done = make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			merged, err := b.acceptSome()
			if err != nil || merged {
				done <- err
				return
			}
			time.Sleep(300 * time.Millisecond)
		}
	}()
	return ended, done
}

// acceptSome accepts what is in review; it says whether every plan is merged.
func (b *beside) acceptSome() (merged bool, err error) {
	list, err := b.list()
	if err != nil {
		return false, err
	}
	merged = true
	accepted := true
	for _, p := range list {
		accepted = accepted && (p.Status == "accepted" || p.Status == "merged")
		merged = merged && p.Status == "merged"
		switch p.Status {
		case "in-review":
			if out, err := b.tendril(b.env, "accept", p.Key); err != nil {
				return false, fmt.Errorf("accept %s: %w\n%s", p.Key, err, out)
			}
		case "failed":
			return false, fmt.Errorf("%s failed", p.Key)
		}
	}
	b.accepted.Store(accepted)
	return merged, nil
}

type besideRow struct{ Key, Status string }

func (b *beside) list() ([]besideRow, error) {
	out, err := b.tendril(b.env, "list", "--json")
	if err != nil {
		return nil, fmt.Errorf("list: %w\n%s", err, out)
	}
	var list []besideRow
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("list: %w\n%s", err, out)
	}
	return list, nil
}

// commit is one round of the person's: everything that is staged, or one file beside what is.
func (b *beside) commit() {
	b.t.Helper()
	b.round++
	mine := fmt.Sprintf("mine-%d.txt", b.round)
	testkit.Write(b.t, b.work, mine, "mine\n")
	b.person("add", mine)
	message := fmt.Sprintf("work %d", b.round)
	if b.round%2 == 0 {
		b.person("commit", "--quiet", "--message", message, "--", mine)
		return
	}
	b.person("commit", "--quiet", "--message", message)
	b.halfStage()
}

// person runs git as a person does, who tries again where something is locked.
func (b *beside) person(args ...string) {
	b.t.Helper()
	first := b.retries
	for end := time.Now().Add(lockPatience); ; time.Sleep(20 * time.Millisecond) {
		_, err := testkit.TryGit(b.t, b.work, nil, args...)
		if err == nil {
			return
		}
		locked := strings.Contains(err.Error(), ".lock") || strings.Contains(err.Error(), "cannot lock ref")
		if !locked || time.Now().After(end) {
			b.t.Fatal(err)
		}
		if b.retries++; b.retries == first+1 {
			b.again++
		}
	}
}

// check looks at what must hold at the end.
func (b *beside) check() {
	b.t.Helper()
	b.t.Logf("%d commits beside the engine; %d of their commands had to be repeated, %d times in all", b.round, b.again, b.retries)
	b.before.Without(b.yields...).Unchanged(b.t, testkit.Snapshot(b.t, b.work).Without(b.yields...))
	if got := testkit.Git(b.t, b.work, "show", ":half.txt"); got+"\n" != b.staged() {
		b.t.Errorf("half.txt is staged as %q", got)
	}
	if got := testkit.Read(b.t, b.work, "half.txt"); got != b.staged()+"not staged\n" {
		b.t.Errorf("half.txt is %q", got)
	}
	b.checkCommits()
	b.checkPlans()
	for _, dir := range []string{b.dir, b.work} {
		if got := testkit.Git(b.t, dir, "status", "--porcelain", "--", "plans", "out"); got != "" {
			b.t.Errorf("%s is behind its branch:\n%s", dir, got)
		}
	}
}

// checkCommits asks that every commit of the person's is there, and holds what they put into it and nothing else.
func (b *beside) checkCommits() {
	b.t.Helper()
	log := testkit.Git(b.t, b.work, "log", "--first-parent", "--no-merges", "--grep=^work ", "--format=%x00%s", "--name-only")
	commits := strings.Split(log, "\x00")[1:]
	if len(commits) != b.round {
		b.t.Errorf("%d commits of the person's are on the branch, want %d", len(commits), b.round)
	}
	for _, c := range commits {
		names := strings.Fields(c)[2:]
		for _, name := range names {
			if !strings.HasPrefix(name, "mine-") && name != "half.txt" {
				b.t.Errorf("a commit of the person's touches %s:\n%s", name, c)
			}
		}
	}
}

// checkPlans asks that each plan is merged on the plans branch, record and work included.
func (b *beside) checkPlans() {
	b.t.Helper()
	branch := "main"
	if _, err := testkit.TryGit(b.t, b.dir, nil, "rev-parse", "--verify", "--quiet", "refs/heads/tendril/plans"); err == nil {
		branch = "tendril/plans"
	}
	for i := range besidePlans {
		folder := fmt.Sprintf("%s:plans/%04d-plan-%d/", branch, i+1, i+1)
		if got := testkit.Git(b.t, b.dir, "show", folder+"plan.md"); !strings.Contains(got, "status: merged") {
			b.t.Errorf("plan %d is not merged on %s:\n%s", i+1, branch, got)
		}
		if got := testkit.Git(b.t, b.dir, "show", folder+"record.yaml"); !strings.Contains(got, "delivered:") {
			b.t.Errorf("plan %d has no delivery in its record:\n%s", i+1, got)
		}
		if got := testkit.Git(b.t, b.dir, "show", fmt.Sprintf("main:out/%d.txt", i+1)); got != "hello" {
			b.t.Errorf("plan %d delivered %q", i+1, got)
		}
	}
}
