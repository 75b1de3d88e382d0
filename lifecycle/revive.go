package lifecycle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tendril/internal/git"
	"tendril/worktree"
)

// reviveBranch makes the plan's branch again where somebody deleted it under a worktree that is still there: at the commit
// that the worktree was last at. So what lies there uncommitted is not in the way of the round that begins, nor lost.
func (w *work) reviveBranch(ctx context.Context) error {
	ref := "refs/heads/" + w.rec.Branch
	if _, err := w.Repo.Run(ctx, "show-ref", "--verify", "--quiet", ref); err == nil {
		return nil
	}
	m, err := w.manager(ctx, w.snap.cfg)
	if err != nil {
		return err
	}
	ws, found, err := m.Find(ctx, w.key())
	if lost := (*worktree.LostError)(nil); err != nil && !asError(err, &lost) {
		return err
	}
	if err != nil || !found {
		return nil
	}
	last := lastCommit(filepath.Join(ws.GitDir, "logs", "HEAD"))
	if _, err := w.Repo.Object(ctx, last+"^{commit}"); err != nil || last == "" {
		// Where its own log says nothing there is the base that it was made from.
		last = w.rec.Base.Commit
	}
	if last == "" {
		return nil
	}
	id := identOf(w.snap.cfg)
	zero := strings.Repeat("0", len(last))
	_, err = w.Repo.Do(ctx, git.Call{Args: []string{"update-ref", "-m", "tendril: made again", ref, last, zero}, Env: id.CommitterEnv()})
	if err != nil {
		return fmt.Errorf("make the branch %s again: %w", w.rec.Branch, err)
	}
	w.say(EventProblem, "its branch %s was gone: made again at %s, where its worktree was", w.rec.Branch, short(last))
	return nil
}

// lastCommit is the newest commit that a reflog names; empty where it names none.
func lastCommit(log string) string {
	data, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if f := strings.Fields(lines[i]); len(f) > 1 && strings.Trim(f[1], "0") != "" {
			return f[1]
		}
	}
	return ""
}
