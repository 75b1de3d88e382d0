package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// TestAWorktreeThatIsJustBeingMade has git read the folder of a worktree of which another git has made the file but not
// written it yet: git dies of that, and a moment later all is well.
func TestAWorktreeThatIsJustBeingMade(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Worktree("-b", "other")
	repo, err := Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(r.Dir, ".git", "worktrees", "linked", "commondir")
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		time.Sleep(30 * time.Millisecond) // the other git's moment
		written <- os.WriteFile(file, []byte("../..\n"), 0o644)
	}()
	if _, err := repo.Run(t.Context(), "worktree", "list", "--porcelain"); err != nil {
		t.Error(err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// TestAWorktreeThatIsBroken is the same for good: git's word comes through, and soon.
func TestAWorktreeThatIsBroken(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Worktree("-b", "other")
	repo, err := Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(r.Dir, ".git", "worktrees", "linked", "commondir"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Run(t.Context(), "worktree", "list", "--porcelain"); !halfMade(err) {
		t.Errorf("got %v", err)
	}
}
