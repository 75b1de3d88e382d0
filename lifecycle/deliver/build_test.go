package deliver

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

func TestBuildMergeMovesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	head := l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
	l.Write("b.txt", "half done\n")
	l.Write("untracked", "mine\n")
	before := l.Snapshot()
	w := words("Merge the work\n\nTendril-Plan: " + key + "\n")
	w.Author.When = time.Date(2031, 2, 3, 4, 5, 6, 0, time.FixedZone("", 2*3600))
	built := ok(BuildMerge(t.Context(), l.repo, l.base, head, w))(t)
	before.Unchanged(t, l.Snapshot())

	got := l.Git("log", "-1", "--format=%P|%an <%ae>|%cn <%ce>|%ad|%B", "--date=iso-strict", built.Commit)
	want := l.base + " " + head + "|Tendril <tendril@localhost>|Tendril <tendril@localhost>|2031-02-03T04:05:06+02:00|Merge the work\n\nTendril-Plan: " + key + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commit (-want +got):\n%s", diff)
	}
	if got, want := l.Git("rev-parse", built.Commit+"^{tree}"), l.Git("rev-parse", head+"^{tree}"); got != want || built.Tree != want {
		t.Errorf("tree %s (said %s), want the head's %s", got, built.Tree, want)
	}
}

func TestBuildMergeConflict(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	head := l.on(branch, "work", "a.txt", "theirs\n", "sub dir/ü.txt", "theirs\n")
	tip := l.on("main", "meanwhile", "a.txt", "ours\n", "sub dir/ü.txt", "ours\n", "b.txt", "fine\n")
	_, err := BuildMerge(t.Context(), l.repo, tip, head, words("m"))
	conflict := (*ConflictError)(nil)
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if want := []string{"a.txt", "sub dir/ü.txt"}; !slices.Equal(conflict.Paths, want) {
		t.Errorf("paths %q, want %q", conflict.Paths, want)
	}
	if !strings.Contains(err.Error(), "a.txt, sub dir/ü.txt") {
		t.Errorf("the error names no files: %v", err)
	}
	built, paths, err := BuildConflicted(t.Context(), l.repo, head, tip, words("mend this"))
	if err != nil || !slices.Equal(paths, conflict.Paths) {
		t.Fatalf("conflicted merge: %v, %v", paths, err)
	}
	if text := l.file(built.Commit, "a.txt"); !strings.Contains(text, "<<<<<<<") || !strings.Contains(text, "theirs") || !strings.Contains(text, "ours") {
		t.Errorf("a.txt has no markers: %q", text)
	}
	if got := l.Git("log", "-1", "--format=%P", built.Commit); got != head+" "+tip {
		t.Errorf("parents %s", got)
	}
}

func TestConflictErrorNamesAFew(t *testing.T) {
	t.Parallel()
	err := &ConflictError{Paths: []string{"1", "2", "3", "4", "5", "6", "7"}}
	if got := err.Error(); !strings.HasSuffix(got, "in 1, 2, 3, 4, 5 and 2 more") {
		t.Error(got)
	}
}

// A plan's branch starts when the plan is executing; by the time it is merged, its plan.md, its record and the board have
// moved on in the base.
func TestMergeNeverRevertsBookkeeping(t *testing.T) {
	t.Parallel()
	build := map[string]func(l *lab, tip, head string) (Built, error){
		"merge": func(l *lab, tip, head string) (Built, error) {
			return BuildMerge(t.Context(), l.repo, tip, head, words("m"))
		},
		"squash": func(l *lab, tip, head string) (Built, error) {
			return BuildSquash(t.Context(), l.repo, tip, head, words("s"))
		},
		"rebase": func(l *lab, tip, head string) (Built, error) {
			return BuildRebase(t.Context(), l.repo, tip, head, tendril, "")
		},
		"integration": func(l *lab, tip, head string) (Built, error) {
			i, err := BuildIntegration(t.Context(), l.repo, head, tip, words("i"))
			if err != nil {
				return i, err
			}
			return BuildMerge(t.Context(), l.repo, tip, i.Commit, words("m"))
		},
	}
	for name, make := range build {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
			head := l.on(branch, "more", "c.txt", "c\n")
			record := "version: 1\nkey: " + key + "\n"
			tip := l.on("main", "tendril: "+key+" in-review", planDir+"/plan.md", strings.Replace(draftText, "draft", "in-review", 1),
				planDir+"/record.yaml", record, "plans/README.md", "another board\n",
				".tendril/promptware/ExecutePlan/Memory/go.md", "notes\n")
			built := ok(make(l, tip, head))(t)
			kept := ok(Brings(t.Context(), l.repo, tip, built.Commit, "plans"))(t)
			if len(kept) > 0 {
				t.Errorf("delivery changes bookkeeping: %v", kept)
			}
			if got := l.file(built.Commit, planDir+"/record.yaml"); got+"\n" != record {
				t.Errorf("record.yaml is %q", got)
			}
			if got := l.Git("diff", "--name-only", tip, built.Commit); got != "a.txt\nc.txt" {
				t.Errorf("delivered %q", got)
			}
		})
	}
}

