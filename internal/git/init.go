package git

import (
	"context"
	"fmt"
)

// Init makes a repository with a worktree in dir, which is there and empty, and opens it. It has no commit.
func Init(ctx context.Context, dir string) (*Repo, error) {
	if _, err := (&Repo{Dir: dir}).do(ctx, Call{Args: []string{"init", "--quiet", "--initial-branch=main", dir}}, dir); err != nil {
		return nil, fmt.Errorf("make a repository in %s: %w", dir, err)
	}
	return Open(ctx, dir)
}
