package verify

import (
	"context"
	"path/filepath"
	"strings"

	"tendril/internal/check"
	"tendril/internal/proc"
	"tendril/worktree"
)

// Mark is the variable ("NAME=value") by which what an engine runs in a worktree, checks and setup, is found.
func Mark(ws *worktree.Workspace) string { return check.MarkName + "=" + ws.GitDir }

// EndLeft ends what an engine that died left at work in the worktrees of a clone, whose git directory is commonDir: checks
// and setups. It is for whoever holds the engine's lock. What a person or an agent tries with `tendril check` goes on.
func EndLeft(ctx context.Context, commonDir string) {
	for _, gitDir := range proc.MarkedValues(check.MarkName) {
		// A try's mark has the number of its process behind a colon, which no worktree's name holds.
		if !strings.Contains(filepath.Base(gitDir), ":") && filepath.Dir(gitDir) == filepath.Join(commonDir, "worktrees") {
			proc.Family{Mark: check.MarkName + "=" + gitDir}.End(ctx, 0)
		}
	}
}
