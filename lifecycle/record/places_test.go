package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// at is the same repository seen from another worktree.
func (f fixture) at(r *testkit.Repository) fixture { return fixture{Repository: r, t: f.t} }

// checkFollowed fails unless index and working tree of a clean checkout have the standard change, and nothing else differs.
func (f fixture) checkFollowed() {
	f.t.Helper()
	f.checkStaged(standard)
	f.checkOnDisk(standard)
	if got := f.status(); got != "" {
		f.t.Errorf("%s: status: %s", f.Dir, got)
	}
	// What programs see that do not look at contents: the entries vouch for their files.
	if got := f.Git("diff-files", "--name-only"); got != "" {
		f.t.Errorf("%s: not up to date: %s", f.Dir, got)
	}
}

func TestHalfStagedOnThePlansBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.busyPerson()
	f.Write("src/code.go", "package code // staged\n")
	f.Git("add", "src/code.go")
	f.Write("src/code.go", "package code // staged and more\n")
	f.Git("stash", "push", "-q", "--", "src/staged.go")
	before := f.Snapshot()
	f.record()
	ours := []string{"ref refs/heads/main", "index plans/", "file plans/", "status plans/"}
	before.Without(ours...).Unchanged(t, f.Snapshot().Without(ours...))
	if got := f.Git("stash", "list"); strings.Count(got, "\n") != 0 || got == "" {
		t.Errorf("stash: %q", got)
	}
	f.Git("stash", "pop", "-q")
}

func TestHalfStagedOnAnotherBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "work")
	f.busyPerson()
	f.Git("rm", "-q", recordPath)
	before := f.Snapshot()
	f.record()
	before.Without("ref refs/heads/main").Unchanged(t, f.Snapshot().Without("ref refs/heads/main"))
}

func TestPlansBranchInASecondWorktree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "work")
	second := f.at(f.Worktree("main"))
	f.busyPerson()
	second.Write("src/code.go", "package code // second\n")
	before := f.Snapshot()
	f.record()
	before.Without("ref refs/heads/main").Unchanged(t, f.Snapshot().Without("ref refs/heads/main"))
	if got := second.status(); got != " M src/code.go" {
		t.Errorf("status of the second worktree: %q", got)
	}
	second.Git("checkout", "-q", "src/code.go")
	second.checkFollowed()
	if got := second.Git("log", "-g", "-1", "--format=%gn: %gs", "HEAD"); got != "Tendril: tendril: 0001-one executing" {
		t.Errorf("reflog of its HEAD: %s", got)
	}
}

func TestEveryWorktreeOnTheBranchFollows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("symbolic-ref", "refs/heads/trunk", "refs/heads/main")
	twice, trunk := f.at(f.Worktree("--force", "main")), f.at(f.Worktree("--force", "trunk"))
	detached := f.at(f.Worktree("--detach", "main"))
	was := detached.Snapshot()
	f.record()
	for _, place := range []fixture{f, twice, trunk} {
		place.checkFollowed()
	}
	was.Without("ref refs/heads/").Unchanged(t, detached.Snapshot().Without("ref refs/heads/"))

	// The recorder may be given the symbolic name, and be started anywhere.
	r := detached.recorder()
	r.Ref = "refs/heads/trunk"
	res, err := r.Commit(t.Context(), build(map[string]*string{newPath: nil}))
	if err != nil || res.Commit == "" {
		t.Fatalf("Commit on trunk: %+v, %v", res, err)
	}
	f.checkMade(res.Commit)
	if got := f.Git("symbolic-ref", "refs/heads/trunk"); got != "refs/heads/main" {
		t.Errorf("trunk names %s", got)
	}
	for _, place := range []fixture{f, twice, trunk} {
		if got := place.status(); got != "" {
			t.Errorf("%s: status %s", place.Dir, got)
		}
	}
}

func TestBranchCheckedOutNowhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bare := fixture{testkit.Clone(t, f.Dir, "--bare"), t}
	bare.record()
	linked := bare.at(testkit.At(t, filepath.Join(testkit.TempDir(t), "linked")))
	bare.Git("worktree", "add", "-q", linked.Dir, "main")
	linked.recordThis(map[string]*string{newPath: ptr("again\n")})
	if got := linked.onDisk(newPath) + linked.status(); got != "again\n" {
		t.Errorf("worktree of a bare repository: %q", got)
	}
}

