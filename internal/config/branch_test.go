package config

import (
	"errors"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		make func(t *testing.T) *testkit.Repository
		want string
	}{
		"the only usual name": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "-m", "trunk")
			r.Git("checkout", "-q", "-b", "feature")
			return r
		}, "trunk"},
		"init.defaultBranch before the usual names": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "develop")
			r.Git("config", "init.defaultBranch", "develop")
			return r
		}, "develop"},
		"init.defaultBranch without such a branch": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "-m", "master")
			return r
		}, "master"},
		"the remote's HEAD before all": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "-m", "release")
			origin := r.Remote()
			c := testkit.Clone(t, origin)
			c.Git("checkout", "-q", "-b", "main")
			return c
		}, "release"},
		"the remote's HEAD was deleted": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "-m", "trunk")
			c := testkit.Clone(t, r.Remote())
			c.Git("remote", "set-head", "origin", "--delete")
			c.Git("checkout", "-q", "-b", "feature")
			c.Git("branch", "-q", "-D", "trunk")
			return c
		}, "trunk"},
		"none of them: the main worktree's branch": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "-m", "special")
			return r.Worktree("-b", "side")
		}, "special"},
		"two of them: the main worktree's branch": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "-m", "master")
			r.Git("branch", "trunk")
			r.Git("checkout", "-q", "trunk")
			return r
		}, "trunk"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := DefaultBranch(t.Context(), open(t, c.make(t).Dir))
			if err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestNoCommitYet(t *testing.T) {
	t.Parallel()
	r := testkit.EmptyRepo(t)
	repo := open(t, r.Dir)
	_, err := DefaultBranch(t.Context(), repo)
	if !errors.Is(err, ErrNoCommit) || !strings.Contains(err.Error(), "git commit --allow-empty") {
		t.Errorf("default branch: %v", err)
	}
	if _, err := PlansBranch(t.Context(), repo); !errors.Is(err, ErrNoCommit) {
		t.Errorf("plans branch: %v", err)
	}
}

func TestDetachedAndUndecided(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Git("checkout", "-q", "--detach")
	r.Git("branch", "-m", "main", "special")
	_, err := DefaultBranch(t.Context(), open(t, r.Dir))
	if err == nil || errors.Is(err, ErrNoCommit) || !strings.Contains(err.Error(), "git config init.defaultBranch") {
		t.Errorf("error: %v", err)
	}
}

func TestPlansBranch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		make func(t *testing.T) *testkit.Repository
		want string
	}{
		"nothing said": {testkitRepo, "refs/heads/main"},
		"tendril/plans here": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("branch", "tendril/plans")
			return r
		}, "refs/heads/tendril/plans"},
		"tendril/plans on the remote only": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			origin := r.Remote()
			r.Git("push", "-q", "origin", "main:tendril/plans")
			return testkit.Clone(t, origin)
		}, "refs/heads/tendril/plans"},
		"the default branch's file": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Write(".tendril/config.yaml", "branch: queue\nunknown: to older versions\n")
			r.Commit("config")
			r.Git("branch", "queue")
			r.Git("branch", "tendril/plans")
			r.Git("checkout", "-q", "queue")
			return r
		}, "refs/heads/queue"},
		"the machine's file before all": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Write(".tendril/config.yaml", "branch: queue\n")
			r.Commit("config")
			r.Git("branch", "queue")
			r.Git("branch", "mine")
			r.Write(".git/tendril/config.yaml", "branch: mine\n")
			return r
		}, "refs/heads/mine"},
		"a file of another branch does not count": {func(t *testing.T) *testkit.Repository {
			r := testkit.Repo(t)
			r.Git("checkout", "-q", "-b", "queue")
			r.Write(".tendril/config.yaml", "branch: queue\n")
			r.Commit("config")
			return r
		}, "refs/heads/main"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := PlansBranch(t.Context(), open(t, c.make(t).Dir))
			if err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func testkitRepo(t *testing.T) *testkit.Repository { return testkit.Repo(t) }

func TestPlansBranchThatIsNowhere(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write(".tendril/config.yaml", "branch: queue\n")
	r.Commit("config")
	if _, err := PlansBranch(t.Context(), open(t, r.Dir)); err == nil || !strings.Contains(err.Error(), "git branch queue") {
		t.Errorf("error: %v", err)
	}
	r.Write(".tendril/config.yaml", "branch: [a]\n")
	r.Commit("config")
	if _, err := PlansBranch(t.Context(), open(t, r.Dir)); err == nil || !strings.HasPrefix(err.Error(), ".tendril/config.yaml:1:9:") {
		t.Errorf("error: %v", err)
	}
}
