package deliver

import (
	"context"
	"errors"
	"fmt"

	"tendril/internal/git"
)

// maxIntegrations bounds how many merges of the base one delivery may pile up.
const maxIntegrations = 200

// InBase tells whether head is contained in baseTip.
func InBase(ctx context.Context, repo *git.Repo, head, baseTip string) (bool, error) {
	_, err := run(ctx, repo, "merge-base", "--is-ancestor", head, baseTip)
	if code, exited := git.ExitCode(err); exited && code == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("is %.10s in %.10s: %w", head, baseTip, err)
	}
	return true, nil
}

// ProvedAutomatic tells whether commit is acceptedHead merged with commits that base contains (base itself is one), once
// or several times, each time exactly as git merges by itself and nothing else. The accepted head alone is no such merge,
// but counts.
func ProvedAutomatic(ctx context.Context, repo *git.Repo, commit, acceptedHead, base string) (bool, error) {
	if commit == acceptedHead {
		return true, nil
	}
	bases, ok, err := integrated(ctx, repo, commit, acceptedHead)
	if err != nil || !ok {
		return false, err
	}
	return allIn(ctx, repo, bases, base)
}

// integrated walks from commit down the first parents to acceptedHead and returns what was merged in, newest first; ok is
// false when something on the way is not an automatic merge.
func integrated(ctx context.Context, repo *git.Repo, commit, acceptedHead string) (bases []string, ok bool, err error) {
	for at := commit; at != acceptedHead; {
		parents, err := parentsOf(ctx, repo, at)
		if err != nil {
			return nil, false, err
		}
		if len(parents) != 2 || len(bases) == maxIntegrations {
			return nil, false, nil
		}
		tree, err := mergeTree(ctx, repo, parents[0], parents[1], parents[1])
		if conflict := (*ConflictError)(nil); errors.As(err, &conflict) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		if have, err := treeOf(ctx, repo, at); err != nil || have != tree {
			return nil, false, err
		}
		at, bases = parents[0], append(bases, parents[1])
	}
	return bases, len(bases) > 0, nil
}

// allIn tells whether all commits are contained in another.
func allIn(ctx context.Context, repo *git.Repo, commits []string, in string) (bool, error) {
	for _, c := range commits {
		if ok, err := InBase(ctx, repo, c, in); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// Contained tells whether everything that tip holds is proved to be in the base: tip itself is, or delivered is (the
// squashed or rebased commit; empty: none) and merging tip into it changes nothing. A branch is deleted on no less.
func Contained(ctx context.Context, repo *git.Repo, tip, delivered, baseTip string) (bool, error) {
	if ok, err := InBase(ctx, repo, tip, baseTip); err != nil || ok || delivered == "" {
		return ok, err
	}
	if ok, err := InBase(ctx, repo, delivered, baseTip); err != nil || !ok {
		return false, err
	}
	return holds(ctx, repo, delivered, tip)
}

// holds tells whether merging head into commit changes nothing.
func holds(ctx context.Context, repo *git.Repo, commit, head string) (bool, error) {
	tree, err := mergeTree(ctx, repo, commit, head, commit)
	if conflict := (*ConflictError)(nil); errors.As(err, &conflict) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	have, err := treeOf(ctx, repo, commit)
	return have == tree, err
}
