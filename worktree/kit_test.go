package worktree

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/plans"
)

// childVariable makes the test binary play a process that does one piece of work and may die in it.
const childVariable = "WORKTREE_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childVariable); job != "" {
		os.Exit(child(job))
	}
	os.Exit(testkit.Main(m, testkit.NoLeaks))
}

const (
	key    = plans.Key("0007-add-search")
	branch = "tendril/0007-add-search"
)

var agent = git.Ident{Name: "agent", Email: "0007-add-search@agent.tendril.localhost"}

// bed is a repository with a manager of its worktrees.
type bed struct {
	*testkit.Repository
	t testing.TB
	m *Manager
}

func newBed(t testing.TB) *bed {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("hooks and modes of these tests are written for unix")
	}
	r := testkit.Repo(t)
	r.Write("a.txt", "one\ntwo\nthree\n")
	r.Write("dir/b.txt", "b\n")
	r.Write(".gitignore", "*.log\n/ignored/\n")
	r.Commit("files")
	return bedAt(t, r)
}

func bedAt(t testing.TB, r *testkit.Repository) *bed {
	t.Helper()
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	root, err := ResolveRoot(t.Context(), repo, "")
	if err != nil {
		t.Fatal(err)
	}
	return &bed{r, t, &Manager{Repo: repo, Root: root, Runtime: filepath.Join(repo.CommonDir, "tendril"), SetupLimit: time.Minute}}
}

func (b *bed) want() Want { return Want{Key: key, Branch: branch, Base: b.Head()} }

func (b *bed) ensure() *Workspace {
	b.t.Helper()
	ws, err := b.m.Ensure(b.t.Context(), b.want())
	if err != nil {
		b.t.Fatal(err)
	}
	return ws
}

// job is what a child process does, at which crash point it dies.
type job struct {
	Do, Repo, Root, Runtime, Base string
}

// die runs a piece of work in a real process that is killed at a crash point, and reports whether the point was reached.
func (b *bed) die(do, point string) bool {
	b.t.Helper()
	data, err := json.Marshal(job{Do: do, Repo: b.Dir, Root: b.m.Root, Runtime: b.m.Runtime, Base: b.Head()})
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), os.Args[0])
	cmd.Env = append(testkit.Env(b.t), childVariable+"="+string(data), "TENDRIL_CRASH_AT="+point)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if cmd.ProcessState.ExitCode() != -1 {
		b.t.Fatalf("%s: %v\n%s", point, err, out)
	}
	return true
}

// child does the job of its process.
func child(text string) int {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return 2
	}
	if err := j.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (j job) run() error {
	ctx, cancel := testContext()
	defer cancel()
	repo, err := git.Open(ctx, j.Repo)
	if err != nil {
		return err
	}
	m := &Manager{Repo: repo, Root: j.Root, Runtime: j.Runtime, SetupLimit: time.Minute}
	if j.Do == "ensure" {
		_, err := m.Ensure(ctx, Want{Key: key, Branch: branch, Base: j.Base})
		return err
	}
	ws, ok, err := m.Find(ctx, key)
	if err != nil || !ok {
		return fmt.Errorf("find: %v, %w", ok, err)
	}
	if j.Do == "remove" {
		return m.Remove(ctx, ws)
	}
	_, err = ws.CommitLeftovers(ctx, Leftovers{Ident: agent, Message: "left"})
	return err
}