// Where the work itself changed a plan's folder (its scope may name one), Brings says so.
func TestBringsNamesPlanFiles(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	head := l.on(branch, "work", "a.txt", "new\n", planDir+"/plan.md", strings.Replace(draftText, "draft", "approved", 1), "plans/README.md", "mine\n")
	built := ok(BuildMerge(t.Context(), l.repo, l.base, head, words("m")))(t)
	got := ok(Brings(t.Context(), l.repo, l.base, built.Commit, "plans"))(t)
	if want := []string{planDir + "/plan.md", "plans/README.md"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSquash(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on(branch, "work", "a.txt", "new\n"+lines("a", 20))
	head := l.on(branch, "more", "c.txt", "c\n")
	tip := l.on("main", "meanwhile", "b.txt", "b\n")
	w := Words{Message: "X\n\n" + Delivers(key, head) + "\n", Author: git.Ident{Name: "Ann", Email: "ann@example.com"}, Committer: tendril}
	built := ok(BuildSquash(t.Context(), l.repo, tip, head, w))(t)
	if got := l.Git("log", "-1", "--format=%P %ae %ce", built.Commit); got != tip+" ann@example.com tendril@localhost" {
		t.Errorf("got %s", got)
	}
	l.move("main", built.Commit)
	later := l.on("main", "later on the same lines", "a.txt", "other\n")
	found := ok(FindDelivered(t.Context(), l.repo, key, head, later))(t)
	if found != built.Commit {
		t.Errorf("found %q, want %s", found, built.Commit)
	}
	if !ok(Contained(t.Context(), l.repo, head, found, later))(t) {
		t.Error("the squashed branch is not seen as contained")
	}
	extra := l.on(branch, "one more", "d.txt", "d\n")
	if ok(Contained(t.Context(), l.repo, extra, found, later))(t) {
		t.Error("a branch with one commit more is seen as contained")
	}
}

// A commit that only says so delivers nothing.
func TestFindDeliveredBelievesNoWords(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	head := l.on(branch, "work", "a.txt", "new\n")
	tip := l.on("main", "a lie\n\n"+Delivers(key, head), "b.txt", "b\n")
	if got := ok(FindDelivered(t.Context(), l.repo, key, head, tip))(t); got != "" {
		t.Errorf("found %s", got)
	}
}

func TestRebase(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", branch)
	l.Write("a.txt", "new\n"+lines("a", 20))
	l.Git("add", "-A")
	testkit.GitAs(t, l.Dir, "Ann", "ann@example.com", "commit", "-q", "--date=2030-01-02T03:04:05+0600", "-m", "first\n\nwith a body")
	l.Git("checkout", "-q", "main")
	l.on(branch, "second", "c.txt", "c\n")
	tip := l.on("main", "meanwhile", "b.txt", "b\n")
	// What happened meanwhile was merged into the branch before it was accepted: no commit of its own on the base.
	built := ok(BuildIntegration(t.Context(), l.repo, l.Git("rev-parse", branch), tip, words("i")))(t)
	re := ok(BuildRebase(t.Context(), l.repo, tip, built.Commit, tendril, Delivers(key, built.Commit)))(t)
	got := l.Git("log", "--reverse", "--format=%an|%ad|%ce|%B", "--date=iso-strict", tip+".."+re.Commit)
	want := "Ann|2030-01-02T03:04:05+06:00|tendril@localhost|first\n\nwith a body\n\n" +
		"Pat Person|" + l.Git("log", "-1", "--format=%ad", "--date=iso-strict", branch) + "|tendril@localhost|second\n\n" + Delivers(key, built.Commit) + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l.Git("rev-parse", re.Commit+"^{tree}") != built.Tree {
		t.Error("the rebased tree is not the merged one")
	}
	l.move("main", re.Commit)
	if got := ok(FindDelivered(t.Context(), l.repo, key, built.Commit, re.Commit))(t); got != re.Commit {
		t.Errorf("found %q", got)
	}
	if !ok(Contained(t.Context(), l.repo, built.Commit, re.Commit, re.Commit))(t) {
		t.Error("the rebased branch is not seen as contained")
	}
}

// Two commits that undo each other's conflict with the base cannot be taken one by one, though their sum merges.
func TestRebaseThatCannotBe(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on(branch, "detour", "a.txt", "detour\n")
	head := l.on(branch, "and back", "a.txt", lines("a", 20), "c.txt", "c\n")
	tip := l.on("main", "meanwhile", "a.txt", "other\n")
	if _, err := BuildMerge(t.Context(), l.repo, tip, head, words("m")); err != nil {
		t.Fatalf("the sum does not merge: %v", err)
	}
	_, err := BuildRebase(t.Context(), l.repo, tip, head, tendril, "")
	if conflict := (*ConflictError)(nil); !errors.As(err, &conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}

// The result must not depend on where the person stands, nor on what lies in their checkout.
func TestMergeUsesTheBasesAttributes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on("main", "a change log that unites", "CHANGES", "1\n", ".gitattributes", "CHANGES merge=union\n", "sub/.gitattributes", "*.lock -merge\n", "sub/x.lock", "1\n2\n3\n4\n5\n6\n7\n")
	l.Git("branch", "-f", branch, "main")
	head := l.on(branch, "work", "CHANGES", "1\nwork\n")
	tip := l.on("main", "meanwhile", "CHANGES", "1\nmeanwhile\n")
	l.Write(".gitattributes", "")
	built := ok(BuildMerge(t.Context(), l.repo, tip, head, words("m")))(t)
	if got := l.file(built.Commit, "CHANGES"); got != "1\nmeanwhile\nwork" {
		t.Errorf("CHANGES is %q", got)
	}
	head = l.on(branch, "lock", "sub/x.lock", "one\n2\n3\n4\n5\n6\n7\n")
	l.Git("checkout", "-q", "--", ".gitattributes")
	tip = l.on("main", "lock too", "sub/x.lock", "1\n2\n3\n4\n5\n6\nseven\n")
	_, err := BuildMerge(t.Context(), l.repo, tip, head, words("m"))
	if conflict := (*ConflictError)(nil); !errors.As(err, &conflict) || !slices.Equal(conflict.Paths, []string{"sub/x.lock"}) {
		t.Errorf("got %v, want a conflict in sub/x.lock", err)
	}
}

// From a linked worktree, a bare repository and a folder with odd letters the merge is the same.
func TestMergeFromAnywhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.on("main", "a change log that unites", "CHANGES", "1\n", ".gitattributes", "CHANGES merge=union\n")
	l.Git("branch", "-f", branch, "main")
	head := l.on(branch, "work", "CHANGES", "1\nwork\n")
	tip := l.on("main", "meanwhile", "CHANGES", "1\nmeanwhile\n")
	want := ok(BuildMerge(t.Context(), l.repo, tip, head, words("m")))(t)
	linked := l.Worktree("--detach", l.base)
	bare := filepath.Join(testkit.TempDir(t), "my répo 仓库.git")
	l.Git("clone", "-q", "--bare", l.Dir, bare)
	for _, dir := range []string{linked.Dir, bare} {
		repo := ok(git.Open(t.Context(), dir))(t)
		got := ok(BuildMerge(t.Context(), repo, tip, head, words("m")))(t)
		if got.Tree != want.Tree {
			t.Errorf("%s: tree %s, want %s", dir, got.Tree, want.Tree)
		}
	}
}

func TestUnrelatedHistoriesAreAnErrorNotAConflict(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Git("checkout", "-q", "--orphan", "other")
	other := l.Commit("unrelated")
	_, err := BuildMerge(t.Context(), l.repo, l.base, other, words("m"))
	if conflict := (*ConflictError)(nil); err == nil || errors.As(err, &conflict) {
		t.Errorf("got %v", err)
	}
}
