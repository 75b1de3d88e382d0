package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tendril/internal/crash"
)

// Ensure returns the worktree that is wanted: it makes it, finishes making it, or takes it up as it is. It can be cut off
// at any point and called again. Errors: ErrUnborn, *ClashError, *ForeignError, *BranchBlockedError, *OffBranchError,
// *LostError; after each of them nothing new is left behind.
func (m *Manager) Ensure(ctx context.Context, want Want) (*Workspace, error) {
	want, err := want.checked()
	if err != nil {
		return nil, err
	}
	unlock, err := m.lock(ctx, want.Name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// A worktree that turned out to hold work is back in its place, and taken up.
	if err := m.finishRemoval(ctx, want.Name); err != nil && !errors.As(err, new(*DirtyError)) {
		return nil, err
	}
	rec, next, err := m.register(ctx, want)
	if err != nil {
		return nil, err
	}
	ws := m.workspace(rec)
	if next == makeAnew || next == finish {
		if next == finish {
			ws.endUnfinished(ctx)
		}
		if err := m.fill(ctx, ws); err != nil {
			return nil, err
		}
		rec.Phase, ws.rec.Phase = ready, ready
		if err := m.save(rec); err != nil {
			return nil, err
		}
		crash.At(crashReady)
	}
	if _, err := ws.Head(ctx); err != nil {
		return nil, err
	}
	return ws, nil
}

// register does what must not happen twice at once: it looks, decides, and makes branch and registration known.
func (m *Manager) register(ctx context.Context, want Want) (record, step, error) {
	unlock, err := m.lock(ctx, "")
	if err != nil {
		return record{}, 0, err
	}
	defer unlock()
	s, all, err := m.look(ctx, want)
	if err != nil {
		return record{}, 0, err
	}
	next, stale, err := decide(s)
	if err != nil {
		return record{}, 0, err
	}
	for _, r := range stale {
		if err := m.clearUnfinished(s, r); err != nil {
			return record{}, 0, err
		}
		if err := retry(ctx, func() error { return m.prune(ctx, r) }); err != nil {
			return record{}, 0, err
		}
	}
	rec := record{
		Phase: making, Name: want.Name, Key: want.Key, Path: s.path, Branch: want.Branch, Base: want.Base, Slot: freeSlot(all, want.Name),
	}
	if s.rec != nil {
		rec.Slot = s.rec.Slot
	}
	switch next {
	case takeUp:
		return *s.rec, next, nil
	case makeAnew:
		rec.NewBranch = s.rec != nil && s.rec.Phase == making && s.rec.NewBranch
		if err := m.forget(want.Name); err != nil {
			return rec, next, err
		}
		rec, err = m.add(ctx, rec)
	case finish, adopt:
		rec, err = m.link(ctx, rec)
		if err == nil && next == adopt {
			rec.Phase = ready
			err = m.save(rec)
		}
	}
	return rec, next, err
}

// look gathers what decide needs.
func (m *Manager) look(ctx context.Context, want Want) (sight, []record, error) {
	s := sight{want: want, path: filepath.Join(m.Root, want.Name)}
	all, _, err := m.records()
	if err != nil {
		return s, nil, err
	}
	if s.rec, err = m.load(want.Name); err != nil {
		return s, nil, err
	}
	if s.rec != nil && s.rec.Branch != want.Branch {
		return s, nil, &ForeignError{s.rec.Path, "it is the worktree of branch " + s.rec.Branch}
	}
	if s.rec != nil && exists(s.rec.Path) {
		s.path = s.rec.Path // made before the configured folder changed
	}
	if s.known, err = registrations(ctx, m.Repo); err != nil {
		return s, nil, err
	}
	s.ground, s.why, s.lost = m.ground(s.path, s.rec)
	return s, all, nil
}

// ground looks at what stands at path.
func (m *Manager) ground(path string, rec *record) (footing, string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, "", nil
	case err != nil:
		return strange, err.Error(), nil
	case !info.IsDir():
		return strange, "it is no folder", nil
	}
	inside, err := os.ReadDir(path)
	if err != nil {
		return strange, err.Error(), nil
	}
	if len(inside) == 0 {
		return empty, "", nil
	}
	if rec != nil && rec.Phase == ready {
		if err := rec.intact(); err != nil {
			return strange, err.Error(), err
		}
		return attached, "", nil
	}
	gitDir, err := gitDirOf(path, m.Repo.CommonDir)
	if err == nil {
		_, err = readLinks(path, gitDir)
	}
	if err == nil && !exists(filepath.Join(gitDir, "HEAD")) {
		err = errors.New("its registration is not complete")
	}
	if err == nil {
		return attached, "", nil
	}
	if len(inside) == 1 && inside[0].Name() == ".git" && inside[0].Type().IsRegular() {
		return bare, "", nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return strange, "it was not made by tendril", nil
	}
	return strange, err.Error(), nil
}

// clearUnfinished removes the .git of a worktree whose making was cut off, so that its registration can be pruned.
func (m *Manager) clearUnfinished(s sight, r registration) error {
	if s.ground == absent || !samePath(r.Path, s.path) {
		return nil
	}
	if s.ground == bare {
		if err := os.Remove(filepath.Join(s.path, ".git")); err != nil {
			return fmt.Errorf("worktree %s: %w", s.want.Name, err)
		}
	}
	// Fails where something is in it by now, and then nothing is lost.
	if err := os.Remove(s.path); err != nil {
		return fmt.Errorf("worktree %s: %w", s.want.Name, err)
	}
	return nil
}
