package worktree

import (
	"context"
	"time"
)

// testContext bounds a child process that no test's context reaches.
func testContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Minute)
}
