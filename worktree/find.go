package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/plans"
)

// Listed is one worktree that was made here.
type Listed struct {
	Name string
	Key  plans.Key
	Path string
	Slot int
	// Workspace is nil when Err says why it is not what was made (a *LostError), or that its record cannot be read.
	Workspace *Workspace
	Err       error
}

// Find returns the plan's worktree (not one of a race) when one was made here, and a *LostError when it is not what was
// made. One that is still being made, or removed, is not found.
func (m *Manager) Find(ctx context.Context, key plans.Key) (*Workspace, bool, error) {
	return m.FindName(ctx, string(key))
}

// FindName is Find by the folder's name.
func (m *Manager) FindName(_ context.Context, name string) (*Workspace, bool, error) {
	rec, err := m.load(name)
	if err != nil || rec == nil || rec.Phase != ready {
		return nil, false, err
	}
	if err := rec.intact(); err != nil {
		return nil, false, err
	}
	return m.workspace(*rec), true, nil
}

// List returns every worktree that was made here and not removed, by name.
func (m *Manager) List(_ context.Context) ([]Listed, error) {
	all, damaged, err := m.records()
	if err != nil {
		return nil, err
	}
	var out []Listed
	for name, err := range damaged {
		out = append(out, Listed{Name: name, Err: err})
	}
	for _, rec := range all {
		if rec.Phase != ready {
			continue
		}
		l := Listed{Name: rec.Name, Key: rec.Key, Path: rec.Path, Slot: rec.Slot}
		if l.Err = rec.intact(); l.Err == nil {
			l.Workspace = m.workspace(rec)
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// stale is the age at which a private index that a dead process left behind is deleted.
const stale = time.Hour

// Recover finishes the removals that were cut off and deletes what dead processes left in the runtime folder. A worktree
// whose making was cut off is finished by Ensure.
func (m *Manager) Recover(ctx context.Context, now time.Time) error {
	all, _, err := m.records()
	if err != nil {
		return err
	}
	for _, rec := range all {
		if rec.Phase == removing {
			err = errors.Join(err, m.recoverRemoval(ctx, rec.Name))
		}
	}
	files, globErr := filepath.Glob(filepath.Join(m.dir(), "*"+indexSuffix+".*"))
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && now.Sub(info.ModTime()) > stale {
			_ = os.Remove(file) // tried again next time
		}
	}
	return errors.Join(err, globErr)
}

func (m *Manager) recoverRemoval(ctx context.Context, name string) error {
	unlock, err := m.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	return m.finishRemoval(ctx, name)
}
