package deliver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"tendril/internal/git"
	"tendril/plans"
)

// keepBookkeeping takes the base's side of every conflict that lies in a plan's folder or on the board: work brings nothing
// there, and a rewritten plans branch (git pull --rebase) holds the same bookkeeping as other commits. It returns the tree
// with those settled, and the conflicts that are about the work.
func keepBookkeeping(ctx context.Context, repo *git.Repo, tree string, conflicts []string, base, other string) (string, []string, error) {
	var work []string
	var edits []git.FileEdit
	for _, name := range conflicts {
		kept, err := isBookkeeping(ctx, repo, name, base, other)
		if err != nil {
			return "", nil, err
		}
		if !kept {
			work = append(work, name)
			continue
		}
		edit, err := asIn(ctx, repo, base, name)
		if err != nil {
			return "", nil, err
		}
		edits = append(edits, edit)
	}
	if len(edits) == 0 {
		return tree, work, nil
	}
	edited, err := editTree(ctx, repo, tree, edits)
	return edited, work, err
}

// isBookkeeping tells whether a path lies in the folder of a plan of either commit, or is the board beside such folders.
func isBookkeeping(ctx context.Context, repo *git.Repo, name string, commits ...string) (bool, error) {
	parts := strings.Split(name, "/")
	for i, part := range parts[:len(parts)-1] {
		if _, err := plans.ParseKey(part); err == nil {
			if is, err := hasPlan(ctx, repo, path.Join(parts[:i+1]...), commits...); err != nil || is {
				return is, err
			}
		}
	}
	if path.Base(name) != "README.md" {
		return false, nil
	}
	out, err := repo.Do(ctx, plain("ls-tree", "-z", "--name-only", "--full-tree", commits[0], "--", prefix(path.Dir(name))))
	if err != nil {
		return false, fmt.Errorf("look for plans beside %s: %w", name, err)
	}
	for beside := range strings.SplitSeq(string(out), "\x00") {
		if _, err := plans.ParseKey(path.Base(beside)); err == nil {
			if is, err := hasPlan(ctx, repo, beside, commits[0]); err != nil || is {
				return is, err
			}
		}
	}
	return false, nil
}

// asIn is the edit that makes a path what a commit has there.
func asIn(ctx context.Context, repo *git.Repo, commit, name string) (git.FileEdit, error) {
	data, err := repo.File(ctx, commit, name)
	if err != nil {
		return git.FileEdit{}, fmt.Errorf("read %s: %w", name, err)
	}
	if data == nil {
		return git.FileEdit{Path: name, Delete: true}, nil
	}
	return git.FileEdit{Path: name, Data: data}, nil
}

// editTree writes a tree with the edits made.
func editTree(ctx context.Context, repo *git.Repo, tree string, edits []git.FileEdit) (id string, err error) {
	batch, err := repo.Batch(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	slices.SortFunc(edits, func(a, b git.FileEdit) int { return strings.Compare(a.Path, b.Path) })
	editor := &git.TreeEditor{Batch: batch, Format: repo.Format}
	edited, err := editor.Apply(tree, edits)
	if err != nil {
		return "", fmt.Errorf("keep the base's bookkeeping: %w", err)
	}
	return edited.ID, repo.WriteObjects(ctx, edited.Objects)
}
