package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/crash"
	"tendril/internal/git"
	"tendril/internal/redact"
)

// lockPatience bounds the wait for a git that is still at work in the worktree.
const lockPatience = 3 * time.Second

// Leftovers says how what an agent left is committed.
type Leftovers struct {
	// Ident is author and committer.
	Ident   git.Ident
	Message string
	// Skip are paths, with slashes, that stay out; one that ends with a slash is a folder.
	Skip []string
	// Private are ignored paths, written likewise, that stay out even where they were staged: what was copied in. The desk
	// always does.
	Private []string
	// Redact knows the secrets; nil knows those of this process's environment and the patterns.
	Redact *redact.Redactor
}

// Secret is a place where something that looks like a secret was added.
type Secret struct {
	Path, Rule string
	Line       int
}

// String is path:line: rule.
func (s Secret) String() string { return fmt.Sprintf("%s:%d: %s", s.Path, s.Line, s.Rule) }

// Out is a path that stayed out of a commit, and why, in a few words.
type Out struct{ Path, Why string }

// Left is what CommitLeftovers did.
type Left struct {
	// Head is the branch's commit now; Committed is true when it is new.
	Head      string
	Committed bool
	// Paths are what went into the commit.
	Paths []string
	// Secrets are the places for which files stayed out; those files, and all others that stayed out, are in Out. Files that
	// a check made (Remember) and the paths of Skip are not.
	Secrets []Secret
	Out     []Out
}

// CommitLeftovers commits every change in the worktree that git does not ignore, and what it ignores and was staged all the
// same (git add -f), and runs no hooks. What stays out is
// named in the answer: files in which a secret was added since HEAD, repositories inside the worktree, what is neither
// file nor link or cannot be read; and, unnamed, Skip and what checks made. A merge that is under way is concluded.
// Errors: as Head, and a *LockedError while git is at work in the worktree.
func (w *Workspace) CommitLeftovers(ctx context.Context, l Leftovers) (Left, error) {
	head, err := w.Head(ctx)
	if err != nil {
		return Left{}, err
	}
	if err := w.awaitUnlocked(ctx); err != nil {
		return Left{Head: head}, err
	}
	left := Left{Head: head}
	err = w.withIndex(ctx, func(index string) error {
		tree, err := w.stage(ctx, index, l, &left)
		if err != nil {
			return err
		}
		return w.commitTree(ctx, l, tree, &left)
	})
	if err != nil {
		return Left{Head: head}, err
	}
	if err := w.SyncIndex(ctx); err != nil {
		return left, err
	}
	crash.At(crashSynced)
	return left, nil
}

// Tree writes the tree that CommitLeftovers would commit, without moving or committing anything.
func (w *Workspace) Tree(ctx context.Context, l Leftovers) (tree string, left Left, err error) {
	if left.Head, err = w.Head(ctx); err != nil {
		return "", left, err
	}
	err = w.withIndex(ctx, func(index string) error {
		tree, err = w.stage(ctx, index, l, &left)
		return err
	})
	return tree, left, err
}

// stage brings what is to be committed into the private index, and returns its tree.
func (w *Workspace) stage(ctx context.Context, index string, l Leftovers, left *Left) (string, error) {
	all, err := w.changes(ctx, index)
	if err != nil {
		return "", err
	}
	forced, err := w.forced(ctx, all, l.Private)
	if err != nil {
		return "", err
	}
	if all, err = w.Unmade(append(all, forced...)); err != nil {
		return "", err
	}
	if err := w.choose(ctx, all, l, left); err != nil {
		return "", err
	}
	chosen := map[string]bool{}
	for _, p := range left.Paths {
		chosen[p] = true
	}
	var gone, there []string
	for _, c := range all {
		switch {
		case !chosen[c.Path]:
		case c.Deleted:
			gone = append(gone, c.Path)
		default:
			there = append(there, c.Path)
		}
	}
	// What is gone goes first, and by force: a folder that it was in may be a link now.
	if err := w.updateIndex(ctx, index, gone, "--force-remove"); err != nil {
		return "", err
	}
	if err := w.updateIndex(ctx, index, there, "--add", "--remove", "--replace"); err != nil {
		return "", err
	}
	tree, err := w.git(ctx, git.Call{Args: []string{"write-tree"}, Index: index})
	return strings.TrimSpace(string(tree)), err
}

func (w *Workspace) updateIndex(ctx context.Context, index string, paths []string, flags ...string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := w.git(ctx, git.Call{
		Args:  append(append([]string{"update-index"}, flags...), "-z", "--stdin"),
		Stdin: []byte(strings.Join(paths, "\x00") + "\x00"), Index: index, Locks: true,
	})
	return err
}

