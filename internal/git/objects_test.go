package git

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestTreeEditorEqualsAnIndex(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := testkit.TempDir(t)
			testkit.Git(t, dir, "init", "-q", "--object-format="+format)
			for _, p := range []string{"a", "a.b", "a0", "plans/0001-x/plan.md", "plans/0001-x/changes.diff", "plans/README.md", "plans-b"} {
				testkit.Write(t, dir, p, "old "+p)
			}
			testkit.WriteScript(t, dir, "plans/0002-y/plan.md", "old")
			testkit.Commit(t, dir, "first")
			r, err := Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			batch, err := r.Batch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = batch.Close() }()
			ed := TreeEditor{Batch: batch, Format: format}
			edits := []FileEdit{
				{Path: "plans/0001-x/plan.md", Data: []byte("new")},
				{Path: "plans/0001-x/changes.diff", Delete: true},
				{Path: "plans/0001-x/not-there", Delete: true},
				{Path: "gone/not-there", Delete: true},
				{Path: "plans/0002-y/plan.md", Data: []byte("new")},
				{Path: "plans/0003-z/record.yaml", Data: []byte(strings.Repeat("long\n", 5000))},
				{Path: "a", Data: nil},
				{Path: "plans-b", Delete: true},
			}
			made, err := ed.Apply("HEAD", edits)
			if err != nil {
				t.Fatal(err)
			}
			id := made.ID
			if err := r.WriteObjects(t.Context(), made.Objects); err != nil {
				t.Fatal(err)
			}
			for _, e := range edits {
				if e.Delete {
					_, _ = testkit.TryGit(t, dir, nil, "rm", "-q", "--", e.Path)
					continue
				}
				testkit.Write(t, dir, e.Path, string(e.Data))
			}
			testkit.Git(t, dir, "add", "-A")
			if want := testkit.Git(t, dir, "write-tree"); id != want {
				t.Errorf("tree %s, git's own is %s", id, want)
			}
			testkit.Git(t, dir, "fsck", "--strict", "--no-dangling")
			if changes, err := r.TreeDiff(t.Context(), "HEAD", id); err != nil || !slices.Equal(changes, made.Changes) {
				t.Errorf("changes %+v, git's own are %+v, %v", made.Changes, changes, err)
			}
			same, err := ed.Apply(id, []FileEdit{{Path: "plans/0001-x/plan.md", Data: []byte("new")}})
			if err != nil || same.ID != id || len(same.Objects)+len(same.Changes) != 0 {
				t.Errorf("an edit that changes nothing: %+v, %v", same, err)
			}
		})
	}
}

func TestTreeEditorRefuses(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Git("config", "core.symlinks", "true")
	r.Write("folder/file", "")
	blob := r.Git("hash-object", "-w", "folder/file")
	r.Git("add", "-A")
	r.Git("update-index", "--add", "--cacheinfo", "120000,"+blob+",link")
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Head()+",module")
	r.Git("commit", "-q", "-m", "all kinds")
	repo, err := Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := repo.Batch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = batch.Close() }()
	for path, want := range map[string]string{
		"link": "symbolic link", "link/below": "below something that is no folder", "module": "submodule",
		"module/below": "below something", "folder": "is a folder", "folder/file/below": "below something",
	} {
		_, err := (&TreeEditor{Batch: batch, Format: "sha1"}).Apply("HEAD", []FileEdit{{Path: path, Data: []byte("x")}})
		var pe *PathError
		if !errors.As(err, &pe) || !strings.Contains(pe.Why, want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	_, err = (&TreeEditor{Batch: batch, Format: "sha1"}).Apply("HEAD", []FileEdit{{Path: "x"}, {Path: "x"}})
	if err == nil {
		t.Error("one path twice was taken")
	}
}

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"plans/0001-x/plan.md", " leading", "-dash", "ünïcode", "quote\"s", "a.git", ".github/x", "git"} {
		if err := CheckPath(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "/abs", "a//b", "a/", "..", "a/../b", "./a", ".git", "a/.git/config", ".GIT/x", ".git ./x", "git~1", "a\nb", "a\x00b", `a\b`,
	} {
		if err := CheckPath(bad); !errors.Is(err, ErrBadPath) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTreeDiff(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("same", "x")
	r.Write("changed with \"quotes\" é", "x")
	r.Write("gone", "x")
	from := r.Commit("from")
	r.Write("changed with \"quotes\" é", "y")
	r.Git("rm", "-q", "gone")
	testkit.WriteScript(t, r.Dir, "new", "x")
	to := r.Commit("to")
	repo, err := Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := repo.TreeDiff(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 3 {
		t.Fatalf("%d changes: %+v", len(changes), changes)
	}
	for i, want := range []struct {
		path     string
		old, new uint32
	}{{"changed with \"quotes\" é", ModeFile, ModeFile}, {"gone", ModeFile, 0}, {"new", 0, ModeExecutable}} {
		c := changes[i]
		if c.Path != want.path || c.Old.Mode != want.old || c.New.Mode != want.new || c.Old.There() != (want.old != 0) {
			t.Errorf("change %d: %+v, want %+v", i, c, want)
		}
	}
}
