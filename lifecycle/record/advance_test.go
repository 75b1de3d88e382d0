package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

// delivery is a repository with a branch to deliver: main stays at old, the work is at new.
type delivery struct {
	fixture
	old, new string
}

// newDelivery makes one whose branch changes every kind of thing: content, mode, links, a file that becomes a folder and
// the other way round, files that come and go, in new and old folders, and some that the branch does not touch.
func newDelivery(t *testing.T) delivery {
	t.Helper()
	f := fromTemplate(t, "delivery", func(f fixture) {
		f.fill()
		f.Write("src/keep.go", "package keep\n")
		f.Write("src/mode.sh", "#!/bin/sh\n")
		f.Write("was-file", "file\n")
		f.Write("was-folder/a", "a\n")
		f.Write("was-folder/b/c", "c\n")
		f.Write("gone/deep/file", "gone\n")
		symlink(f, "src/keep.go", "link")
		f.Commit("before")
		f.Git("checkout", "-q", "-b", "work")
		f.Write("src/code.go", "package code // new\n")
		if err := os.Chmod(filepath.Join(f.Dir, "src/mode.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
		f.Git("rm", "-q", "-r", "was-file", "was-folder", "gone", "link")
		f.Write("was-file/now/a-folder", "deep\n")
		f.Write("was-folder", "a file\n")
		symlink(f, "src/code.go", "link")
		f.Write(".env.example", "KEY=\n")
		f.Write("new/folder/file.go", "package folder\n")
		f.Commit("the work")
		f.Git("checkout", "-q", "main")
	})
	ids := strings.Fields(f.Git("rev-parse", "main", "work"))
	return delivery{f, ids[0], ids[1]}
}

func (d delivery) advance(strict bool) (Result, error) {
	d.t.Helper()
	r := d.recorder()
	return Advance(d.t.Context(), r.Repo, r.Runtime, Move{Ref: "refs/heads/main", Old: d.old, New: d.new, Strict: strict, Reflog: "tendril: deliver", By: tendril, PlansDir: "plans"})
}

func TestAdvanceStrict(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.Write("src/keep.go", "package keep // mine\n")
	d.Write("src/staged.go", "package staged\n")
	d.Git("add", "src/staged.go")
	d.Write("notes.txt", "mine\n")
	res, err := d.advance(true)
	if err != nil || res.Tip != d.new || len(res.Left) != 0 {
		t.Fatalf("Advance: %+v, %v", res, err)
	}
	d.checkMade(d.new)
	if got := d.status(); got != " M src/keep.go\nA  src/staged.go\n?? notes.txt" {
		t.Errorf("status:\n%s", got)
	}
	if got := d.Git("diff", "--name-only", "HEAD"); got != "src/keep.go\nsrc/staged.go" {
		t.Errorf("differs from the new tip: %s", got)
	}
	if info, err := os.Stat(filepath.Join(d.Dir, "src/mode.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode.sh: %v, %v", info, err)
	}
	if got := d.onDisk("gone"); got != "-" {
		t.Errorf("an empty folder stays: %s", got)
	}
	if got := d.Git("log", "-g", "-1", "--format=%gn: %gs"); got != "Tendril: tendril: deliver" {
		t.Errorf("reflog: %s", got)
	}
}

// TestAdvanceInTheWay has everything that a strict move must not touch, one at a time.
func TestAdvanceInTheWay(t *testing.T) {
	t.Parallel()
	ignored := func(d delivery, name, path string) {
		d.Write(".git/info/exclude", name+"\n")
		d.Write(path, "mine\n")
	}
	for name, c := range map[string]struct {
		arrange func(d delivery)
		paths   []string
	}{
		"dirty":      {func(d delivery) { d.Write("src/code.go", "mine\n") }, []string{"src/code.go"}},
		"dirty mode": {func(d delivery) { _ = os.Chmod(filepath.Join(d.Dir, "src/code.go"), 0o755) }, []string{"src/code.go"}},
		"staged":     {func(d delivery) { d.Write("src/code.go", "mine\n"); d.Git("add", "-A") }, []string{"src/code.go"}},
		"staged and reset": {func(d delivery) {
			d.Write("src/code.go", "mine\n")
			d.Git("add", "-A")
			d.Write("src/code.go", "package code\n")
		}, []string{"src/code.go"}},
		"removed":         {func(d delivery) { _ = os.Remove(filepath.Join(d.Dir, "src/code.go")) }, []string{"src/code.go"}},
		"removed, staged": {func(d delivery) { d.Git("rm", "-q", "src/code.go") }, []string{"src/code.go"}},
		"assume-unchanged": {func(d delivery) {
			d.Git("update-index", "--assume-unchanged", "src/code.go")
			d.Write("src/code.go", "mine\n")
		}, []string{"src/code.go"}},
		"skip-worktree": {func(d delivery) {
			d.Git("update-index", "--skip-worktree", "src/code.go")
			d.Write("src/code.go", "mine\n")
		}, []string{"src/code.go"}},
		"dirty, to be removed":              {func(d delivery) { d.Write("gone/deep/file", "mine\n") }, []string{"gone/deep/file"}},
		"untracked":                         {func(d delivery) { d.Write(".env.example", "mine\n") }, []string{".env.example"}},
		"untracked, intent to add":          {func(d delivery) { d.Write(".env.example", "mine\n"); d.Git("add", "-N", ".env.example") }, []string{".env.example"}},
		"staged, to come":                   {func(d delivery) { d.Write(".env.example", "mine\n"); d.Git("add", ".env.example") }, []string{".env.example"}},
		"ignored":                           {func(d delivery) { ignored(d, ".env.example", ".env.example") }, []string{".env.example"}},
		"ignored file where a folder comes": {func(d delivery) { ignored(d, "new", "new") }, []string{"new"}},
		"ignored folder where a file comes": {func(d delivery) { ignored(d, ".env.example", ".env.example/cache/x") }, []string{".env.example/cache/x"}},
		"ignored file in a folder that goes": {
			func(d delivery) { ignored(d, "cache", "was-folder/b/cache") },
			[]string{"was-folder/b/cache"},
		},
		"link where a folder comes": {func(d delivery) { symlink(d.fixture, "src", "new") }, []string{"new"}},
		"another link":              {func(d delivery) { _ = os.Remove(filepath.Join(d.Dir, "link")); symlink(d.fixture, "elsewhere", "link") }, []string{"link"}},
		"two":                       {func(d delivery) { d.Write("src/code.go", "mine\n"); d.Write("new/folder/file.go", "mine\n") }, []string{"new/folder/file.go", "src/code.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDelivery(t)
			c.arrange(d)
			before := d.Snapshot()
			_, err := d.advance(true)
			var stranger *InTheWayError
			if !errors.As(err, &stranger) || stranger.Worktree != d.Dir || !slices.Equal(stranger.Paths, c.paths) {
				t.Errorf("Advance: %v (%+v), want %v", err, stranger, c.paths)
			}
			before.Unchanged(t, d.Snapshot())
			d.checkTidy()
		})
	}
}

// TestAdvanceInTheWayInASecondWorktree: one worktree is clean, the other is not; neither moves.
func TestAdvanceInTheWayInASecondWorktree(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	second := d.at(d.Worktree("--force", "main"))
	second.Write("src/code.go", "mine\n")
	before := d.Snapshot()
	_, err := d.advance(true)
	var stranger *InTheWayError
	if !errors.As(err, &stranger) || stranger.Worktree != second.Dir {
		t.Errorf("Advance: %v", err)
	}
	before.Unchanged(t, d.Snapshot())
	d.checkTidy()
}

func TestAdvanceByTheTable(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.Write("src/code.go", "package code // mine\n")
	d.Write(".env.example", "mine\n")
	res, err := d.advance(false)
	if err != nil || len(res.Left) != 2 {
		t.Fatalf("Advance: %+v, %v", res, err)
	}
	d.checkMade(d.new)
	if got := d.status(); got != " M .env.example\n M src/code.go" {
		t.Errorf("status:\n%s", got)
	}
}

func TestAdvanceMoved(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.Write("README.md", "theirs\n")
	tip := d.Commit("theirs")
	before := d.Snapshot()
	if _, err := d.advance(true); !errors.Is(err, ErrMoved) {
		t.Errorf("Advance: %v", err)
	}
	before.Unchanged(t, d.Snapshot())
	if d.Head() != tip {
		t.Error("the branch moved")
	}
}

func TestAdvanceSubmodules(t *testing.T) {
	t.Parallel()
	inner := testkit.Repo(t)
	f := newFixture(t)
	f.Git("submodule", "--quiet", "add", inner.Dir, "sub")
	old := f.Commit("a submodule")
	f.Git("checkout", "-q", "-b", "work")
	inner.Write("more", "more\n")
	next := inner.Commit("more")
	f.Git("-C", "sub", "pull", "-q")
	f.Git("submodule", "--quiet", "add", inner.Dir, "second")
	d := delivery{f, old, f.Commit("newer, and a second")}
	f.Git("checkout", "-q", "main")
	f.Git("submodule", "--quiet", "update")
	if err := os.RemoveAll(filepath.Join(f.Dir, "second")); err != nil {
		t.Fatal(err)
	}
	if res, err := d.advance(true); err != nil {
		t.Fatalf("Advance: %+v, %v", res, err)
	}
	// As `git merge --ff-only` leaves it: the folders stay, `submodule update` brings them along.
	if got := f.status(); got != " M sub" {
		t.Errorf("status: %q", got)
	}
	f.Git("submodule", "--quiet", "update", "--init")
	if got := f.Git("-C", "second", "rev-parse", "HEAD") + f.status(); got != next {
		t.Errorf("second is at %s", got)
	}
}

// TestAdvanceKilled kills a delivery at points in its middle; the next process finishes it, and a person's file stays.
func TestAdvanceKilled(t *testing.T) {
	t.Parallel()
	for _, c := range []crashCase{{pointHeld, 1}, {pointPlacing, 1}, {pointPlaced, 3}, {pointPlaced, 7}, {pointPlacing, 9}, {pointIndexing, 1}, {pointIndexed, 1}, {pointMoved, 1}} {
		t.Run(string(c.point), func(t *testing.T) {
			t.Parallel()
			d := newDelivery(t)
			d.Write("src/keep.go", "package keep // mine\n")
			testkit.Write(t, d.Dir, ".git/deliver", d.old+" "+d.new)
			if _, killed := runChild(t, "advance", d.Dir, c.point, c.nth); !killed {
				t.Fatal("not killed")
			}
			runChild(t, "recover", d.Dir, "", 0)
			d.checkMade(d.new)
			if got := d.status(); got != " M src/keep.go" {
				t.Errorf("status:\n%s", got)
			}
		})
	}
}

func TestInTheWayErrorNamesSome(t *testing.T) {
	t.Parallel()
	paths := make([]string, 12)
	for i := range paths {
		paths[i] = string(rune('a' + i))
	}
	want := "not committed and in the way in /repo: a, b, c, d, e, f, g, h, i, j and 2 more\n  commit, stash or move them away"
	if got := (&InTheWayError{Worktree: "/repo", Paths: paths}).Error(); got != want {
		t.Errorf("%q", got)
	}
}