// choose divides what changed into what goes into the commit and what stays out.
func (w *Workspace) choose(ctx context.Context, all []Change, l Leftovers, left *Left) error {
	r := l.Redact
	if r == nil {
		r = redact.New(os.Environ())
	}
	for _, c := range all {
		switch {
		case skipped(l.Skip, c.Path):
		case c.Nested:
			left.Out = append(left.Out, Out{c.Path, "a repository of its own"})
		case c.Deleted:
			left.Paths = append(left.Paths, c.Path)
		default:
			secrets, why, err := w.inspect(ctx, r, c)
			if err != nil {
				return err
			}
			left.Secrets = append(left.Secrets, secrets...)
			if len(secrets) > 0 {
				why = "a secret in it"
			}
			if named := r.Find([]byte(c.Path)); len(named) > 0 && c.Untracked {
				left.Secrets = append(left.Secrets, Secret{c.Path, named[0].Rule + " as its name", 0})
				why = "a secret in its name"
			}
			if why != "" {
				left.Out = append(left.Out, Out{c.Path, why})
				continue
			}
			left.Paths = append(left.Paths, c.Path)
		}
	}
	return nil
}

func skipped(skip []string, path string) bool {
	return slices.ContainsFunc(skip, func(s string) bool {
		return s == path || strings.HasSuffix(s, "/") && strings.HasPrefix(path, s)
	})
}

// commitTree makes the commit and moves the branch, when there is anything to commit.
func (w *Workspace) commitTree(ctx context.Context, l Leftovers, tree string, left *Left) error {
	merged, err := w.mergeHeads(ctx)
	if err != nil {
		return err
	}
	was, err := w.Repo.Run(ctx, "rev-parse", "--verify", "--end-of-options", left.Head+"^{tree}")
	if err != nil || was == tree && len(merged) == 0 {
		return err
	}
	args := []string{"commit-tree", "-p", left.Head}
	for _, m := range merged {
		args = append(args, "-p", m)
	}
	env := append(l.Ident.AuthorEnv(), l.Ident.CommitterEnv()...)
	out, err := w.git(ctx, git.Call{Args: append(args, "-F", "-", tree), Stdin: []byte(l.Message), Env: env})
	if err != nil {
		return err
	}
	commit := strings.TrimSpace(string(out))
	crash.At(crashStaged)
	// --no-deref: should the branch be made another name for another ref just now, that one does not move.
	subject, _, _ := strings.Cut(l.Message, "\n")
	err = retry(ctx, func() error {
		_, err := w.git(ctx, git.Call{
			Args: []string{"update-ref", "--no-deref", "--create-reflog", "-m", "commit: " + subject, "refs/heads/" + w.Branch, commit, left.Head}, Env: env,
		})
		return err
	})
	if err != nil {
		return err
	}
	left.Head, left.Committed = commit, true
	crash.At(crashCommitted)
	return nil
}

// mergeHeads returns the commits of a merge that is under way.
func (w *Workspace) mergeHeads(ctx context.Context) ([]string, error) {
	text, err := readPlain(filepath.Join(w.GitDir, "MERGE_HEAD"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	var heads []string
	for _, id := range strings.Fields(text) {
		commit, err := w.Repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", id+"^{commit}")
		if err != nil {
			return nil, fmt.Errorf("worktree %s: MERGE_HEAD names %.60q, which is no commit: %w", w.Name, id, err)
		}
		heads = append(heads, commit)
	}
	return heads, nil
}

// SyncIndex brings the worktree's own index to HEAD, for the agent and for people who look there. Nothing that the index
// alone holds is kept. A *LockedError while git is at work there.
func (w *Workspace) SyncIndex(ctx context.Context) error {
	_, err := w.git(ctx, git.Call{Args: []string{"diff-index", "--cached", "--quiet", "--ignore-submodules=none", "HEAD", "--"}})
	if err == nil && w.during() == "" {
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	reset := func() error {
		return retry(ctx, func() error {
			_, err := w.git(ctx, git.Call{Args: []string{"reset", "--quiet", "--mixed"}, Locks: true})
			return err
		})
	}
	if err = reset(); err == nil || ctx.Err() != nil {
		return err
	}
	if w.locked() {
		return &LockedError{w.lockFile()}
	}
	// An index that cannot be read holds nothing that is not committed by now.
	if rmErr := os.Remove(filepath.Join(w.GitDir, "index")); rmErr != nil && !errors.Is(rmErr, os.ErrNotExist) {
		return errors.Join(err, rmErr)
	}
	return reset()
}

// awaitUnlocked waits a moment for a git at work in the worktree, and returns a *LockedError when it does not end, or died
// and left its lock.
func (w *Workspace) awaitUnlocked(ctx context.Context) error {
	limit := time.NewTimer(lockPatience)
	defer limit.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for w.locked() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return &LockedError{w.lockFile()}
		case <-look.C:
		}
	}
	return nil
}
