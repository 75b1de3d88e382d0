package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tendril/internal/redact"
	"tendril/internal/testkit"
)

// fill makes the random part of a token, so that no token stands in this file.
func fill(n int) string { return strings.Repeat("aB3dE5gH", n/8+1)[:n] }

func (b *bed) leftovers(ws *Workspace) Left {
	b.t.Helper()
	left, err := ws.CommitLeftovers(b.t.Context(), Leftovers{Ident: agent, Message: "what was left\n\nbody\n"})
	if err != nil {
		b.t.Fatal(err)
	}
	return left
}

// Lessons 49 and 79.
func TestLeftoversOfEveryKind(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "prepare-commit-msg"} {
		testkit.WriteScript(t, b.Dir, ".git/hooks/"+hook, "#!/bin/sh\nexit 1\n")
	}
	b.Git("config", "commit.gpgsign", "true")
	ws := b.ensure()
	w := testkit.At(t, ws.Path)
	w.Write("a.txt", "one\nTWO\nthree\n")
	w.Write("new/file", strings.Repeat("line\n", 107))
	w.Write("binary", "\x00\x01")
	w.Write("x.log", "ignored")
	w.Write("staged", "x\n")
	w.Git("add", "staged")
	w.Git("add", "-f", "x.log")
	w.Git("mv", "dir/b.txt", "moved.txt")
	must(t, os.Symlink("a.txt", filepath.Join(ws.Path, "link")))
	testkit.WriteScript(t, ws.Path, "run.sh", "#!/bin/sh\n")
	w.Write("-f", "x")
	w.Write(":(glob)**", "x")
	before := b.Snapshot().Without("ref refs/heads/tendril/")
	left := b.leftovers(ws)
	if !left.Committed || len(left.Out) > 0 || len(left.Secrets) > 0 {
		t.Errorf("%+v", left)
	}
	if got := w.Git("status", "--porcelain"); got != "" {
		t.Errorf("status: %s", got)
	}
	want := "-f, :(glob)**, a.txt, binary, dir/b.txt, link, moved.txt, new/file, run.sh, staged, x.log"
	if got := strings.ReplaceAll(w.Git("diff", "--no-renames", "--name-only", b.Head(), left.Head), "\n", ", "); got != want {
		t.Errorf("committed %s\nwant      %s", got, want)
	}
	if got := w.Git("log", "-1", "--format=%an %ae %cn %ce %G? %P|%B"); got != "agent "+agent.Email+" agent "+agent.Email+" N "+b.Head()+"|what was left\n\nbody\n" {
		t.Errorf("%q", got)
	}
	if got := testkit.Git(t, b.Dir, "reflog", "-1", "--format=%ge %gs", branch); got != agent.Email+" commit: what was left" {
		t.Errorf("reflog: %s", got)
	}
	d, err := Diff(t.Context(), b.m.Repo, b.Head(), left.Head)
	must(t, err)
	for _, f := range d.Files {
		switch f.Path {
		case "new/file":
			if f.Added != 107 || f.Status != "A" {
				t.Errorf("%+v", f)
			}
		case "moved.txt":
			if f.Old != "dir/b.txt" || f.Status != "R" || f.Added+f.Deleted != 0 {
				t.Errorf("%+v", f)
			}
		case "binary":
			if !f.Binary {
				t.Errorf("%+v", f)
			}
		case "link":
			if f.NewMode != "120000" {
				t.Errorf("%+v", f)
			}
		case "run.sh":
			if f.NewMode != "100755" {
				t.Errorf("%+v", f)
			}
		}
	}
	if again := b.leftovers(ws); again.Committed || again.Head != left.Head {
		t.Errorf("again: %+v", again)
	}
	before.Unchanged(t, b.Snapshot().Without("ref refs/heads/tendril/"))
}

