package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tendril/internal/git"
)

// trail is the way from the newest first-parent commit that changed a file down to the commit that says so itself: every
// commit but the last is a merge that took the file as it was from one of its parents.
type trail []commit

// leaf is the gate commit.
func (t trail) leaf() commit { return t[len(t)-1] }

// findTrail walks to the commit that made the file at path what it is at tip. It is nil when no commit has it.
func findTrail(ctx context.Context, repo *git.Repo, tip, path string) (trail, error) {
	var t trail
	for from := tip; from != ""; {
		c, err := newest(ctx, repo, from, path)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return t, nil
		}
		t = append(t, *c)
		if from, err = sameIn(ctx, repo, *c, path); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// newest is the newest first-parent commit from a commit on that changed the file; nil where none did.
func newest(ctx context.Context, repo *git.Repo, from, path string) (*commit, error) {
	found, err := readLog(ctx, repo, nil, "-1", from, "--", fileSpec(path))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if len(found[0].changes) != 1 {
		return nil, fmt.Errorf("commit %s changes %s in %d ways", short(found[0].id), path, len(found[0].changes))
	}
	return &found[0], nil
}

// sameIn is the first parent of a merge in which the file is what the merge has; empty where there is none, and for a
// commit that is no merge.
func sameIn(ctx context.Context, repo *git.Repo, c commit, path string) (string, error) {
	if len(c.parents) < 2 {
		return "", nil
	}
	blobs, err := lookUp(ctx, repo, inEach(c.parents, path))
	if err != nil {
		return "", err
	}
	for i, b := range blobs {
		if b.id != "" && b.id == c.changes[0].new {
			return c.parents[i], nil
		}
	}
	return "", nil
}

func inEach(commits []string, path string) []string {
	names := make([]string, len(commits))
	for i, c := range commits {
		names[i] = c + ":" + path
	}
	return names
}

// origin is where the content of a file in a merge comes from, when none of the parents has it.
type origin int

const (
	// byHand: somebody wrote it, in a conflict or on top of the merge.
	byHand origin = iota
	// byItself: git merges the parents to exactly this, so that nobody wrote or read the result.
	byItself
	// untold: the parents have no history in common here.
	untold
)

// mergeOrigin tells whether a merge has the file exactly as git merges its parents by itself. Only then is it nobody's
// word. Of more than two parents it always is: git lets nobody take a hand in such a merge.
func mergeOrigin(ctx context.Context, repo *git.Repo, c commit, path string) (origin, error) {
	if len(c.parents) != 2 {
		return byItself, nil
	}
	out, err := mergeAgain(ctx, repo, c)
	if code, exited := git.ExitCode(err); err != nil && (!exited || code != 1) {
		if exited && strings.Contains(err.Error(), "unrelated histories") {
			return untold, nil
		}
		return untold, fmt.Errorf("merge the parents of %s again: %w", short(c.id), err)
	}
	tree, conflicts, _ := strings.Cut(string(out), "\x00")
	if slices.Contains(strings.Split(conflicts, "\x00"), path) {
		return byHand, nil
	}
	blobs, err := lookUp(ctx, repo, []string{tree + ":" + path})
	if err != nil {
		return untold, err
	}
	if blobs[0].id == c.changes[0].new {
		return byItself, nil
	}
	return byHand, nil
}

// mergeAgain merges the parents of a merge once more, in an empty folder: the attributes in somebody's checkout must not
// decide what git does by itself.
func mergeAgain(ctx context.Context, repo *git.Repo, c commit) (out []byte, err error) {
	dir, err := os.MkdirTemp("", "tendril-gate-*")
	if err != nil {
		return nil, fmt.Errorf("prepare a merge: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return repo.Pinned(repo.CommonDir, dir).Do(ctx, plain("-c", "merge.renames=true", "-C", dir,
		"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", c.parents[0], c.parents[1]))
}

// readShallow returns the commits at which this clone's history is cut off.
func readShallow(repo *git.Repo) (map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(repo.CommonDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read where history is cut off: %w", err)
	}
	cut := map[string]bool{}
	for _, id := range strings.Fields(string(data)) {
		cut[id] = true
	}
	return cut, nil
}
