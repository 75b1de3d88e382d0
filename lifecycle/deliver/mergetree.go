package deliver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"tendril/internal/git"
)

// ConflictError says that two commits do not merge by themselves.
type ConflictError struct {
	// Paths are the files in conflict.
	Paths []string
}

// Error names the files, the first few of many.
func (e *ConflictError) Error() string {
	const most = 5
	shown, more := e.Paths, ""
	if len(shown) > most {
		more = fmt.Sprintf(" and %d more", len(shown)-most)
		shown = shown[:most]
	}
	return "the work conflicts with its base in " + strings.Join(shown, ", ") + more
}

// mergeTree merges two commits without a checkout and returns the tree; base is the one of the two whose bookkeeping counts. Where they do not merge by themselves it is a
// *ConflictError.
func mergeTree(ctx context.Context, repo *git.Repo, ours, theirs, base string) (string, error) {
	tree, conflicts, err := mergeFar(ctx, repo, ours, theirs, base)
	if err == nil && len(conflicts) > 0 {
		err = &ConflictError{Paths: conflicts}
	}
	return tree, err
}

// mergeFar merges two commits as far as git can: the tree holds conflict markers in the files that are named.
//
// git reads the attributes that govern a merge (union, binary, a driver) from the files of a checkout; the person's would
// make the result depend on where they stand. So the merge runs in a folder that holds nothing but the .gitattributes of
// the first commit: the same two commits always give the same tree.
func mergeFar(ctx context.Context, repo *git.Repo, ours, theirs, base string) (tree string, conflicts []string, err error) {
	dir, err := os.MkdirTemp("", "tendril-merge-*")
	if err != nil {
		return "", nil, fmt.Errorf("prepare a merge: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := layAttributes(ctx, repo, ours, dir); err != nil {
		return "", nil, err
	}
	there := repo.Pinned(repo.CommonDir, dir)
	out, err := there.Do(ctx, plain("-C", dir, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs))
	tree, rest, _ := strings.Cut(string(out), "\x00")
	if code, exited := git.ExitCode(err); exited && code == 1 && tree != "" {
		conflicts = strings.FieldsFunc(rest, func(r rune) bool { return r == 0 })
		if len(conflicts) == 0 {
			return tree, []string{"(git names no file)"}, nil
		}
		other := ours
		if base == ours {
			other = theirs
		}
		return keepBookkeeping(ctx, repo, tree, conflicts, base, other)
	}
	if err != nil {
		return "", nil, fmt.Errorf("merge %.10s and %.10s: %w", ours, theirs, err)
	}
	return tree, nil, nil
}

// layAttributes writes the .gitattributes files of a commit into dir.
func layAttributes(ctx context.Context, repo *git.Repo, commit, dir string) (err error) {
	out, err := repo.Do(ctx, plain("ls-tree", "-r", "-z", "--full-tree", commit))
	if err != nil {
		return fmt.Errorf("list %.10s: %w", commit, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("prepare a merge: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for entry := range strings.SplitSeq(string(out), "\x00") {
		meta, name, _ := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if path.Base(name) != ".gitattributes" || len(f) != 3 || !strings.HasPrefix(f[0], "100") {
			continue
		}
		data, err := repo.Do(ctx, plain("cat-file", "blob", f[2]))
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return fmt.Errorf("prepare a merge: %w", err)
		}
		if err := root.WriteFile(name, data, 0o600); err != nil {
			return fmt.Errorf("prepare a merge: %w", err)
		}
	}
	return nil
}