// What an agent staged by force would be dropped from its index, and deleted with the worktree as what git ignores.
func TestWhatWasStagedByForceIsCommitted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	w := testkit.At(t, ws.Path)
	for _, path := range []string{
		"ignored/keep", "ignored/copied", "ignored/secret", "ignored/desk/summary", "ignored/gone", "ignored/as-folder", "ignored/linked/file", "x.log",
	} {
		w.Write(path, "x\n")
	}
	w.Write("ignored/secret", "key = ghp_"+fill(36)+"\n")
	w.Write("ignored/not-staged", "x\n")
	must(t, os.Symlink("/etc", filepath.Join(ws.Path, "y.log")))
	w.Git("add", "-f", "x.log", "y.log", "ignored/keep", "ignored/copied", "ignored/secret", "ignored/desk", "ignored/gone", "ignored/as-folder", "ignored/linked")
	w.Write("ignored/keep", "y\n")
	must(t, os.Remove(filepath.Join(ws.Path, "ignored/gone")))
	must(t, os.Remove(filepath.Join(ws.Path, "ignored/as-folder")))
	must(t, os.Mkdir(filepath.Join(ws.Path, "ignored/as-folder"), 0o755))
	must(t, os.RemoveAll(filepath.Join(ws.Path, "ignored/linked")))
	must(t, os.Symlink("/etc", filepath.Join(ws.Path, "ignored/linked")))
	left, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "left", Private: []string{"ignored/copied", "ignored/desk/"}})
	must(t, err)
	if got := strings.ReplaceAll(w.Git("diff", "--name-only", b.Head(), left.Head), "\n", ", "); got != "ignored/keep, x.log, y.log" {
		t.Errorf("committed %s", got)
	}
	if got := w.Git("show", left.Head+":ignored/keep"); got != "y" {
		t.Errorf("keep is %q", got)
	}
	if len(left.Secrets) != 1 || left.Secrets[0].Path != "ignored/secret" {
		t.Errorf("%+v", left)
	}
}

// The desk ignores itself; one whose .gitignore is empty or gone (whoever wrote it died, or an agent deleted it) once got
// into a commit, and from there into everybody's way.
func TestTheDeskIsNeverCommitted(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(w *testkit.Repository){
		"no .gitignore":    func(w *testkit.Repository) { must(t, os.Remove(filepath.Join(w.Dir, ".desk/.gitignore"))) },
		"empty .gitignore": func(w *testkit.Repository) { w.Write(".desk/.gitignore", "") },
		"staged":           func(w *testkit.Repository) { w.Git("add", "-f", ".desk") },
		"a repository":     func(w *testkit.Repository) { w.Git("init", "-q", ".desk") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.m.Desk = ".desk"
			ws := b.ensure()
			w := testkit.At(t, ws.Path)
			w.Write(".desk/.gitignore", "*\n")
			w.Write(".desk/summary.md", "words\n")
			w.Write("work", "x\n")
			spoil(w)
			left := b.leftovers(ws)
			if got := w.Git("diff", "--name-only", b.Head(), left.Head); got != "work" || len(left.Out) > 0 {
				t.Errorf("committed %s, out %v", got, left.Out)
			}
			must(t, b.m.Remove(t.Context(), ws))
		})
	}
}

func TestASecretInAFilesNameStaysOut(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	w := testkit.At(t, ws.Path)
	for _, path := range []string{"ghp_" + fill(36), "dir/ghp_" + fill(36) + "/x", "fine"} {
		w.Write(path, "x\n")
	}
	left := b.leftovers(ws)
	if got := w.Git("diff", "--name-only", b.Head(), left.Head); got != "fine" || len(left.Secrets) != 2 || len(left.Out) != 2 {
		t.Errorf("committed %s, %+v", got, left)
	}
}

func TestFilesThatBecameFoldersAndTheOtherWay(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	must(t, os.Remove(filepath.Join(ws.Path, "a.txt")))
	testkit.Write(t, ws.Path, "a.txt/inside", "x\n")
	must(t, os.RemoveAll(filepath.Join(ws.Path, "dir")))
	testkit.Write(t, ws.Path, "dir", "x\n")
	b.leftovers(ws)
	if got := testkit.Git(t, ws.Path, "ls-files"); got != ".gitignore\nREADME.md\na.txt/inside\ndir" {
		t.Error(got)
	}
	must(t, os.Remove(filepath.Join(ws.Path, "dir")))
	must(t, os.RemoveAll(filepath.Join(ws.Path, "a.txt")))
	must(t, os.Symlink(b.Dir, filepath.Join(ws.Path, "a.txt")))
	b.leftovers(ws)
	if got := testkit.Git(t, ws.Path, "ls-files"); got != ".gitignore\nREADME.md\na.txt" {
		t.Error(got)
	}
}

