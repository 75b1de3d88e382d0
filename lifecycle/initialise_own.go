package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/plans"
)

// ownFolder is the name of the checkout of an own plans branch, among the worktrees: no plan's key looks like it.
const ownFolder = "plans"

// createOwn makes the branch tendril/plans, which shares no history with the code.
func (s *Survey) createOwn(ctx context.Context, actor Actor, choice InitChoice, out *Initialised) error {
	board, err := plans.Board(nil, nil)
	if err != nil {
		return err
	}
	var edits []git.FileEdit
	for _, e := range s.files(choice, board) {
		edits, out.Written = append(edits, git.FileEdit{Path: e.Path, Data: e.Data}), append(out.Written, e.Path)
	}
	if err := s.ownFolderFree(ctx); err != nil {
		return err
	}
	if err := (&Project{Deps: s.deps, Repo: s.repo, Runtime: config.Runtime(s.repo)}).ensureRuntime(); err != nil {
		return err
	}
	commit, err := s.firstCommit(ctx, actor, edits)
	if err != nil {
		return err
	}
	_, err = s.repo.Do(ctx, git.Call{
		Args: []string{"update-ref", "--create-reflog", "-m", "commit (initial): set up Tendril", "refs/heads/" + config.OwnBranch, commit, git.ZeroID(s.repo.Format)},
		Env:  actor.ident().CommitterEnv(),
	})
	if err != nil {
		return fmt.Errorf("make the branch %s: %w", config.OwnBranch, err)
	}
	out.Branch, out.Commit = config.OwnBranch, commit
	p, err := Open(ctx, s.repo, s.deps)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }() // what it holds open ends with the process at the latest
	out.Trusted = true
	return p.Trust(ctx)
}

// firstCommit makes a commit without a parent.
func (s *Survey) firstCommit(ctx context.Context, actor Actor, edits []git.FileEdit) (id string, err error) {
	batch, err := s.repo.Batch(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	empty, err := git.ObjectID(s.repo.Format, "tree", nil)
	if err != nil {
		return "", err
	}
	editor := git.TreeEditor{Batch: batch, Format: s.repo.Format}
	made, err := editor.Apply(empty, edits)
	if err != nil {
		return "", err
	}
	if err := s.repo.WriteObjects(ctx, made.Objects); err != nil {
		return "", err
	}
	args := []string{"commit-tree", made.ID, "-F", "-"}
	if actor.Sign {
		args = append(args, "-S")
	}
	who := actor.ident()
	out, err := s.repo.Do(ctx, git.Call{
		Args: args, Stdin: []byte(initMessage([]string{config.File})), Env: append(who.AuthorEnv(), who.CommitterEnv()...),
	})
	return strings.TrimSpace(string(out)), err
}

// ownPlace is where the plans branch is to be checked out; empty in a bare repository.
func (s *Survey) ownPlace(ctx context.Context) (string, error) {
	p := &Project{Deps: s.deps, Repo: s.repo}
	if main, err := p.mainCheckout(ctx); err != nil || main == "" {
		return "", err
	}
	cfg := s.Config
	if cfg == nil {
		cfg = config.Default()
	}
	m, err := p.manager(ctx, cfg)
	if err != nil {
		return "", err
	}
	return filepath.Join(m.Root, ownFolder), nil
}

// ownFolderFree refuses a folder that something else is in, before anything is changed.
func (s *Survey) ownFolderFree(ctx context.Context) error {
	dir, err := s.ownPlace(ctx)
	if err != nil || dir == "" {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is where %s would be checked out, and is not empty\n  move it away", dir, config.OwnBranch)
	}
	return nil
}

// checkOutOwn checks the plans branch out beside the worktrees, unless it is checked out somewhere. The repository's own
// hooks are for code: they do not run.
func (s *Survey) checkOutOwn(ctx context.Context, p *Project, out *Initialised) error {
	copies, err := p.workingCopies(ctx)
	if err != nil || len(copies) > 0 {
		return err
	}
	dir, err := s.ownPlace(ctx)
	if err != nil || dir == "" {
		return err
	}
	if err := s.ownFolderFree(ctx); err != nil {
		return err
	}
	if _, err := s.repo.Run(ctx, "worktree", "add", "--quiet", "--", dir, p.branchName()); err != nil {
		return fmt.Errorf("check out %s: %w\n  the branch is made; git worktree add DIR %s does the rest", p.branchName(), err, p.branchName())
	}
	out.Checkout = dir
	return nil
}
