package record

import (
	"context"

	"tendril/internal/git"
)

// Recover finishes, or takes back, a step that a crash cut off. It reports whether there was one. A *BusyError says that
// it has to wait.
func Recover(ctx context.Context, repo *git.Repo, runtime string) (done bool, err error) {
	return false, errTodo
}
