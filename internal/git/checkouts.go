package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Checkout is one worktree as its git directory describes it; the worktree itself is not looked at.
type Checkout struct {
	// GitDir is the worktree's own git directory, Path the worktree's folder. The main worktree's git directory is the
	// common one. Path is empty where there is no worktree (a bare repository).
	GitDir, Path string
	// Ref is the branch that HEAD names at the end of all symbolic refs; empty when HEAD is detached.
	Ref string
}

// Checkouts lists the main worktree (its git directory, for a bare repository) and all linked ones, by the files in the
// common directory.
func (r *Repo) Checkouts(ctx context.Context) ([]Checkout, error) {
	main, err := r.mainCheckout(ctx)
	if err != nil {
		return nil, err
	}
	all := []Checkout{main}
	folder := filepath.Join(r.CommonDir, "worktrees")
	names, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	for _, name := range names {
		dir := filepath.Join(folder, name.Name())
		// Half-made or half-removed ones have no HEAD or gitdir; they hold no branch.
		raw, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if err != nil {
			continue
		}
		link := strings.TrimSpace(string(raw))
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		all = append(all, Checkout{GitDir: dir, Path: filepath.Dir(link)})
	}
	for i := range all {
		if all[i].Ref, err = r.headOf(ctx, all[i].GitDir); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mainCheckout finds the folder that belongs to the common directory.
func (r *Repo) mainCheckout(ctx context.Context) (Checkout, error) {
	c := Checkout{GitDir: r.CommonDir}
	if r.GitDir == r.CommonDir && !r.pinned && !r.Bare && r.Dir != r.GitDir && !strings.HasPrefix(r.Dir, r.GitDir+string(filepath.Separator)) {
		c.Path = r.Dir
		return c, nil
	}
	config, err := r.inCommon().Config(ctx, "core.bare", "core.worktree")
	if err != nil {
		return c, err
	}
	switch tree := config["core.worktree"]; {
	case config["core.bare"] == "true":
	case filepath.IsAbs(tree):
		c.Path = tree
	case tree != "":
		c.Path = filepath.Join(r.CommonDir, tree)
	case filepath.Base(r.CommonDir) == ".git":
		c.Path = filepath.Dir(r.CommonDir)
	}
	return c, nil
}

// inCommon is the repository seen from its common directory, for what is not about a worktree.
func (r *Repo) inCommon() *Repo { return r.Pinned(r.CommonDir, r.CommonDir) }

// headOf resolves HEAD of a git directory to a branch. Files are read where they tell; git is asked where they do not
// (another ref storage).
func (r *Repo) headOf(ctx context.Context, gitDir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	ref, symbolic := symbolicTarget(raw)
	if !symbolic {
		return "", nil
	}
	return r.resolveRef(ctx, gitDir, ref)
}

func symbolicTarget(raw []byte) (string, bool) {
	ref, ok := strings.CutPrefix(string(raw), "ref:")
	return strings.TrimSpace(ref), ok
}

// ResolveRef follows symbolic refs from a full ref name to the one that holds an id.
func (r *Repo) ResolveRef(ctx context.Context, ref string) (string, error) {
	return r.resolveRef(ctx, r.CommonDir, ref)
}

func (r *Repo) resolveRef(ctx context.Context, gitDir, ref string) (string, error) {
	if ref == "refs/heads/.invalid" { // what HEAD's file holds where refs are not kept in files
		return symbolicRef(ctx, r.Pinned(gitDir, gitDir), "HEAD")
	}
	if other, err := os.Stat(filepath.Join(r.CommonDir, "reftable")); err == nil && other.IsDir() {
		return symbolicRef(ctx, r.inCommon(), ref)
	}
	for range 5 { // as deep as git follows them
		raw, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
		if err != nil {
			// Packed or unborn: symbolic refs are always files.
			return ref, nil
		}
		next, symbolic := symbolicTarget(raw)
		if !symbolic {
			return ref, nil
		}
		ref = next
	}
	return "", fmt.Errorf("%s: too many symbolic refs", ref)
}

// symbolicRef asks git where a symbolic ref ends; ref itself when it is none.
func symbolicRef(ctx context.Context, r *Repo, ref string) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "-q", ref)
	if code, failed := ExitCode(err); failed && code == 1 {
		if ref == "HEAD" {
			return "", nil
		}
		return ref, nil
	}
	return out, err
}

// Config reads configuration keys as seen from this worktree; the last value of each, as written. Keys that are not set
// are not in the map. Names are matched in lower case.
func (r *Repo) Config(ctx context.Context, keys ...string) (map[string]string, error) {
	escaped := make([]string, len(keys))
	for i, k := range keys {
		escaped[i] = strings.ReplaceAll(strings.ToLower(k), ".", `\.`)
	}
	out, err := r.Do(ctx, Call{Args: []string{"config", "-z", "--get-regexp", "^(" + strings.Join(escaped, "|") + ")$"}})
	if code, failed := ExitCode(err); failed && code == 1 {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, ok := strings.Cut(line, "\n")
		if !ok {
			value = "true" // a key without "=" is a boolean
		}
		values[key] = value
	}
	return values, nil
}

// Rebasing returns the branches that a rebase (or `git am`) in progress in this git directory will set when it ends.
func (c Checkout) Rebasing() ([]string, error) {
	var refs []string
	for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
		raw, err := os.ReadFile(filepath.Join(c.GitDir, filepath.FromSlash(file)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for a rebase: %w", err)
		}
		refs = append(refs, strings.TrimSpace(string(raw)))
	}
	more, err := updateRefs(filepath.Join(c.GitDir, "rebase-merge", "update-refs"))
	return append(refs, more...), err
}

// updateRefs reads the branches of `rebase --update-refs`: groups of three lines, the first the name.
func updateRefs(file string) ([]string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a rebase: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	var refs []string
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		if line := strings.TrimSpace(scan.Text()); strings.HasPrefix(line, "refs/") {
			refs = append(refs, line)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("look for a rebase: %w", err)
	}
	return slices.Compact(refs), nil
}
