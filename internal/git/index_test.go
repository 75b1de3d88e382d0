package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tendril/internal/testkit"
)

// emptyBlob is the id of the empty blob, which is in every test repository made here.
func emptyBlob(t testing.TB, dir string) string {
	t.Helper()
	return testkit.Git(t, dir, "hash-object", "-w", "--stdin")
}

// indexPaths are names whose order, nesting and bytes are easy to get wrong.
var indexPaths = []string{
	"a", "a-b", "a.b", "a0", "b/c", "b/c/d", "b-c", "b0/c", "plans/README.md", "plans/0001-x/plan.md",
	"plans/0001-x/record.yaml", "plans/0001-x.md", "plans/0001/plan.md", "plans/0001-é/plan.md", "-dash", " space", "quote\"s",
	"long/" + strings.Repeat("x", 200) + "/" + strings.Repeat("y", 4200), "deep/" + strings.Repeat("d/", 40) + "f",
}

// fits keeps a file from lying where another has a folder.
func fits(paths map[string]bool, p string) bool {
	for q := range paths {
		if strings.HasPrefix(q, p+"/") || strings.HasPrefix(p, q+"/") {
			return false
		}
	}
	return true
}

func TestIndexEditsEqualGits(t *testing.T) {
	t.Parallel()
	type kind struct {
		dir, format string
		blobs       []string
	}
	var kinds []kind
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "4"} {
			k := kind{dir: testkit.TempDir(t), format: format}
			testkit.Git(t, k.dir, "init", "-q", "--object-format="+format)
			testkit.Git(t, k.dir, "config", "index.version", version)
			k.blobs = []string{emptyBlob(t, k.dir)}
			for _, text := range []string{"one", "two"} {
				testkit.Write(t, k.dir, "scratch", text)
				k.blobs = append(k.blobs, testkit.Git(t, k.dir, "hash-object", "-w", "scratch"))
			}
			kinds = append(kinds, k)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")]
		checkIndexEdits(t, rt, k.dir, k.format, k.blobs)
	})
}

// checkIndexEdits makes an index by git, edits one copy by git and one by Index, and compares what git reads from both.
func checkIndexEdits(t *testing.T, rt *rapid.T, dir, format string, blobs []string) {
	work := t.TempDir()
	base, byGit, byUs := filepath.Join(work, "base"), filepath.Join(work, "git"), filepath.Join(work, "us")
	blob, mode := rapid.SampledFrom(blobs), rapid.SampledFrom([]string{"100644", "100755", "120000"})
	there := map[string]bool{}
	var feed strings.Builder
	for _, p := range rapid.SliceOfN(rapid.SampledFrom(indexPaths), 0, 12).Draw(rt, "paths") {
		if fits(there, p) {
			there[p] = true
			fmt.Fprintf(&feed, "%s %s\t%s\x00", mode.Draw(rt, "mode"), blob.Draw(rt, "blob"), p)
		}
	}
	gitIndex(t, dir, base, feed.String(), "update-index", "-z", "--index-info")
	gitIndex(t, dir, base, "", "write-tree") // fills the TREE extension
	for _, p := range rapid.SliceOfN(rapid.SampledFrom(indexPaths), 0, 3).Draw(rt, "skipped") {
		if there[p] {
			gitIndex(t, dir, base, "", "update-index", "--skip-worktree", "--", p)
		}
	}
	data, err := os.ReadFile(base)
	if err != nil {
		rt.Fatal(err)
	}
	if err := os.WriteFile(byGit, data, 0o600); err != nil {
		rt.Fatal(err)
	}
	x, err := ReadIndexFile(base, format)
	if err != nil {
		rt.Fatal(err)
	}
	var edits strings.Builder
	for range rapid.IntRange(1, 6).Draw(rt, "edits") {
		p := rapid.SampledFrom(indexPaths).Draw(rt, "path")
		if there[p] && rapid.Bool().Draw(rt, "remove") {
			delete(there, p)
			fmt.Fprintf(&edits, "0 %s\t%s\x00", ZeroID(format), p)
			x.Remove(p)
			continue
		}
		delete(there, p)
		if !fits(there, p) {
			if len(x.Find(p)) > 0 {
				rt.Fatalf("%s is in an index that holds something below or above it", p)
			}
			continue
		}
		there[p] = true
		e := Entry{Path: p, OID: blob.Draw(rt, "new blob"), Mode: ModeExecutable}
		fmt.Fprintf(&edits, "100755 %s\t%s\x00", e.OID, p)
		if err := x.Set(e); err != nil {
			rt.Fatal(err)
		}
	}
	gitIndex(t, dir, byGit, edits.String(), "update-index", "-z", "--index-info")
	if err := x.WriteTo(byUs); err != nil {
		rt.Fatal(err)
	}
	for _, look := range [][]string{{"ls-files", "-s", "-v", "--debug"}, {"write-tree"}, {"fsck", "--cache", "--no-dangling"}} {
		want, got := gitIndex(t, dir, byGit, "", look...), gitIndex(t, dir, byUs, "", look...)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("git %s sees another index (-git +us):\n%s", look[0], diff)
		}
	}
}

