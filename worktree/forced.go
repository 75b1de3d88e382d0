package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tendril/internal/git"
)

// forced returns the files that git ignores and that were staged all the same: the worktree's own index has them, HEAD does
// not, and they are still there. known are the changes that git does not ignore; private stays out. An index that cannot be
// read has none.
func (w *Workspace) forced(ctx context.Context, known []Change, private []string) ([]Change, error) {
	if !exists(filepath.Join(w.GitDir, "index")) {
		return nil, nil
	}
	out, err := w.git(ctx, git.Call{
		Args: []string{"diff-index", "--cached", "--name-only", "--diff-filter=A", "-z", "--no-renames", "HEAD", "--"},
	})
	if err != nil {
		return nil, ctx.Err()
	}
	seen := map[string]bool{}
	var nested []string
	for _, c := range known {
		seen[c.Path] = true
		if c.Nested {
			nested = append(nested, strings.TrimSuffix(c.Path, "/")+"/")
		}
	}
	var forced []Change
	for _, p := range splitNUL(string(out)) {
		inside := func(folder string) bool { return strings.HasPrefix(p, folder) }
		if !seen[p] && !w.onDesk(p) && !skipped(private, p) && !slices.ContainsFunc(nested, inside) && w.plainlyThere(p) {
			forced = append(forced, Change{Path: p, Untracked: true})
		}
	}
	return forced, nil
}

// plainlyThere says whether a path is a file or a link of the worktree, and no link and no repository of its own leads
// there.
func (w *Workspace) plainlyThere(path string) bool {
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		folder := w.file(strings.Join(parts[:i], "/"))
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || exists(filepath.Join(folder, ".git")) {
			return false
		}
	}
	info, err := os.Lstat(w.file(path))
	return err == nil && !info.IsDir()
}
