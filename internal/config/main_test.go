package config

import (
	"os"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }

// open opens a checkout as the engine does.
func open(t *testing.T, dir string) *git.Repo {
	t.Helper()
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}
