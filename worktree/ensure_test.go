package worktree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tendril/internal/testkit"
	"tendril/plans"
)

func TestEnsureMakesAWorktreeAndLeavesTheMainCheckoutAlone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Write("a.txt", "edited by the person\n")
	b.Write("untracked", "x")
	b.Git("add", "a.txt")
	before := b.Snapshot()
	ws := b.ensure()
	before.Unchanged(t, b.Snapshot().Without("ref refs/heads/tendril/"))

	if want := filepath.Join(filepath.Dir(b.Dir), "repo.worktrees", string(key)); ws.Path != want {
		t.Errorf("path %s, want %s", ws.Path, want)
	}
	if ws.Slot != 1 || ws.Branch != branch || ws.Key != key || len(ws.Warnings) > 0 {
		t.Errorf("%+v", ws)
	}
	if got := testkit.Git(t, ws.Path, "symbolic-ref", "HEAD"); got != "refs/heads/"+branch {
		t.Errorf("HEAD is on %s", got)
	}
	if got := testkit.Read(t, ws.Path, "dir/b.txt"); got != "b\n" {
		t.Errorf("b.txt: %q", got)
	}
	if got := testkit.Git(t, ws.Path, "status", "--porcelain"); got != "" {
		t.Errorf("status: %s", got)
	}
	if got, err := ws.Head(t.Context()); err != nil || got != b.Head() {
		t.Errorf("head %s, %v", got, err)
	}
	if out, err := testkit.TryGit(t, ws.Path, nil, "rev-parse", "--abbrev-ref", "@{upstream}"); err == nil {
		t.Errorf("the branch has an upstream: %s", out)
	}
	reflog := testkit.Git(t, b.Dir, "reflog", "show", "--format=%gn <%ge> %gs", branch)
	if reflog != "Tendril <tendril@localhost> tendril: branch for a plan" {
		t.Errorf("reflog: %s", reflog)
	}
}

func TestEnsureTakesUpWhatIsThere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Write(t, ws.Path, "work", "half done")
	testkit.Write(t, ws.Path, "a.txt", "changed")
	again := b.ensure()
	if again.Path != ws.Path || again.Slot != ws.Slot || again.GitDir != ws.GitDir {
		t.Errorf("%+v, then %+v", ws, again)
	}
	if testkit.Read(t, ws.Path, "work") != "half done" || testkit.Read(t, ws.Path, "a.txt") != "changed" {
		t.Error("the work in it was touched")
	}
	found, ok, err := b.m.Find(t.Context(), key)
	if err != nil || !ok || found.Path != ws.Path || found.Base != b.Head() {
		t.Errorf("%+v %v %v", found, ok, err)
	}
	if _, ok, err := b.m.Find(t.Context(), "0008-other"); ok || err != nil {
		t.Errorf("found another: %v", err)
	}
}

func TestEnsureContinuesABranch(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	old := b.Head()
	b.Git("branch", branch)
	b.Write("later", "x")
	b.Commit("later")
	ws := b.ensure()
	if head, err := ws.Head(t.Context()); err != nil || head != old {
		t.Errorf("head %s, want %s, %v", head, old, err)
	}
}