func TestWorktreeFolderMissing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "work")
	away := f.at(f.Worktree("main"))
	aside := away.Dir + ".unmounted"
	if err := os.Rename(away.Dir, aside); err != nil {
		t.Fatal(err)
	}
	f.record()
	if _, err := os.Lstat(away.Dir); err == nil {
		t.Fatal("the folder was made")
	}
	if err := os.Rename(aside, away.Dir); err != nil {
		t.Fatal(err)
	}
	// Nothing is staged that would revert the step; the files are as they were left.
	if got := away.Git("diff", "--cached", "--name-only"); got != "" {
		t.Errorf("staged: %s", got)
	}
	if got := away.onDisk(planPath); got != planText {
		t.Errorf("plan.md: %q", got)
	}
}

// TestWorktreeThatNamesAnotherFolder: an agent can write into the git directory of its worktree. One that claims the
// plans branch, and a person's folder, gets nothing written there.
func TestWorktreeThatNamesAnotherFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent := f.at(f.Worktree("--detach", "main"))
	gitDir := agent.Git("rev-parse", "--absolute-git-dir")
	home := testkit.TempDir(t)
	testkit.Write(t, gitDir, "gitdir", home+"/.git\n")
	testkit.Write(t, gitDir, "HEAD", "ref: refs/heads/main\n")
	f.record()
	f.checkFollowed()
	if names, err := os.ReadDir(home); err != nil || len(names) != 0 {
		t.Errorf("written into another folder: %v, %v", names, err)
	}
}

func TestWorktreeWithoutIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "-b", "work")
	empty := f.at(f.Worktree("--no-checkout", "main"))
	_ = os.Remove(filepath.Join(empty.Git("rev-parse", "--absolute-git-dir"), "index"))
	f.record()
	if names, err := os.ReadDir(empty.Dir); err != nil || len(names) != 1 {
		t.Errorf("files: %v, %v", names, err)
	}
}

func TestUnbornBranch(t *testing.T) {
	t.Parallel()
	f := fixture{testkit.EmptyRepo(t), t}
	_, err := f.recorder().Commit(t.Context(), build(standard))
	if err == nil || !strings.Contains(err.Error(), "main has no commit yet\n  ") {
		t.Errorf("error: %v", err)
	}
	f.Write("a", "a")
	f.Commit("first")
	r := f.recorder()
	r.Ref = "refs/heads/nowhere"
	if _, err := r.Commit(t.Context(), build(standard)); err == nil || !strings.Contains(err.Error(), "nowhere has no commit yet") {
		t.Errorf("error: %v", err)
	}
}

func TestSHA256Repository(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	testkit.Git(t, dir, "init", "-q", "--object-format=sha256")
	f := fixture{testkit.At(t, dir), t}
	f.fill()
	f.record()
	f.checkFollowed()
}

func TestNothingToDo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tip := f.Head()
	for name, b := range map[string]Build{
		"no draft":    buildNothing,
		"no change":   build(map[string]*string{planPath: ptr(planText)}),
		"gone before": build(map[string]*string{"plans/0009-x/record.yaml": nil}),
	} {
		res, err := f.recorder().Commit(t.Context(), b)
		if err != nil || res.Commit != "" || res.Tip != tip || f.Head() != tip {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	f.checkTidy()
}

func TestBadEdits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	symlink(f, "0001-one", "plans/0002-two")
	f.Commit("a plan's folder that is a link")
	tip, before := f.Head(), f.Snapshot()
	for _, path := range []string{"../out", "/abs", ".git/config", "a\nb", ""} {
		if _, err := f.recorder().Commit(t.Context(), build(map[string]*string{path: ptr("x")})); !errors.Is(err, git.ErrBadPath) {
			t.Errorf("%q: %v", path, err)
		}
	}
	var pe *git.PathError
	if _, err := f.recorder().Commit(t.Context(), build(map[string]*string{"plans/0002-two/record.yaml": ptr("x")})); !errors.As(err, &pe) {
		t.Errorf("below a link: %v", err)
	}
	if f.Head() != tip {
		t.Error("the branch moved")
	}
	before.Unchanged(t, f.Snapshot())
	f.checkTidy()
}
