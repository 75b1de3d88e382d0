package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

func TestResolveRoot(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, dir string) *git.Repo {
		t.Helper()
		repo, err := git.Open(t.Context(), dir)
		must(t, err)
		return repo
	}
	inside := func(t *testing.T) (outer, inner *testkit.Repository) {
		outer = testkit.Repo(t)
		outer.Git("init", "-q", "inner")
		inner = testkit.At(t, filepath.Join(outer.Dir, "inner"))
		inner.Write("x", "x")
		inner.Commit("x")
		return outer, inner
	}
	for name, c := range map[string]func(t *testing.T) (repo *git.Repo, configured, want, err string){
		"beside": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			return open(t, r.Dir), "", r.Dir + ".worktrees", ""
		},
		"from a linked worktree": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			return open(t, r.Worktree("-b", "x").Dir), "", r.Dir + ".worktrees", ""
		},
		"from a subfolder": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			r.Write("sub/x", "x")
			return open(t, filepath.Join(r.Dir, "sub")), "", r.Dir + ".worktrees", ""
		},
		"configured": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			return open(t, r.Dir), "../trees/of-{{.Repo}}/x", filepath.Join(filepath.Dir(r.Dir), "trees", "of-repo", "x"), ""
		},
		"absolute": func(t *testing.T) (*git.Repo, string, string, string) {
			dir := testkit.TempDir(t)
			return open(t, testkit.Repo(t).Dir), dir + "/{{.Repo}}", dir + "/repo", ""
		},
		"unknown variable": func(t *testing.T) (*git.Repo, string, string, string) {
			return open(t, testkit.Repo(t).Dir), "../{{.Key}}", "", "Key"
		},
		"bad template": func(t *testing.T) (*git.Repo, string, string, string) {
			return open(t, testkit.Repo(t).Dir), "../{{", "", "only {{.Repo}} may stand in it"
		},
		"in another repository": func(t *testing.T) (*git.Repo, string, string, string) {
			_, inner := inside(t)
			return open(t, inner.Dir), "", filepath.Join(inner.Dir, ".git/tendril/worktrees"), ""
		},
		"submodule": func(t *testing.T) (*git.Repo, string, string, string) {
			lib, r := testkit.Repo(t), testkit.Repo(t)
			r.Git("submodule", "--quiet", "add", lib.Dir, "lib")
			return open(t, filepath.Join(r.Dir, "lib")), "", filepath.Join(r.Dir, ".git/modules/lib/tendril/worktrees"), ""
		},
		"in itself": func(t *testing.T) (*git.Repo, string, string, string) {
			return open(t, testkit.Repo(t).Dir), ".worktrees", "", "lies in this repository"
		},
		"in itself, ignored": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			r.Write(".gitignore", "/.worktrees/\n")
			return open(t, r.Dir), ".worktrees", filepath.Join(r.Dir, ".worktrees"), ""
		},
		"in its git directory": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			return open(t, r.Dir), ".git/trees", filepath.Join(r.Dir, ".git", "trees"), ""
		},
		"bare": func(t *testing.T) (*git.Repo, string, string, string) {
			dir := testkit.Repo(t).Remote()
			return open(t, dir), "", filepath.Join(dir, "tendril/worktrees"), ""
		},
		"a file in the way": func(t *testing.T) (*git.Repo, string, string, string) {
			r := testkit.Repo(t)
			testkit.Write(t, filepath.Dir(r.Dir), "repo.worktrees", "x")
			return open(t, r.Dir), "", filepath.Join(r.Dir, ".git/tendril/worktrees"), ""
		},
		"not writable": func(t *testing.T) (*git.Repo, string, string, string) {
			if os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			r := testkit.Repo(t)
			parent := filepath.Dir(r.Dir)
			must(t, os.Chmod(parent, 0o500))
			t.Cleanup(func() { _ = os.Chmod(parent, 0o700) }) // so that it can be deleted
			return open(t, r.Dir), "", filepath.Join(r.Dir, ".git/tendril/worktrees"), ""
		},
		"on a file system that takes nothing": func(t *testing.T) (*git.Repo, string, string, string) {
			if _, err := os.Stat("/proc/self"); err != nil {
				t.Skip("there is no /proc here")
			}
			r := testkit.Repo(t)
			return open(t, r.Dir), "/proc/{{.Repo}}", filepath.Join(r.Dir, ".git/tendril/worktrees"), ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, configured, want, wantErr := c(t)
			got, err := ResolveRoot(t.Context(), repo, configured)
			if wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), wantErr) {
					t.Errorf("%s, %v, want %q", got, err, wantErr)
				}
				return
			}
			if err != nil || !samePath(got, want) {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
			if exists(want) && !strings.Contains(name, "ignored") {
				t.Errorf("%s was made", want)
			}
		})
	}
}

func TestAWorktreeBelowTheGitDirectory(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	dir := r.Remote()
	repo, err := git.Open(t.Context(), dir)
	must(t, err)
	root, err := ResolveRoot(t.Context(), repo, "")
	must(t, err)
	m := &Manager{Repo: repo, Root: root, Runtime: filepath.Join(repo.CommonDir, "tendril")}
	ws, err := m.Ensure(t.Context(), Want{Key: key, Branch: branch, Base: "main"})
	must(t, err)
	testkit.Write(t, ws.Path, "new", "x")
	left, err := ws.CommitLeftovers(t.Context(), Leftovers{Ident: agent, Message: "left"})
	if err != nil || !left.Committed {
		t.Errorf("%+v %v", left, err)
	}
	must(t, m.Remove(t.Context(), ws))
}
