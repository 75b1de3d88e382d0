package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"tendril/internal/git"
)

// RemoveIgnored deletes the files that git ignores and that globs (from the top; a folder stands for all below it) name,
// and the folders that are empty then. What is private stays, and so do repositories within. It returns how many files it
// deleted.
func (w *Workspace) RemoveIgnored(ctx context.Context, globs, private []string) (n int, err error) {
	if len(globs) == 0 {
		return 0, nil
	}
	args := []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"}
	for _, g := range globs {
		args = append(args, ":(top,glob)"+strings.Trim(g, "/"))
	}
	var found []string
	if err := w.withIndex(ctx, func(index string) error {
		out, err := w.git(ctx, git.Call{Args: args, Index: index})
		found = splitNUL(string(out))
		return err
	}); err != nil {
		return 0, fmt.Errorf("worktree %s: find ignored files: %w", w.Name, err)
	}
	root, err := os.OpenRoot(w.Path)
	if err != nil {
		return 0, fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, p := range found {
		// A repository within ends with a slash.
		if strings.HasSuffix(p, "/") || w.onDesk(p) || covered(private, p) {
			continue
		}
		if err := root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, fmt.Errorf("worktree %s: %w", w.Name, err)
		}
		n++
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if root.Remove(dir) != nil {
				break // something else is in it
			}
		}
	}
	return n, nil
}

// covered reports whether a glob names the path, or a folder above it.
func covered(globs []string, p string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		g = strings.TrimSuffix(g, "/")
		// A bad glob is Match's only error; it names nothing.
		file, _ := doublestar.Match(g, p)
		below, _ := doublestar.Match(g+"/**", p)
		return file || below
	})
}
