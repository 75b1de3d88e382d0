package plans

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tendril/internal/git"
)

// NextNumber returns the number of a new plan: one past everything that looks like a plan's in folder dir (slashes, relative to
// the repository) on any local or remote-tracking branch and in the working tree of any worktree, and past every branch of a
// plan. Two clones may still allocate the same number; their keys differ.
func NextNumber(ctx context.Context, repo *git.Repo, dir string) (int, error) {
	dir = path.Clean("/" + dir)[1:]
	top := 0
	see := func(name string) { top = max(top, numberOf(name)) }
	if err := seeBranches(ctx, repo, dir, see); err != nil {
		return 0, fmt.Errorf("allocate a number: %w", err)
	}
	if err := seeWorktrees(ctx, repo, dir, see); err != nil {
		return 0, fmt.Errorf("allocate a number: %w", err)
	}
	return top + 1, nil
}

// numberOf is the number that a folder's name begins with, whether the rest makes it a key or not, else 0.
func numberOf(name string) int {
	digits := leadingDigits(name)
	if digits < minDigits || digits > maxDigits || digits == len(name) || name[digits] != '-' {
		return 0
	}
	return Key(name).Number()
}

func seeBranches(ctx context.Context, repo *git.Repo, dir string, see func(string)) (err error) {
	out, err := repo.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes", "refs/tendril/sync")
	if err != nil || out == "" {
		return err
	}
	batch, err := repo.Batch(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	seen := map[string]bool{}
	for line := range strings.SplitSeq(out, "\n") {
		commit, ref, _ := strings.Cut(line, " ")
		if _, key, ok := strings.Cut(ref, "/tendril/"); ok {
			see(key)
		}
		if seen[commit] {
			continue
		}
		seen[commit] = true
		name := commit + ":" + dir
		if dir == "" {
			name = commit + "^{tree}"
		}
		o, err := batch.Get(name)
		if errors.Is(err, git.ErrNoObject) {
			continue
		}
		if err != nil {
			return err
		}
		if o.Type == "tree" {
			treeNames(o.Data, len(commit)/2, see)
		}
	}
	return nil
}

// treeNames visits the names in a raw tree object: "mode name NUL id", the id in so many bytes.
func treeNames(data []byte, idSize int, see func(string)) {
	for len(data) > 0 {
		space, end := bytes.IndexByte(data, ' '), bytes.IndexByte(data, 0)
		if space < 0 || end < space || end+1+idSize > len(data) {
			return
		}
		see(string(data[space+1 : end]))
		data = data[end+1+idSize:]
	}
}

func seeWorktrees(ctx context.Context, repo *git.Repo, dir string, see func(string)) error {
	out, err := repo.Run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		root, ok := strings.CutPrefix(line, "worktree ")
		if !ok {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			// A worktree without the folder, or one that is gone, holds no number.
			continue
		}
		for _, e := range entries {
			see(e.Name())
		}
	}
	return nil
}
