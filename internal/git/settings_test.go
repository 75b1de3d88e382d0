package git

import (
	"slices"
	"testing"

	"tendril/internal/testkit"
)

func TestSettingsFollowTheRepositorysFile(t *testing.T) {
	t.Parallel()
	tk := testkit.Repo(t)
	repo, err := Open(t.Context(), tk.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	remotes := func(want ...string) {
		t.Helper()
		for range 2 {
			if got, err := repo.Remotes(t.Context()); err != nil || !slices.Equal(got, want) {
				t.Errorf("remotes %q, %v; want %q", got, err, want)
			}
		}
	}
	remotes()
	tk.Git("remote", "add", "up/stream.two", "../elsewhere")
	tk.Git("remote", "add", "origin", "../there")
	remotes("origin", "up/stream.two")
	tk.Git("remote", "remove", "origin")
	remotes("up/stream.two")
	if value, err := repo.Setting(t.Context(), "tendril.none"); err != nil || value != "" {
		t.Errorf("a key that is not set: %q, %v", value, err)
	}
	tk.Git("config", "tendril.some", "two\nlines ")
	if value, err := repo.Setting(t.Context(), "tendril.some"); err != nil || value != "two\nlines " {
		t.Errorf("a key that was set: %q, %v", value, err)
	}
}

func TestOpenWhereThereIsNoWorktree(t *testing.T) {
	t.Parallel()
	tk := testkit.Repo(t)
	inside, err := Open(t.Context(), tk.Dir+"/.git/refs")
	if err != nil {
		t.Fatal(err)
	}
	if inside.CommonDir == "" || inside.Format == "" {
		t.Errorf("inside of the git directory: %+v", inside)
	}
	bare := testkit.TempDir(t)
	testkit.Git(t, bare, "init", "-q", "--bare")
	repo, err := Open(t.Context(), bare)
	if err != nil || !repo.Bare || repo.Dir != repo.GitDir {
		t.Errorf("bare: %+v, %v", repo, err)
	}
}
