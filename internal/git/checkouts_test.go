package git

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// heads maps each worktree's folder to the branch it has checked out.
func heads(t *testing.T, r *Repo) map[string]string {
	t.Helper()
	all, err := r.Checkouts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range all {
		out[c.Path] = c.Ref
	}
	return out
}

func TestCheckouts(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Git("symbolic-ref", "refs/heads/trunk", "refs/heads/main")
	onTrunk := r.Worktree("--force", "trunk")
	side := r.Worktree("-b", "side")
	detached := r.Worktree("--detach")
	r.Git("pack-refs", "--all")
	if err := os.Mkdir(filepath.Join(r.Dir, ".git", "worktrees", "half-made"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		r.Dir: "refs/heads/main", onTrunk.Dir: "refs/heads/main", side.Dir: "refs/heads/side", detached.Dir: "",
	}
	// The same from everywhere.
	for _, from := range []string{r.Dir, side.Dir, filepath.Join(r.Dir, ".git")} {
		got := heads(t, open(t, from))
		for dir, ref := range want {
			if has, ok := got[dir]; !ok || has != ref {
				t.Errorf("from %s: %s is on %q (listed: %v), want %q", from, dir, has, ok, ref)
			}
		}
	}
	if ref, err := open(t, r.Dir).ResolveRef(t.Context(), "refs/heads/trunk"); err != nil || ref != "refs/heads/main" {
		t.Errorf("trunk is %s, %v", ref, err)
	}
}

func TestCheckoutsOfBareAndSubmodule(t *testing.T) {
	t.Parallel()
	inner := testkit.Repo(t)
	bare := testkit.Clone(t, inner.Dir, "--bare")
	linked := filepath.Join(testkit.TempDir(t), "linked")
	bare.Git("worktree", "add", "-q", linked, "main")
	got := heads(t, open(t, linked))
	if got[linked] != "refs/heads/main" || len(got) != 2 {
		t.Errorf("bare repository with a worktree: %v", got)
	}
	if _, ok := got[""]; !ok {
		t.Errorf("the bare repository itself has a folder: %v", got)
	}

	outer := testkit.Repo(t)
	outer.Git("submodule", "--quiet", "add", inner.Dir, "sub")
	sub := filepath.Join(outer.Dir, "sub")
	beside := filepath.Join(testkit.TempDir(t), "beside")
	testkit.Git(t, sub, "worktree", "add", "-q", "-b", "other", beside)
	if got := heads(t, open(t, beside)); got[sub] != "refs/heads/main" {
		t.Errorf("submodule seen from its linked worktree: %v", got)
	}
}

func TestRebasing(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("f", "one")
	r.Commit("one")
	r.Git("branch", "stacked")
	r.Git("checkout", "-q", "-b", "top")
	r.Write("f", "two")
	r.Commit("two")
	r.Git("checkout", "-q", "-b", "onto", "HEAD~2")
	r.Write("f", "other")
	r.Commit("other")
	r.Git("checkout", "-q", "top")
	if _, err := testkit.TryGit(t, r.Dir, nil, "rebase", "--update-refs", "onto"); err == nil {
		t.Fatal("no conflict")
	}
	all, err := open(t, r.Dir).Checkouts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refs, err := all[0].Rebasing()
	if err != nil || !slices.Contains(refs, "refs/heads/top") || !slices.Contains(refs, "refs/heads/stacked") {
		t.Errorf("Rebasing = %v, %v", refs, err)
	}
	r.Git("rebase", "--abort")
	if refs, err := all[0].Rebasing(); err != nil || len(refs) != 0 {
		t.Errorf("after --abort: %v, %v", refs, err)
	}
}

func TestRefTransaction(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	old := r.Head()
	id := r.Git("commit-tree", "-m", "next", "-p", old, "HEAD^{tree}")
	repo := open(t, r.Dir)
	by := Ident{Name: "Some One", Email: "one@example.com"}
	start := func() *RefTransaction {
		tx, err := repo.RefTransaction(t.Context(), "why it moved", by, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}

	tx := start()
	if err := tx.Prepare("refs/heads/main", id, old); err != nil {
		t.Fatal(err)
	}
	if _, err := testkit.TryGit(t, r.Dir, nil, "update-ref", "refs/heads/main", id); err == nil {
		t.Error("the ref moved while it was held")
	}
	if err := tx.Close(); err != nil || r.Head() != old {
		t.Errorf("Close: %v, head %s", err, r.Head())
	}

	tx = start()
	var refused *RefRefusedError
	if err := tx.Prepare("refs/heads/main", id, id); !errors.As(err, &refused) || !strings.Contains(refused.Stderr, "is at") {
		t.Errorf("another old id: %v", err)
	}

	tx = start()
	if err := tx.Prepare("refs/heads/main", id, old); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil || r.Head() != id {
		t.Errorf("Commit: %v, head %s", err, r.Head())
	}
	if got := r.Git("log", "-g", "-1", "--format=%gn %ge %gs"); got != "Some One one@example.com why it moved" {
		t.Errorf("reflog: %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "*.lock")); len(left) != 0 {
		t.Errorf("locks left: %v", left)
	}
}

func TestSmudgeAndClean(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Git("config", "filter.shout.smudge", "tr a-z A-Z")
	r.Git("config", "filter.shout.clean", "tr A-Z a-z")
	r.Write(".gitattributes", "*.crlf text eol=crlf\n*.shout filter=shout\n")
	paths := []string{"a.crlf", "sub/b.shout", "plain", " leading blank", "\"quoted\".shout", "-dash", "line\nbreak.shout", "empty"}
	for _, p := range paths[:7] {
		r.Write(p, "one\ntwo\n")
	}
	r.Write("empty", "")
	r.Commit("all")
	repo := open(t, r.Dir)
	var wanted []Content
	for _, p := range paths {
		wanted = append(wanted, Content{OID: r.Git("rev-parse", "HEAD:"+p), Path: p})
	}
	got, err := repo.Smudge(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"one\r\ntwo\r\n", "ONE\nTWO\n", "one\ntwo\n", "one\ntwo\n", "ONE\nTWO\n", "one\ntwo\n", "ONE\nTWO\n", ""} {
		if string(got[i]) != want {
			t.Errorf("%q: %q, want %q", paths[i], got[i], want)
		}
		r.Write(paths[i], want)
	}
	for _, some := range [][]string{paths, {"a.crlf", "sub/b.shout", "-dash"}} {
		ids, err := repo.Clean(t.Context(), some)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range some {
			if id := ids[i]; id != wanted[slices.Index(paths, p)].OID {
				t.Errorf("Clean(%q) = %s", p, id)
			}
		}
	}
}
