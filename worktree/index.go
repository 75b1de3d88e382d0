package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tendril/internal/git"
)

// git runs git in the worktree, from its top, deaf to settings by which an index could hide that files differ.
func (w *Workspace) git(ctx context.Context, c git.Call) ([]byte, error) {
	args := c.Args
	own := []string{
		"-C", w.Path, "-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
		"-c", "core.untrackedCache=false", "-c", "core.splitIndex=false", "-c", "core.safecrlf=false", "-c", "i18n.commitEncoding=UTF-8",
	}
	if !w.rec.Sparse {
		own = append(own, "-c", "core.sparseCheckout=false")
	}
	c.Args = append(own, args...)
	out, err := w.Repo.Do(ctx, c)
	if ge := (*git.Error)(nil); errors.As(err, &ge) {
		ge.Args = args // the rest would only hide what was asked
	}
	return out, err
}

// indexFile is Tendril's own index of this worktree. The worktree's own is the agent's: it could mark files as unchanged
// that are not, or leave a lock on it.
func (w *Workspace) indexFile() string { return w.stem + indexSuffix }

// withIndex lends fn a copy of the own index brought to HEAD, and keeps the copy when fn does well. Several processes may
// do so at once.
func (w *Workspace) withIndex(ctx context.Context, fn func(index string) error) (err error) {
	keep := true
	f, err := os.CreateTemp(filepath.Dir(w.stem), filepath.Base(w.indexFile())+".*")
	if err != nil {
		// An agent in a sandbox may look and not keep.
		keep = false
		if f, err = os.CreateTemp("", "tendril-index-*"); err != nil {
			return fmt.Errorf("worktree %s: %w", w.Name, err)
		}
	}
	tmp := f.Name()
	_ = f.Close() // nothing was written
	defer func() {
		if err != nil || !keep {
			_ = os.Remove(tmp)           // the copy only
			_ = os.Remove(tmp + ".lock") // of a git that was ended
		}
	}()
	if err := copyIndex(w.indexFile(), tmp); err != nil {
		// Without one, git takes a missing file for an empty index.
		if err := os.Remove(tmp); err != nil {
			return fmt.Errorf("worktree %s: %w", w.Name, err)
		}
	}
	// -m keeps what is known of unchanged files, so that they need not be read again.
	if _, err := w.git(ctx, git.Call{Args: []string{"read-tree", "-m", "HEAD"}, Index: tmp}); err != nil {
		if ctx.Err() != nil {
			return err
		}
		_ = os.Remove(tmp) // damaged: made anew from HEAD
		if _, err := w.git(ctx, git.Call{Args: []string{"read-tree", "HEAD"}, Index: tmp}); err != nil {
			return err
		}
	}
	if err := fn(tmp); err != nil {
		return err
	}
	if !keep {
		return nil
	}
	if err := os.Rename(tmp, w.indexFile()); err != nil {
		return fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	return nil
}

// copyIndex copies an index with its time, by which git tells entries that may have changed since.
func copyIndex(from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // read only
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		_ = dst.Close() // the copy failed already
		return err
	}
	if err := dst.Close(); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Change is one path at which the worktree differs from HEAD.
type Change struct {
	// Path has slashes; a repository inside the worktree ends with one.
	Path string
	// Untracked is true for what HEAD does not have (and git does not ignore).
	Untracked bool
	// Nested is true for a repository that is no submodule of HEAD's.
	Nested bool
	// Deleted is true for what only HEAD has.
	Deleted bool
}

// Changes returns where the worktree differs from HEAD, ignored files aside, by path. What the worktree's own index says
// does not matter.
func (w *Workspace) Changes(ctx context.Context) ([]Change, error) {
	var all []Change
	err := w.withIndex(ctx, func(index string) error {
		var err error
		all, err = w.changes(ctx, index)
		return err
	})
	return all, err
}

func (w *Workspace) changes(ctx context.Context, index string) ([]Change, error) {
	out, err := w.git(ctx, git.Call{
		Args: []string{
			"status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=no", "--no-renames", "--ignore-submodules=dirty", "--no-ahead-behind",
		},
		Index: index, Locks: true,
	})
	if err != nil {
		return nil, err
	}
	all, err := parseStatus(string(out))
	return slices.DeleteFunc(all, func(c Change) bool { return c.Untracked && w.onDesk(c.Path) }), err
}

// onDesk says whether a path is the desk, or lies on it.
func (w *Workspace) onDesk(path string) bool {
	return w.Desk != "" && (path == w.Desk || strings.HasPrefix(path, w.Desk+"/"))
}

// parseStatus reads `git status --porcelain=v2 -z`.
func parseStatus(out string) ([]Change, error) {
	var all []Change
	for rec := range strings.SplitSeq(out, "\x00") {
		if rec == "" {
			continue
		}
		// How many fields stand before the path.
		fields := map[byte]int{'1': 8, 'u': 10, '?': 1}[rec[0]]
		parts := strings.SplitN(rec, " ", fields+1)
		if fields == 0 || len(parts) != fields+1 {
			return nil, fmt.Errorf("git status answered %q", rec)
		}
		c := Change{Path: parts[fields], Untracked: rec[0] == '?', Nested: strings.HasSuffix(parts[fields], "/")}
		if rec[0] == '1' {
			const gitlink = "160000"
			c.Deleted = strings.HasSuffix(parts[1], "D")
			c.Nested = parts[3] != gitlink && parts[5] == gitlink
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// Dirty returns the paths of Changes.
func (w *Workspace) Dirty(ctx context.Context) ([]string, error) {
	all, err := w.Changes(ctx)
	paths := make([]string, 0, len(all))
	for _, c := range all {
		paths = append(paths, c.Path)
	}
	return paths, err
}

// Restore brings tracked files back to what HEAD has: changed ones, deleted ones and those of another kind. Every path must
// be one that HEAD has.
func (w *Workspace) Restore(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return w.withIndex(ctx, func(index string) error {
		_, err := w.git(ctx, git.Call{
			Args:  []string{"checkout-index", "--force", "--quiet", "-u", "-z", "--stdin"},
			Stdin: []byte(strings.Join(paths, "\x00") + "\x00"), Index: index, Locks: true,
		})
		return err
	})
}
