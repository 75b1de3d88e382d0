package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { os.Exit(Main(m, NoLeaks)) }

func TestRepoHasOneCommitByThePerson(t *testing.T) {
	t.Parallel()
	r := Repo(t)
	if got, want := r.Git("log", "--format=%an <%ae> %s"), PersonName+" <"+PersonEmail+"> first commit"; got != want {
		t.Errorf("log: %q, want %q", got, want)
	}
	if got := r.Git("symbolic-ref", "HEAD"); got != "refs/heads/main" {
		t.Errorf("HEAD: %q", got)
	}
}

func TestEnvironmentIsThePersonsNoMore(t *testing.T) {
	t.Parallel()
	env := hermetic([]string{"PATH=/bin", "GIT_DIR=/x", "TENDRIL_RUN=1", "HOME=/home/me", "EDITOR=vi", "KEEP=1"}, "/h")
	joined := "\n" + strings.Join(env, "\n") + "\n"
	for _, gone := range []string{"GIT_DIR", "TENDRIL_RUN", "EDITOR", "/home/me"} {
		if strings.Contains(joined, gone) {
			t.Errorf("%s is still there: %s", gone, joined)
		}
	}
	for _, kept := range []string{"\nPATH=/bin\n", "\nKEEP=1\n", "\nHOME=/h\n", "\nGIT_CONFIG_NOSYSTEM=1\n"} {
		if !strings.Contains(joined, kept) {
			t.Errorf("%q is missing: %s", kept, joined)
		}
	}
}

func TestSnapshotSeesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		do   func(r *Repository)
		want string
	}{
		"file":      {func(r *Repository) { r.Write("README.md", "other\n") }, "~ file README.md"},
		"untracked": {func(r *Repository) { r.Write("new", "x") }, "+ file new"},
		"ignored":   {func(r *Repository) { r.Write("x.log", "x") }, "+ file x.log"},
		"mode":      {func(r *Repository) { _ = os.Chmod(filepath.Join(r.Dir, "README.md"), 0o600) }, "0600"},
		"staged":    {func(r *Repository) { r.Write("s", "x"); r.Git("add", "s") }, "+ index s"},
		"flag":      {func(r *Repository) { r.Git("update-index", "--skip-worktree", "README.md") }, "~ index README.md"},
		"branch":    {func(r *Repository) { r.Git("branch", "b") }, "+ ref refs/heads/b"},
		"head":      {func(r *Repository) { r.Git("checkout", "-q", "-b", "b") }, "~ HEAD"},
		"config":    {func(r *Repository) { r.Git("config", "a.b", "c") }, "~ config"},
		"hook":      {func(r *Repository) { r.Write(".git/hooks/pre-commit", "x") }, "+ hook pre-commit"},
		"stash":     {func(r *Repository) { r.Write("README.md", "s"); r.Git("stash", "-q") }, "~ stash"},
		"merge":     {func(r *Repository) { r.Write(".git/MERGE_HEAD", r.Head()+"\n") }, "+ state MERGE_HEAD"},
		"folder":    {func(r *Repository) { _ = os.Mkdir(filepath.Join(r.Dir, "d"), 0o755) }, "+ file d"},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Repo(t)
			r.Write(".gitignore", "*.log\n")
			r.Commit("ignore")
			before := r.Snapshot()
			if diff := before.Diff(r.Snapshot()); diff != "" {
				t.Fatalf("nothing was changed: %s", diff)
			}
			c.do(r)
			if diff := before.Diff(r.Snapshot()); !strings.Contains(diff, c.want) {
				t.Errorf("diff lacks %q:\n%s", c.want, diff)
			}
		})
	}
}

func TestSnapshotDoesNotRefreshTheIndex(t *testing.T) {
	t.Parallel()
	r := Repo(t)
	now := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(r.Dir, "README.md"), now, now); err != nil {
		t.Fatal(err)
	}
	before := Read(t, r.Dir, ".git/index")
	r.Snapshot()
	if Read(t, r.Dir, ".git/index") != before {
		t.Error("the index was written")
	}
}

func TestWithoutLeavesOut(t *testing.T) {
	t.Parallel()
	r := Repo(t)
	before := r.Snapshot()
	r.Git("branch", "tendril/0001-x")
	after := r.Snapshot().Without("ref refs/heads/tendril/")
	before.Unchanged(t, after)
}

func TestCloneRemoteWorktree(t *testing.T) {
	t.Parallel()
	r := Repo(t)
	origin := r.Remote()
	c := Clone(t, origin)
	if c.Head() != r.Head() {
		t.Error("the clone has another head")
	}
	w := c.Worktree("-b", "side")
	if got := w.Git("symbolic-ref", "--short", "HEAD"); got != "side" {
		t.Errorf("worktree is on %q", got)
	}
}

func TestEventuallyReturnsAsSoonAsItHolds(t *testing.T) {
	t.Parallel()
	n := 0
	Eventually(t, time.Minute, func() bool { n++; return n == 3 }, "three looks")
	if n != 3 {
		t.Errorf("looked %d times", n)
	}
}