// Lesson 4.
func TestFolderGoneRegistrationLeft(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(t *testing.T, b *bed, ws *Workspace){
		"deleted": func(t *testing.T, _ *bed, ws *Workspace) { must(t, os.RemoveAll(ws.Path)) },
		"emptied": func(t *testing.T, _ *bed, ws *Workspace) {
			must(t, os.RemoveAll(ws.Path))
			must(t, os.Mkdir(ws.Path, 0o755))
		},
		"removed by git": func(_ *testing.T, b *bed, ws *Workspace) { b.Git("worktree", "remove", "-f", "-f", ws.Path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			ws := b.ensure()
			other, err := b.m.Ensure(t.Context(), Want{Key: "0009-x", Branch: "tendril/0009-x", Base: b.Head()})
			must(t, err)
			person := b.Worktree("-b", "person")
			testkit.Write(t, ws.Path, "done", "x")
			head := testkit.Commit(t, ws.Path, "work")
			gone(t, b, ws)
			must(t, os.RemoveAll(person.Dir)) // a stale registration that is not ours
			if _, _, err := b.m.Find(t.Context(), key); !errors.As(err, new(*LostError)) {
				t.Errorf("find: %v", err)
			}
			again := b.ensure()
			if got, err := again.Head(t.Context()); err != nil || got != head {
				t.Errorf("head %s, want %s, %v", got, head, err)
			}
			if testkit.Read(t, again.Path, "done") != "x" || again.Slot != 1 || other.Slot != 2 {
				t.Errorf("%+v", again)
			}
			if list := b.Git("worktree", "list", "--porcelain"); !strings.Contains(list, person.Dir) {
				t.Errorf("the person's registration is gone: %s", list)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBranchInUseElsewhereIsNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Worktree("-b", branch)
	_, err := b.m.Ensure(t.Context(), b.want())
	clash := (*ClashError)(nil)
	if !errors.As(err, &clash) || clash.Worktree != w.Dir {
		t.Fatalf("%v", err)
	}
	w.Git("switch", "-q", "-c", "elsewhere")
	b.Git("switch", "-q", branch)
	if _, err = b.m.Ensure(t.Context(), b.want()); !errors.As(err, &clash) || clash.Worktree != b.Dir {
		t.Fatalf("in the main worktree: %v", err)
	}
	b.Git("switch", "-q", "main")
	b.ensure()
}

func TestBranchBeingRebasedElsewhereIsNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Worktree("-b", branch)
	w.Write("c", "x")
	w.Commit("c")
	_, _ = testkit.TryGit(t, w.Dir, nil, "rebase", "--exec", "false", "HEAD~1") // stops at once
	_, err := b.m.Ensure(t.Context(), b.want())
	if clash := (*ClashError)(nil); !errors.As(err, &clash) || clash.Worktree != w.Dir {
		t.Fatalf("%v", err)
	}
	if all, _, err := b.m.records(); err != nil || len(all) > 0 {
		t.Errorf("left behind: %+v %v", all, err)
	}
}

func TestAFolderThatIsNotOursIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T, b *bed, path string){
		"files":  func(t *testing.T, _ *bed, path string) { testkit.Write(t, path, "mine", "x") },
		"a file": func(t *testing.T, b *bed, path string) { testkit.Write(t, b.m.Root, string(key), "x") },
		"a link": func(t *testing.T, b *bed, path string) {
			must(t, os.MkdirAll(b.m.Root, 0o755))
			must(t, os.Symlink(b.Dir, path))
		},
		"repository":          func(t *testing.T, _ *bed, path string) { testkit.Git(t, ".", "init", "-q", path) },
		"a person's worktree": func(t *testing.T, b *bed, path string) { b.Git("worktree", "add", "-q", "-b", branch, path) },
		"another branch's":    func(t *testing.T, b *bed, path string) { b.Git("worktree", "add", "-q", "-b", "mine", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			path := filepath.Join(b.m.Root, string(key))
			lay(t, b, path)
			before := b.Snapshot()
			_, err := b.m.Ensure(t.Context(), b.want())
			if foreign := (*ForeignError)(nil); !errors.As(err, &foreign) || foreign.Path != path {
				t.Fatalf("%v", err)
			}
			before.Unchanged(t, b.Snapshot())
			if _, err := os.Lstat(path); err != nil {
				t.Error(err)
			}
			if all, _, err := b.m.records(); err != nil || len(all) > 0 {
				t.Errorf("left behind: %+v %v", all, err)
			}
		})
	}
}

// Lesson 10.
func TestPrefixAsABranch(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, by := range []string{"tendril", branch + "/x"} {
		b.Git("branch", by)
		before := b.Snapshot()
		_, err := b.m.Ensure(t.Context(), b.want())
		if blocked := (*BranchBlockedError)(nil); !errors.As(err, &blocked) || blocked.By != by || !strings.Contains(err.Error(), by) {
			t.Fatalf("%v", err)
		}
		before.Unchanged(t, b.Snapshot())
		b.Git("branch", "-D", by)
	}
	if ws := b.ensure(); ws.Slot != 1 {
		t.Errorf("slot %d", ws.Slot)
	}
}

// Lesson 9.
func TestUnborn(t *testing.T) {
	t.Parallel()
	r := testkit.EmptyRepo(t)
	b := bedAt(t, r)
	_, err := b.m.Ensure(t.Context(), Want{Key: key, Branch: branch, Base: "HEAD"})
	if !errors.Is(err, ErrUnborn) {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(b.m.Root); !os.IsNotExist(err) {
		t.Errorf("something was made: %v", err)
	}
}

func TestWantsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	before := b.Snapshot()
	for _, w := range []Want{
		{},
		{Branch: "main"},
		{Branch: "tendril/"},
		{Branch: "tendril/../x"},
		{Branch: "tendril/a/b"},
		{Branch: "tendril/-x"},
		{Branch: "tendril/x.lock"},
		{Branch: branch, Name: "../x"},
		{Branch: branch, Name: "a/b"},
		{Branch: branch, Name: ".git"},
		{Branch: branch, Name: "a\\b"},
		{Branch: branch, Base: "--upload-pack=touch X"},
		{Branch: branch, Base: "no-such"},
		{Branch: branch, Base: strings.Repeat("1", 40)},
	} {
		w.Key = key
		if _, err := b.m.Ensure(t.Context(), w); err == nil {
			t.Errorf("%+v was taken", w)
		}
	}
	before.Unchanged(t, b.Snapshot())
}

// Lesson 6.
func TestManyAtOnceWhileAnotherGitHoldsTheConfigLock(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		lock := filepath.Join(b.Dir, ".git", "config.lock")
		for {
			f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
			if err == nil {
				_ = f.Close()
				time.Sleep(200 * time.Millisecond) // it is held as long as another git would
				_ = os.Remove(lock)
			}
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	var wg sync.WaitGroup
	errs := make([]error, 8)
	spaces := make([]*Workspace, 8)
	for i := range errs {
		wg.Go(func() {
			k := plans.MakeKey(i, "same title")
			spaces[i], errs[i] = b.m.Ensure(t.Context(), Want{Key: k, Branch: k.Branch(), Base: "HEAD"})
		})
	}
	wg.Wait()
	close(stop)
	<-done
	slots := map[int]bool{}
	for i, err := range errs {
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		slots[spaces[i].Slot] = true
	}
	if len(slots) != 8 || !slots[1] || !slots[8] {
		t.Errorf("slots: %v", slots)
	}
	if n := strings.Count(b.Git("for-each-ref", "refs/heads/tendril/"), "\n") + 1; n != 8 {
		t.Errorf("%d branches", n)
	}
	if t.Failed() {
		return
	}
	must(t, b.m.Remove(t.Context(), spaces[3]))
	ws, err := b.m.Ensure(t.Context(), Want{Key: "0100-x", Branch: "tendril/0100-x", Base: "HEAD"})
	if err != nil || ws.Slot != spaces[3].Slot {
		t.Errorf("slot of a removed one: %+v %v", ws, err)
	}
}

// Lesson 12.
func TestPathsWithSpacesAndUmlauts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testkit.TempDir(t), "my répo 仓库", "x y")
	must(t, os.MkdirAll(dir, 0o755))
	testkit.Git(t, dir, "init", "-q", "-b", "trunk")
	testkit.Write(t, dir, "ü \"q\"\tx", "1\n")
	testkit.Commit(t, dir, "x")
	b := bedAt(t, testkit.At(t, dir))
	ws := b.ensure()
	if want := filepath.Join(filepath.Dir(dir), "x y.worktrees", string(key)); ws.Path != want {
		t.Errorf("path %s", ws.Path)
	}
	testkit.Write(t, ws.Path, "ü \"q\"\tx", "2\n")
	testkit.Write(t, ws.Path, "ny/ö\nzeile", "1\n")
	left, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "left"})
	if err != nil || !left.Committed {
		t.Fatalf("%+v %v", left, err)
	}
	d, err := Diff(t.Context(), b.m.Repo, b.Head(), left.Head)
	if err != nil || len(d.Files) != 2 || d.Files[0].Path != "ny/ö\nzeile" || d.Files[1].Path != "ü \"q\"\tx" {
		t.Errorf("%+v %v", d, err)
	}
	must(t, b.m.Remove(t.Context(), ws))
	if exists(ws.Path) {
		t.Error("still there")
	}
}