// The agent's index says that nothing changed; Tendril does not believe it.
func TestAnIndexThatHidesChangesIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]func(w *testkit.Repository){
		"assume-unchanged": func(w *testkit.Repository) { w.Git("update-index", "--assume-unchanged", "a.txt") },
		"skip-worktree":    func(w *testkit.Repository) { w.Git("update-index", "--skip-worktree", "a.txt") },
		"settings": func(w *testkit.Repository) {
			w.Git("config", "core.trustctime", "false")
			w.Git("config", "core.checkStat", "minimal")
			w.Git("config", "status.showUntrackedFiles", "no")
			w.Git("config", "core.ignoreStat", "true")
		},
		"no index": func(w *testkit.Repository) {
			must(t, os.Remove(w.Git("rev-parse", "--path-format=absolute", "--git-path", "index")))
		},
		"damaged": func(w *testkit.Repository) {
			must(t, os.WriteFile(w.Git("rev-parse", "--path-format=absolute", "--git-path", "index"), []byte("x"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			ws := b.ensure()
			w := testkit.At(t, ws.Path)
			hide(w)
			w.Write("a.txt", "ONE\ntwo\nthree\n") // as long as before
			w.Write("new", "x")
			if dirty, err := ws.Dirty(t.Context()); err != nil || !slices.Equal(dirty, []string{"a.txt", "new"}) {
				t.Errorf("%v %v", dirty, err)
			}
			if err := b.m.Remove(t.Context(), ws); err == nil || name != "damaged" && !errors.As(err, new(*DirtyError)) {
				t.Errorf("remove: %v", err)
			}
			left := b.leftovers(ws)
			if got := w.Git("show", left.Head+":a.txt"); got != "ONE\ntwo\nthree" {
				t.Errorf("%q", got)
			}
			if got := w.Git("-c", "status.showUntrackedFiles=normal", "status", "--porcelain"); got != "" {
				t.Errorf("status: %s", got)
			}
		})
	}
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Write("fixture", "ghp_"+fill(36)+"\n")
	b.Commit("a fixture")
	ws := b.ensure()
	w := testkit.At(t, ws.Path)
	w.Write("fixture", "more\nghp_"+fill(36)+"\n")
	w.Write("copied", "ghp_"+fill(36)+"\n")
	w.Write("a.txt", "one\ntwo\nthree\nAKIA"+"ABCDEFGH12345678\n")
	w.Write("staged.env", "\nMINE=value-of-mine\n")
	w.Git("add", "staged.env")
	w.Write("big", strings.Repeat("x", window-10)+"\n glpat-"+fill(20)+"\n"+strings.Repeat("y\n", 1<<20)+"sk-ant-"+fill(40))
	must(t, os.Symlink("/x/npm_"+fill(36), filepath.Join(ws.Path, "link")))
	w.Write("fine", "x\n")
	left, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "left", Redact: redact.New(nil, "value-of-mine")})
	must(t, err)
	var got []string
	for _, s := range left.Secrets {
		got = append(got, s.String())
	}
	want := []string{"a.txt:4: aws access key", "big:2: gitlab token", "big:1048579: anthropic key", "link:1: npm token", "staged.env:2: a secret value"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := w.Git("diff", "--name-only", b.Head(), "HEAD"); got != "copied\nfine\nfixture" {
		t.Errorf("committed %s", got)
	}
	if len(left.Out) != 4 || left.Out[0] != (Out{"a.txt", "a secret in it"}) {
		t.Errorf("%v", left.Out)
	}
	if got := w.Git("status", "--porcelain"); got != " M a.txt\n?? big\n?? link\n?? staged.env" {
		t.Errorf("status: %q", got)
	}
	if err := b.m.Remove(t.Context(), ws); !errors.As(err, new(*DirtyError)) {
		t.Errorf("remove: %v", err)
	}
}

func TestWhatCannotBeCommittedIsNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	w := testkit.At(t, ws.Path)
	w.Git("init", "-q", "inner")
	w.Write("inner/x", "x")
	testkit.Commit(t, filepath.Join(ws.Path, "inner"), "x")
	w.Git("worktree", "add", "-q", "--detach", "tree-in-tree")
	w.Write("skipped/a", "x")
	w.Write("skip", "x")
	w.Write("taken", "x")
	left, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "left", Skip: []string{"skipped/", "skip"}})
	must(t, err)
	if want := []Out{{"inner/", "a repository of its own"}, {"tree-in-tree/", "a repository of its own"}}; !slices.Equal(left.Out, want) {
		t.Errorf("%v", left.Out)
	}
	if !slices.Equal(left.Paths, []string{"taken"}) {
		t.Errorf("%v", left.Paths)
	}
}

// Lesson 7.
func TestALeftLockKeepsEverything(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Write(t, ws.GitDir, "index.lock", "")
	testkit.Write(t, ws.Path, "a.txt", "edited\n")
	_, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "left"})
	if locked := (*LockedError)(nil); !errors.As(err, &locked) || locked.Path != filepath.Join(ws.GitDir, "index.lock") {
		t.Errorf("%v", err)
	}
	if !exists(filepath.Join(ws.GitDir, "index.lock")) || testkit.Read(t, ws.Path, "a.txt") != "edited\n" {
		t.Error("something was removed")
	}
	if err := b.m.Remove(t.Context(), ws); !errors.As(err, new(*DirtyError)) {
		t.Errorf("remove: %v", err)
	}
}

func TestTreeCommitsNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Write(t, ws.Path, "new", "x")
	before := testkit.Snapshot(t, ws.Path)
	tree, left, err := ws.Tree(t.Context(), Leftovers{})
	must(t, err)
	before.Unchanged(t, testkit.Snapshot(t, ws.Path))
	files, err := Files(t.Context(), b.m.Repo, b.Head(), tree)
	if err != nil || len(files) != 1 || files[0].Path != "new" || left.Head != b.Head() {
		t.Errorf("%+v %v", files, err)
	}
}

func TestAMergeUnderWayIsConcluded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	w := testkit.At(t, ws.Path)
	w.Write("mine", "x")
	w.Commit("mine")
	b.Write("theirs", "x")
	theirs := b.Commit("theirs")
	w.Git("merge", "-q", "--no-commit", "--no-ff", "main")
	left := b.leftovers(ws)
	if got := w.Git("rev-parse", left.Head+"^2"); got != theirs {
		t.Errorf("%s", got)
	}
	if got := ws.during(); got != "" || w.Git("status", "--porcelain") != "" {
		t.Errorf("still %s", got)
	}
}

func TestRememberedFilesAreForgottenWithTheWorktree(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	testkit.Write(t, ws.Path, "made", "x")
	must(t, ws.Remember([]string{"made", "not there", "dir"}))
	if left := b.leftovers(ws); left.Committed {
		t.Errorf("%+v", left)
	}
	if err := b.m.Remove(t.Context(), ws); !errors.As(err, new(*DirtyError)) {
		t.Errorf("remove: %v", err)
	}
	must(t, os.Remove(filepath.Join(ws.Path, "made")))
	must(t, b.m.Remove(t.Context(), ws))
	ws = b.ensure()
	testkit.Write(t, ws.Path, "made", "x")
	if left := b.leftovers(ws); !left.Committed {
		t.Error("remembered by the next worktree")
	}
}

func TestRestorePutsBackWhatHeadHas(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ws := b.ensure()
	outside := testkit.TempDir(t)
	testkit.Write(t, outside, "b.txt", "not ours\n")
	must(t, os.RemoveAll(filepath.Join(ws.Path, "dir")))
	must(t, os.Symlink(outside, filepath.Join(ws.Path, "dir")))
	testkit.Write(t, ws.Path, "a.txt", "x")
	testkit.Write(t, ws.Path, "untracked", "x")
	must(t, ws.Restore(t.Context(), []string{"dir/b.txt", "a.txt"}))
	if testkit.Read(t, outside, "b.txt") != "not ours\n" {
		t.Error("written through the link")
	}
	if dirty, err := ws.Dirty(t.Context()); err != nil || !slices.Equal(dirty, []string{"untracked"}) {
		t.Errorf("%v %v", dirty, err)
	}
}
