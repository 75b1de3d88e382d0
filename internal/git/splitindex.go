package git

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
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

// OutsideSparse tells which of the files a sparse checkout of this worktree would leave out of it. The scratch file is
// written and removed.
func (r *Repo) OutsideSparse(ctx context.Context, files []TreeChange, scratch string) (map[string]bool, error) {
	defer func() { _ = os.Remove(scratch) }() // nothing of it is needed, and the next use starts by writing it
	var feed []byte
	for _, f := range files {
		feed = fmt.Appendf(feed, "%o %s\t%s\x00", f.New.Mode, f.New.OID, f.Path)
	}
	index := func(stdin []byte, args ...string) ([]byte, error) {
		return r.Do(ctx, Call{Args: args, Index: scratch, Stdin: stdin, Locks: true})
	}
	_ = os.Remove(scratch) // left by a crash
	if _, err := index(feed, "update-index", "-z", "--index-info"); err != nil {
		return nil, err
	}
	tree, err := index(nil, "write-tree", "--missing-ok")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(scratch); err != nil {
		return nil, fmt.Errorf("scratch index: %w", err)
	}
	if _, err := index(nil, "read-tree", "-m", string(trimLine(tree))); err != nil {
		return nil, err
	}
	listed, err := index(nil, "ls-files", "-z", "-t")
	if err != nil {
		return nil, err
	}
	outside := map[string]bool{}
	for _, line := range splitZero(listed) {
		if len(line) > 2 && line[0] == 'S' {
			outside[line[2:]] = true
		}
	}
	return outside, nil
}

func trimLine(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) }

// splitZero splits output of git's -z.
func splitZero(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}