// Lesson 23.
func TestPostCheckoutHook(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ hook, warning string }{
		"runs":    {"touch SETUP_OK", ""},
		"fails":   {"touch SETUP_OK; echo broken hook; exit 3", "exit code 3:\nbroken hook"},
		"hangs":   {"touch SETUP_OK; setsid sleep 600 & sleep 600", "longer than 2s and was ended"},
		"sees":    {`test -z "$GIT_DIR$GIT_INDEX_FILE$TENDRIL_RUN" && test "$3" = 1 && test "$(git rev-parse HEAD)" = "$2" && touch SETUP_OK`, ""},
		"commits": {"touch SETUP_OK; git -c user.name=x -c user.email=y commit -q --allow-empty -m hook", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.m.SetupLimit = 2 * time.Second
			if name != "hangs" {
				b.m.SetupLimit = time.Minute
			}
			testkit.WriteScript(t, b.Dir, ".git/hooks/post-checkout", "#!/bin/sh\n"+c.hook+"\n")
			start := time.Now()
			ws := b.ensure()
			if got := strings.Join(ws.Warnings, ""); (c.warning == "") != (got == "") || !strings.Contains(got, c.warning) {
				t.Errorf("warning %q, want %q", got, c.warning)
			}
			if !exists(filepath.Join(ws.Path, "SETUP_OK")) {
				t.Error("the hook did not run")
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %s", took)
			}
			must(t, os.Remove(filepath.Join(ws.Path, "SETUP_OK")))
			b.ensure()
			if exists(filepath.Join(ws.Path, "SETUP_OK")) {
				t.Error("the hook ran again")
			}
		})
	}
}

func TestRelativeHooksPath(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	testkit.WriteScript(t, b.Dir, ".husky/post-checkout", "#!/bin/sh\necho ran > SETUP_OK\n")
	b.Commit("hooks")
	b.Git("config", "core.hooksPath", ".husky")
	if ws := b.ensure(); !exists(filepath.Join(ws.Path, "SETUP_OK")) {
		t.Error("the hook did not run")
	}
}

func TestARaceHasOneWorktreeACandidate(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i, c := range []string{"claude-opus", "codex-2"} {
		ws, err := b.m.Ensure(t.Context(), Want{Key: key, Branch: branch + "." + c, Base: b.Head()})
		if err != nil || ws.Slot != i+1 || filepath.Base(ws.Path) != string(key)+"."+c {
			t.Errorf("%+v %v", ws, err)
		}
	}
	b.ensure()
	list, err := b.m.List(t.Context())
	if err != nil || len(list) != 3 || list[0].Name != string(key) || fmt.Sprint(list[1].Key) != string(key) {
		t.Errorf("%+v %v", list, err)
	}
}
