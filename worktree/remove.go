package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tendril/internal/crash"
	"tendril/internal/git"
)

// Remove deletes the worktree and keeps its branch. A *DirtyError keeps it: changes that are not committed, untracked
// files, staged ones, an operation under way, commits that nothing names; ignored files go with it. A worktree whose folder
// is gone is only forgotten; one that was replaced is a *LostError.
//
// The folder is moved aside, looked at once more, and only then deleted: so a crash leaves either the whole worktree or
// nothing that is taken for one.
func (m *Manager) Remove(ctx context.Context, ws *Workspace) error {
	unlock, err := m.lock(ctx, ws.Name)
	if err != nil {
		return err
	}
	defer unlock()
	rec, err := m.load(ws.Name)
	if err != nil || rec == nil {
		return err
	}
	if rec.Phase == removing {
		if err := m.finishRemoval(ctx, ws.Name); err != nil {
			return err
		}
		if rec, err = m.load(ws.Name); err != nil || rec == nil {
			return err
		}
	}
	return m.remove(ctx, *rec)
}

func (m *Manager) remove(ctx context.Context, rec record) error {
	if !exists(rec.Path) {
		return m.unregister(ctx, rec)
	}
	if err := rec.intact(); err != nil {
		return err
	}
	ws := m.workspace(rec)
	risks, err := ws.submodulesAtRisk(ctx)
	if err != nil {
		return err
	}
	if err := ws.mustBeClean(ctx, risks); err != nil {
		return err
	}
	rec.Phase, rec.Trash = removing, filepath.Join(filepath.Dir(rec.Path), ".removing-"+rec.Name)
	if exists(rec.Trash) {
		return &ForeignError{rec.Trash, "a worktree is moved there to be deleted"}
	}
	if err := m.save(rec); err != nil {
		return err
	}
	crash.At(crashRemoving)
	if err := os.Rename(rec.Path, rec.Trash); err != nil {
		rec.Phase, rec.Trash = ready, ""
		return errors.Join(fmt.Errorf("worktree %s cannot be moved: %w", rec.Name, err), m.save(rec))
	}
	crash.At(crashMoved)
	return m.discard(ctx, rec)
}

// finishRemoval goes on with a removal that was cut off; nothing else is done.
func (m *Manager) finishRemoval(ctx context.Context, name string) error {
	rec, err := m.load(name)
	if err != nil || rec == nil || rec.Phase != removing {
		return err
	}
	if rec.Trash != "" && exists(rec.Trash) {
		return m.discard(ctx, *rec)
	}
	if exists(rec.Path) && exists(rec.GitDir) {
		// It was never moved, and somebody may have worked in it since.
		rec.Phase, rec.Trash = ready, ""
		return m.save(*rec)
	}
	return m.unregister(ctx, *rec)
}

// discard looks once more at the moved folder, since somebody may have written in it while it was moved, and deletes it.
func (m *Manager) discard(ctx context.Context, rec record) error {
	moved := rec
	moved.Path = rec.Trash
	if exists(rec.GitDir) {
		err := m.workspace(moved).mustBeClean(ctx, nil)
		if dirty := (*DirtyError)(nil); errors.As(err, &dirty) && !exists(rec.Path) {
			dirty.Path = rec.Path
			return errors.Join(dirty, m.moveBack(rec))
		}
		if err != nil {
			return err
		}
		if err := m.deregister(ctx, rec); err != nil {
			return err
		}
	}
	crash.At(crashUnregistered)
	if err := removeAll(rec.Trash); err != nil {
		return fmt.Errorf("worktree %s: %w", rec.Name, err)
	}
	crash.At(crashDeleted)
	return m.forget(rec.Name)
}

func (m *Manager) moveBack(rec record) error {
	if err := os.Rename(rec.Trash, rec.Path); err != nil {
		return fmt.Errorf("worktree %s is in %s: %w", rec.Name, rec.Trash, err)
	}
	rec.Phase, rec.Trash = ready, ""
	return m.save(rec)
}

// unregister makes git and the record forget a worktree whose folder is gone.
func (m *Manager) unregister(ctx context.Context, rec record) error {
	if exists(rec.GitDir) {
		if err := m.deregister(ctx, rec); err != nil {
			return err
		}
	}
	crash.At(crashUnregistered)
	return m.forget(rec.Name)
}

// deregister makes git forget the worktree. Its folder is not at its path any more; where git knows something else there,
// that is left alone.
func (m *Manager) deregister(ctx context.Context, rec record) error {
	if rec.GitDir == "" {
		return nil
	}
	unlock, err := m.lock(ctx, "")
	if err != nil {
		return err
	}
	defer unlock()
	known, err := registrations(ctx, m.Repo)
	if err != nil {
		return err
	}
	for _, r := range known {
		if samePath(r.Path, rec.Path) && r.Missing && !r.Main {
			return retry(ctx, func() error { return m.prune(ctx, r) })
		}
	}
	return nil
}

// Forget clears what is remembered of a worktree that is lost. What is at its path is left alone, and so is its branch.
func (m *Manager) Forget(ctx context.Context, name string) error {
	unlock, err := m.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	rec, err := m.load(name)
	if err != nil || rec == nil {
		return err
	}
	if !exists(rec.Path) {
		return m.unregister(ctx, *rec)
	}
	return m.forget(name)
}

// mustBeClean returns a *DirtyError when anything would be lost with the worktree, risks that are known already included.
func (w *Workspace) mustBeClean(ctx context.Context, risks []string) error {
	dirty := &DirtyError{Path: w.Path, Why: risks}
	if op := w.during(); op != "" {
		dirty.Why = append(dirty.Why, op+" is under way")
	}
	commit, err := w.unnamed(ctx)
	if err != nil {
		return err
	}
	if commit != "" {
		dirty.Why = append(dirty.Why, "commit "+commit+" is on no branch")
	}
	all, err := w.Changes(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range all {
		seen[c.Path] = true
		dirty.Paths = append(dirty.Paths, c.Path)
	}
	staged, err := w.stagedOnly(ctx)
	if err != nil {
		return err
	}
	for _, p := range staged {
		if !seen[p] {
			dirty.Paths = append(dirty.Paths, p+" (staged)")
		}
	}
	if len(dirty.Paths)+len(dirty.Why) > 0 {
		return dirty
	}
	return nil
}

// stagedOnly returns what the worktree's own index holds beside HEAD.
func (w *Workspace) stagedOnly(ctx context.Context) ([]string, error) {
	if !exists(filepath.Join(w.GitDir, "index")) {
		return nil, nil
	}
	out, err := w.git(ctx, git.Call{Args: []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", "HEAD", "--"}})
	if err != nil {
		return nil, err
	}
	return splitNUL(string(out)), nil
}

// removeAll is os.RemoveAll that also gets through folders without write permission, as Go's module cache has them.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // what cannot be changed shows below
		}
		return nil
	})
	return os.RemoveAll(dir)
}
