package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// JoinIndex makes a whole index, at path, of the split one of this worktree, and reads it.
func (r *Repo) JoinIndex(ctx context.Context, split *IndexStamp, path string) (*IndexFile, error) {
	data, err := os.ReadFile(split.Path)
	if err == nil {
		err = os.WriteFile(path, data, split.Info.Mode().Perm())
	}
	if err == nil {
		// git trusts metadata only of files older than the index.
		err = os.Chtimes(path, split.Info.ModTime(), split.Info.ModTime())
	}
	if err != nil {
		return nil, fmt.Errorf("copy index: %w", err)
	}
	if _, err := r.Do(ctx, Call{Args: []string{"-c", "core.splitIndex=false", "update-index", "--no-split-index"}, Index: path, Locks: true}); err != nil {
		return nil, err
	}
	return ReadIndexFile(path, r.Format)
}

// SplitIndex makes the index file at path a split one again.
func (r *Repo) SplitIndex(ctx context.Context, path string, mode fs.FileMode) error {
	if _, err := r.Do(ctx, Call{Args: []string{"update-index", "--split-index"}, Index: path, Locks: true}); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// OutsideSparse tells which of the files a sparse checkout of this worktree would leave out of it. The scratch folder is
// made and removed.
func (r *Repo) OutsideSparse(ctx context.Context, files []TreeChange, scratch string) (outside map[string]bool, err error) {
	if err := os.RemoveAll(scratch); err != nil { // left by a crash
		return nil, fmt.Errorf("scratch folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(scratch, "tree"), 0o700); err != nil {
		return nil, fmt.Errorf("scratch folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	var feed []byte
	for _, f := range files {
		feed = fmt.Appendf(feed, "%o %s\t%s\x00", f.New.Mode, f.New.OID, f.Path)
	}
	// Only read-tree with -u marks what is left out; it does so into a folder of its own.
	there := r.Pinned(r.GitDir, filepath.Join(scratch, "tree"))
	index := func(name string, stdin []byte, args ...string) ([]byte, error) {
		return there.Do(ctx, Call{Args: args, Index: filepath.Join(scratch, name), Stdin: stdin, Locks: true})
	}
	if _, err := index("listed", feed, "update-index", "-z", "--index-info"); err != nil {
		return nil, err
	}
	tree, err := index("listed", nil, "write-tree", "--missing-ok")
	if err != nil {
		return nil, err
	}
	if _, err := index("read", nil, "read-tree", "-m", "-u", strings.TrimSpace(string(tree))); err != nil {
		return nil, err
	}
	listed, err := index("read", nil, "ls-files", "-z", "-t")
	if err != nil {
		return nil, err
	}
	outside = map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		if len(line) > 2 && line[0] == 'S' {
			outside[line[2:]] = true
		}
	}
	return outside, nil
}