// gitIndex runs git with an index file of its own.
func gitIndex(t *testing.T, dir, index, stdin string, args ...string) string {
	t.Helper()
	r := &Repo{Dir: dir}
	out, err := r.Do(t.Context(), Call{Args: args, Index: index, Stdin: []byte(stdin), Locks: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestParseIndexKeepsBytes(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	for _, p := range []string{"a/b", "a/c", "plans/0001-x/plan.md"} {
		r.Write(p, p)
	}
	r.Commit("more")
	r.Git("update-index", "--assume-unchanged", "a/b")
	r.Git("update-index", "--skip-worktree", "a/c")
	r.Write("new", "")
	r.Git("add", "-N", "new")
	f, err := ReadIndexFile(filepath.Join(r.Dir, ".git", "index"), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	was := testkit.Read(t, r.Dir, ".git/index")
	if got := string(f.Encode()); got != was {
		t.Errorf("an index that was not edited came out otherwise: %d bytes for %d", len(got), len(was))
	}
	if e := f.Find("a/b"); len(e) != 1 || !e[0].AssumeUnchanged || e[0].SkipWorktree {
		t.Errorf("a/b: %+v", e)
	}
	if e := f.Find("a/c"); len(e) != 1 || !e[0].SkipWorktree {
		t.Errorf("a/c: %+v", e)
	}
	if e := f.Find("new"); len(e) != 1 || !e[0].IntentToAdd {
		t.Errorf("new: %+v", e)
	}
	if e := f.Below("a"); len(e) != 2 {
		t.Errorf("below a: %+v", e)
	}
	if same, err := f.Same(); err != nil || !same {
		t.Errorf("Same = %v, %v", same, err)
	}
	r.Git("add", "new")
	if same, err := f.Same(); err != nil || same {
		t.Errorf("after git add: Same = %v, %v", same, err)
	}
}

func TestIndexUnmergedStages(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("f", "base")
	r.Commit("base")
	r.Git("checkout", "-q", "-b", "side")
	r.Write("f", "side")
	r.Commit("side")
	r.Git("checkout", "-q", "main")
	r.Write("f", "main")
	r.Commit("main")
	if _, err := testkit.TryGit(t, r.Dir, nil, "merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	f, err := ReadIndexFile(filepath.Join(r.Dir, ".git", "index"), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	found := f.Find("f")
	if len(found) != 3 || found[0].Stage != 1 || found[2].Stage != 3 {
		t.Errorf("Find(f) = %+v", found)
	}
	if !f.Remove("f") || len(f.Find("f")) != 0 || len(f.Find("README.md")) != 1 {
		t.Error("Remove did not take out all the stages, or took more")
	}
}

func TestIndexKeepsUntrackedCache(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Git("config", "status.showUntrackedFiles", "all")
	r.Git("update-index", "--untracked-cache")
	r.Write("plans/0001-x/notes.txt", "mine")
	r.Git("status")
	r.Git("status")
	path := filepath.Join(r.Dir, ".git", "index")
	f, err := ReadIndexFile(path, "sha1")
	if err != nil {
		t.Fatal(err)
	}
	blob := r.Git("hash-object", "-w", "plans/0001-x/notes.txt")
	if err := f.Set(Entry{Path: "plans/0001-x/notes.txt", OID: blob, Mode: ModeFile}); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteTo(path + ".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if got := r.Git("status", "--porcelain"); got != "A  plans/0001-x/notes.txt" {
		t.Errorf("status: %q", got)
	}
	if !strings.Contains(testkit.Read(t, r.Dir, ".git/index"), "UNTR") {
		t.Error("the untracked cache was switched off")
	}
}

func TestParseIndexRefusesSplit(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Git("update-index", "--split-index")
	_, err := ReadIndexFile(filepath.Join(r.Dir, ".git", "index"), "sha1")
	if err == nil || !strings.Contains(err.Error(), ErrSplitIndex.Error()) {
		t.Errorf("error: %v", err)
	}
}

// FuzzParseIndex: whatever a file holds, reading it ends in an error or in an index that comes out the same again.
func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("x", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 90)))
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00TREE\x00\x00\x00\x06\x00-1 0\n" + strings.Repeat("x", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ParseIndex(data, "sha1")
		if err != nil {
			return
		}
		x.invalidate("a/b")
		once := x.Encode()
		again, err := ParseIndex(once, "sha1")
		if err != nil {
			t.Fatalf("cannot read what was written: %v", err)
		}
		if string(again.Encode()) != string(once) {
			t.Error("written again, it is otherwise")
		}
	})
}
