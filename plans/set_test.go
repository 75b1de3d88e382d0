package plans

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

const goodPlan = "---\ntitle: Good\nstatus: draft\n---\n"

func open(t testing.TB, dir string) *git.Repo {
	t.Helper()
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func reader(t testing.TB, repo *git.Repo) *Reader {
	t.Helper()
	r := NewReader(repo)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestRead: each plan that cannot be read is an error on that plan, and on no other.
func TestRead(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("plans/0001-good/plan.md", goodPlan)
	r.Write("plans/0001-good/record.yaml", "version: 1\nkey: 0001-good\nhead: abc\n")
	r.Write("plans/0001-good/notes/x.md", "x")
	r.Write("plans/0001-good/costs.csv", "x")
	r.Write("plans/0002-bad-yaml/plan.md", "---\ntitle: a: b\nstatus: draft\n---\n")
	r.Write("plans/0003-conflict/plan.md", "---\ntitle: x\n<<<<<<< a\nstatus: draft\n---\n")
	r.Write("plans/0004-latin1/plan.md", "---\ntitle: \xff\nstatus: draft\n---\n")
	r.Write("plans/0005-huge/plan.md", goodPlan+strings.Repeat("x\n", 3<<20))
	r.Write("plans/0006-renamed/plan.md", goodPlan)
	r.Write("plans/0006-renamed/record.yaml", "version: 1\nkey: 0006-old-name\n")
	r.Write("plans/0007-newer/plan.md", goodPlan)
	r.Write("plans/0007-newer/record.yaml", "version: 99\nkey: 0007-newer\n")
	r.Write("plans/0008-folder/plan.md/x", "x")
	r.Write("plans/0012-late/plan.md", goodPlan)
	r.Write("plans/12345-later/plan.md", goodPlan)
	r.Write("plans/0009-no-plan/readme.md", "x")
	r.Write("plans/README.md", "x")
	r.Write("plans/9-short/plan.md", goodPlan)
	r.Write("plans/0010-Upper/plan.md", goodPlan)
	r.Write("plans/sub/0011-deep/plan.md", goodPlan)
	r.Write("plans2/0013-elsewhere/plan.md", goodPlan)
	if runtime.GOOS != "windows" {
		for _, path := range []string{"plans/0020-link/plan.md", "plans/0021-link-record/record.yaml", "plans/0022-link-folder"} {
			full := filepath.Join(r.Dir, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/etc/passwd", full); err != nil {
				t.Fatal(err)
			}
		}
		r.Write("plans/0021-link-record/plan.md", goodPlan)
	}
	r.Git("add", "-A")
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Head()+",plans/0023-module/plan.md")
	r.Git("commit", "-qm", "plans")
	set, err := reader(t, open(t, r.Dir)).Read(t.Context(), r.Head(), "plans")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	var order []string
	for _, e := range set.Entries {
		order = append(order, string(e.Key))
		got[string(e.Key)] = "ok"
		if e.Err != nil {
			got[string(e.Key)] = strings.SplitN(e.Err.Error(), "\n", 2)[0]
		}
		if (e.Plan == nil) && e.Err == nil || e.RecordErr != nil && e.Record != nil {
			t.Errorf("%s: plan %v, record %v, errors %v, %v", e.Key, e.Plan, e.Record, e.Err, e.RecordErr)
		}
	}
	want := map[string]string{
		"0001-good":        "ok",
		"0002-bad-yaml":    "plans/0002-bad-yaml/plan.md:2:1: the front matter is not YAML: mapping values are not allowed in this context",
		"0003-conflict":    "plans/0003-conflict/plan.md:3:1: unresolved conflict markers",
		"0004-latin1":      "plans/0004-latin1/plan.md:2:8: not UTF-8",
		"0005-huge":        fmt.Sprintf("plans/0005-huge/plan.md: too big: %d bytes, the limit is 1048576", len(goodPlan)+6<<20),
		"0006-renamed":     `plans/0006-renamed/record.yaml: this is the record of "0006-old-name": the folder was renamed or copied`,
		"0007-newer":       "plans/0007-newer/record.yaml:1:10: version 99 was written by a newer tendril, this one knows up to 1",
		"0008-folder":      "plans/0008-folder/plan.md: this is a folder",
		"0012-late":        "ok",
		"12345-later":      "ok",
		"0020-link":        "plans/0020-link/plan.md: this is a symbolic link",
		"0021-link-record": "plans/0021-link-record/record.yaml: this is a symbolic link",
		"0023-module":      "plans/0023-module/plan.md: this is a submodule",
	}
	if runtime.GOOS == "windows" {
		delete(want, "0020-link")
		delete(want, "0021-link-record")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if last := order[len(order)-1]; last != "12345-later" || order[0] != "0001-good" {
		t.Errorf("order %v", order)
	}
	good := set.Entries[0]
	if good.Record == nil || good.Record.Head != "abc" || len(good.Blobs) != 3 || good.Blobs["costs.csv"] != r.Git("rev-parse", "HEAD:plans/0001-good/costs.csv") {
		t.Errorf("got %+v", good)
	}
	if good.Plan.Blob != r.Git("rev-parse", "HEAD:plans/0001-good/plan.md") || good.Plan.Path != "plans/0001-good/plan.md" {
		t.Errorf("got %+v", good.Plan)
	}
}

// What lies where the plans should, and is no folder, is said: it would look as if there were no plan.
func TestReadWhatIsNoFolder(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("real/0001-x/plan.md", goodPlan)
	r.Write("file", "x")
	r.Git("add", "-A")
	r.Git("update-index", "--add", "--cacheinfo", "120000,"+r.Git("hash-object", "-w", "file")+",link")
	r.Git("commit", "-qm", "plans")
	rd := reader(t, open(t, r.Dir))
	for dir, want := range map[string]string{"file": "file: this is a file\n  it must be a folder", "link": "link: this is a symbolic link\n"} {
		if _, err := rd.Read(t.Context(), "HEAD", dir); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestReadOtherFolders(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("0001-top/plan.md", goodPlan)
	r.Write("a/b [x]*/0002-deep/plan.md", goodPlan)
	r.Git("add", "-A")
	r.Git("commit", "-qm", "plans")
	rd := reader(t, open(t, r.Dir))
	for dir, want := range map[string]string{
		"": "0001-top", ".": "0001-top", "a/b [x]*": "0002-deep", "a/b [x]*/": "0002-deep", "missing": "", "a": "", "../..": "0001-top",
	} {
		set, err := rd.Read(t.Context(), "HEAD", dir)
		if err != nil {
			t.Errorf("%q: %v", dir, err)
			continue
		}
		got := ""
		for _, e := range set.Entries {
			got += string(e.Key)
			if e.Err != nil || e.Plan.Path != strings.TrimPrefix(set.Dir+"/", "/")+string(e.Key)+"/plan.md" {
				t.Errorf("%q: %+v", dir, e)
			}
		}
		if got != want {
			t.Errorf("%q holds %q, want %q", dir, got, want)
		}
	}
	for _, commit := range []string{"", "-x", "--help", "nonsense"} {
		if _, err := rd.Read(t.Context(), commit, "plans"); err == nil {
			t.Errorf("commit %q is read", commit)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rd.Read(ctx, "HEAD", "a/b [x]*"); err == nil {
		t.Error("a reading that was called off ends well")
	}
}

func TestReadSHA256(t *testing.T) {
	t.Parallel()
	dir := testkit.TempDir(t)
	testkit.Git(t, dir, "init", "-q", "--object-format=sha256")
	testkit.Write(t, dir, "plans/0001-x/plan.md", goodPlan)
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "x")
	repo := open(t, dir)
	set, err := reader(t, repo).Read(t.Context(), "HEAD", "plans")
	if err != nil || len(set.Entries) != 1 {
		t.Fatalf("got %+v, %v", set, err)
	}
	if want := testkit.Git(t, dir, "rev-parse", "HEAD:plans/0001-x/plan.md"); set.Entries[0].Plan.Blob != want || len(want) != 64 {
		t.Errorf("blob %s, want %s", set.Entries[0].Plan.Blob, want)
	}
	if n, err := NextNumber(t.Context(), repo, "plans"); err != nil || n != 2 {
		t.Errorf("NextNumber = %d, %v", n, err)
	}
}

func TestReadAgainParsesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("plans/0001-a/plan.md", goodPlan)
	r.Write("plans/0002-b/plan.md", goodPlan)
	r.Git("add", "-A")
	r.Git("commit", "-qm", "one")
	rd := reader(t, open(t, r.Dir))
	first, err := rd.Read(t.Context(), "HEAD", "plans")
	if err != nil {
		t.Fatal(err)
	}
	r.Write("plans/0002-b/plan.md", strings.ReplaceAll(goodPlan, "draft", "approved"))
	r.Git("commit", "-qam", "two")
	second, err := rd.Read(t.Context(), "HEAD", "plans")
	if err != nil {
		t.Fatal(err)
	}
	if first.Entries[0].Plan != second.Entries[0].Plan {
		t.Error("an unchanged plan was parsed again")
	}
	// The same bytes in two folders are two plans.
	if first.Entries[0].Plan.Key == first.Entries[1].Plan.Key || first.Entries[1].Plan.Status != Draft || second.Entries[1].Plan.Status != Approved {
		t.Errorf("got %+v, %+v", first.Entries[1].Plan, second.Entries[1].Plan)
	}
	for range keptTurns + 1 {
		if _, err := rd.Read(t.Context(), "HEAD", "plans"); err != nil {
			t.Fatal(err)
		}
	}
	if len(rd.cache) != 2 {
		t.Errorf("%d parsed files are kept, want 2", len(rd.cache))
	}
}

func TestReadersTogether(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	for i := range 40 {
		r.Write(fmt.Sprintf("plans/%04d-p/plan.md", i), goodPlan)
	}
	r.Git("add", "-A")
	r.Git("commit", "-qm", "plans")
	rd := reader(t, open(t, r.Dir))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if set, err := rd.Read(t.Context(), "HEAD", "plans"); err != nil || len(set.Entries) != 40 {
				t.Errorf("got %v, %v", set, err)
			}
		})
	}
	wg.Wait()
}

func TestAMissingObjectIsThatPlansError(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("plans/0001-a/plan.md", goodPlan)
	r.Write("plans/0002-b/plan.md", goodPlan+"other")
	r.Git("add", "-A")
	r.Git("commit", "-qm", "one")
	id := r.Git("rev-parse", "HEAD:plans/0002-b/plan.md")
	if err := os.Remove(filepath.Join(r.Dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	set, err := reader(t, open(t, r.Dir)).Read(t.Context(), "HEAD", "plans")
	if err != nil {
		t.Fatal(err)
	}
	if set.Entries[0].Err != nil || set.Entries[1].Err == nil || !strings.Contains(set.Entries[1].Err.Error(), id) {
		t.Errorf("got %v, %v", set.Entries[0].Err, set.Entries[1].Err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := &Set{Entries: []*Entry{{Key: "0007-a"}, {Key: "0007-b"}, {Key: "0008-c"}, {Key: "00012-d"}}}
	for ref, want := range map[string]Key{"0007-a": "0007-a", "0007-b": "0007-b", "8": "0008-c", "0008": "0008-c", "000008": "0008-c", "12": "00012-d", "0008-c": "0008-c"} {
		if e, err := s.Find(ref); err != nil || e.Key != want {
			t.Errorf("Find(%q) = %v, %v; want %s", ref, e, err, want)
		}
	}
	for _, ref := range []string{"", "9", "0008-", "8-c", "../0008-c", "-8", "99999999999999999999", "0008-c/", "0x8"} {
		if e, err := s.Find(ref); !errors.Is(err, ErrNoPlan) {
			t.Errorf("Find(%q) = %v, %v", ref, e, err)
		}
	}
	_, err := s.Find("7")
	if err == nil || errors.Is(err, ErrNoPlan) || !strings.Contains(err.Error(), "0007-a") || !strings.Contains(err.Error(), "0007-b") {
		t.Errorf("the ambiguous number: %v", err)
	}
}

func TestNextNumber(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	repo := open(t, r.Dir)
	next := func(want int) {
		t.Helper()
		if got, err := NextNumber(t.Context(), repo, "plans"); err != nil || got != want {
			t.Errorf("NextNumber = %d, %v; want %d", got, err, want)
		}
	}
	next(1)
	r.Write("plans/0004-on-main/plan.md", goodPlan)
	r.Git("add", "-A")
	r.Git("commit", "-qm", "four")
	next(5)
	r.Git("checkout", "-q", "-b", "other")
	r.Write("plans/0008-On_other/x", "not a plan, but the number is taken")
	r.Write("plans/12-short/x", "")
	r.Git("add", "-A")
	r.Git("commit", "-qm", "eight")
	r.Git("checkout", "-q", "main")
	next(9)
	clone := testkit.Clone(t, r.Dir)
	clone.Write("plans/0010-pushed/plan.md", goodPlan)
	clone.Git("add", "-A")
	clone.Git("commit", "-qm", "ten")
	clone.Git("push", "-q", "origin", "HEAD:refs/heads/pushed")
	next(11)
	if got, err := NextNumber(t.Context(), open(t, clone.Dir), "plans"); err != nil || got != 11 {
		t.Errorf("in the clone: %d, %v", got, err)
	}
	r.Write("plans/0011-uncommitted/plan.md", goodPlan)
	next(12)
	w := r.Worktree("-b", "third")
	w.Write("plans/0013-in-a-worktree/plan.md", goodPlan)
	next(14)
	r.Git("branch", "tendril/0020-its-folder-is-gone")
	next(21)
	if err := os.RemoveAll(w.Dir); err != nil {
		t.Fatal(err)
	}
	next(21)
	if got, err := NextNumber(t.Context(), repo, "elsewhere"); err != nil || got != 21 {
		t.Errorf("elsewhere: %d, %v", got, err)
	}
}
