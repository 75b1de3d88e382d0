package deliver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tendril/internal/git"
)

// maxSearched is how many commits of the base are searched for a patch at most, newest first.
const maxSearched = 300

// byPatch tells whether the base has the accepted work as other commits, and went on so that a merge of both conflicts:
// all of it as one commit, or each of its commits as another.
func byPatch(ctx context.Context, repo *git.Repo, head, baseTip string) (bool, error) {
	squashed, err := patchCommit(ctx, repo, head, baseTip)
	if err != nil || squashed != "" {
		return squashed != "", err
	}
	out, err := run(ctx, repo, "rev-list", "--count", baseTip, "^"+head)
	if err != nil || len(out) > 3 {
		return false, err // git cherry would read all of them
	}
	out, err = run(ctx, repo, "cherry", baseTip, head)
	if err != nil {
		return false, fmt.Errorf("look for the work's commits in the base: %w", err)
	}
	lines := strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
	found := 0
	for _, l := range lines {
		if !strings.HasPrefix(l, "- ") {
			return false, nil
		}
		found++
	}
	return found > 0, nil
}

// patchCommit finds the commit of the base that changes what the whole of head's work changes, line by line; empty where
// there is none.
func patchCommit(ctx context.Context, repo *git.Repo, head, baseTip string) (string, error) {
	from, err := run(ctx, repo, "merge-base", baseTip, head)
	if err != nil {
		if _, exited := git.ExitCode(err); exited {
			return "", nil // two histories
		}
		return "", err
	}
	own, err := patchIDs(ctx, repo, "diff-tree", "-p", "--no-ext-diff", "--no-textconv", from, head)
	if err != nil || len(own) == 0 {
		return "", err
	}
	theirs, err := patchIDs(ctx, repo, "log", "-p", "--first-parent", "--no-merges", "--no-ext-diff", "--no-textconv", "--no-show-signature",
		fmt.Sprintf("--max-count=%d", maxSearched), baseTip, "^"+from)
	if err != nil {
		return "", err
	}
	for _, t := range theirs {
		if t.patch == own[0].patch {
			return t.commit, nil
		}
	}
	return "", nil
}

// patched is a patch's id and the commit that it is of.
type patched struct{ patch, commit string }

// patchIDs runs a git that prints patches and returns their ids, spaces and line numbers aside.
func patchIDs(ctx context.Context, repo *git.Repo, args ...string) ([]patched, error) {
	patches, err := repo.Do(ctx, plain(args...))
	if err != nil {
		return nil, fmt.Errorf("read patches: %w", err)
	}
	call := plain("patch-id", "--stable")
	call.Stdin = patches
	out, err := repo.Do(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("name patches: %w", err)
	}
	var ids []patched
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			ids = append(ids, patched{patch: f[0], commit: f[1]})
		}
	}
	return ids, nil
}

// FindContent finds the commit on the base's first-parent line since which the base holds all that head has, where head is
// not in its history: somebody squashed or rebased the work. It is empty where there is none.
func FindContent(ctx context.Context, repo *git.Repo, head, baseTip string) (string, error) {
	if ok, err := holds(ctx, repo, baseTip, head); err != nil || !ok {
		if err != nil {
			return "", err
		}
		return patchCommit(ctx, repo, head, baseTip)
	}
	out, err := run(ctx, repo, "rev-list", "--first-parent", fmt.Sprintf("--max-count=%d", maxSearched), baseTip, "^"+head)
	if err != nil {
		return "", fmt.Errorf("look for the work in the base: %w", err)
	}
	commits := strings.Fields(out)
	// Newest first: from some place on they hold it no more.
	var failed error
	at, _ := slices.BinarySearchFunc(commits, false, func(commit string, _ bool) int {
		has, err := holds(ctx, repo, commit, head)
		if err != nil {
			failed = err
		}
		if has {
			return -1
		}
		return 1
	})
	if failed != nil || at == 0 {
		return "", failed
	}
	return commits[at-1], nil
}
