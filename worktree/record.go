package worktree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"tendril/plans"
)

// recordVersion is the version of a worktree's record that this build writes.
const recordVersion = 1

// phase is how far the making or removing of a worktree got.
type phase string

const (
	// making: a folder, a branch and a registration may be there, in part.
	making phase = "making"
	// ready: it was handed out.
	ready phase = "ready"
	// removing: nothing in it would be lost; it may have been moved to Trash.
	removing phase = "removing"
)

// record is what the runtime folder remembers of a worktree, as <runtime>/worktrees/NAME.json.
type record struct {
	Version int       `json:"version"`
	Phase   phase     `json:"phase"`
	Name    string    `json:"name"`
	Key     plans.Key `json:"key"`
	Path    string    `json:"path"`
	GitDir  string    `json:"git_dir,omitempty"`
	Branch  string    `json:"branch"`
	Base    string    `json:"base,omitempty"`
	// NewBranch is true when the branch was not there before.
	NewBranch bool `json:"new_branch,omitempty"`
	Slot      int  `json:"slot"`
	// Links is what ties folder and repository together, as it was when the worktree was made.
	Links links `json:"links"`
	// Sparse is true when the worktree was made with a part of the files only.
	Sparse bool `json:"sparse,omitempty"`
	// Trash is where the folder is moved before it is deleted.
	Trash string `json:"trash,omitempty"`
}

// load returns the record of a name, nil when there is none.
func (m *Manager) load(name string) (*record, error) {
	if !plainName(name) {
		return nil, nil
	}
	file := m.stem(name) + recordSuffix
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("worktree %s: %w", name, err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w\n  it is written by tendril; if it is damaged, delete it: the worktree is found again by its registration", file, err)
	}
	if r.Version > recordVersion {
		return nil, fmt.Errorf("%s: version %d is newer than this tendril knows", file, r.Version)
	}
	return &r, nil
}

// save writes the record so that a crash leaves the old or the new one.
func (m *Manager) save(r record) error {
	r.Version = recordVersion
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("worktree %s: %w", r.Name, err)
	}
	if err := maybe.WriteFile(m.stem(r.Name)+recordSuffix, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("worktree %s: %w", r.Name, err)
	}
	return nil
}

// forget deletes everything remembered of a name, the record last, so that a crash forgets nothing half.
func (m *Manager) forget(name string) error {
	others, err := filepath.Glob(m.stem(name) + indexSuffix + "*")
	if err != nil {
		return fmt.Errorf("worktree %s: %w", name, err)
	}
	for _, file := range append(others, m.stem(name)+madeSuffix, m.stem(name)+recordSuffix) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("worktree %s: %w", name, err)
		}
	}
	return nil
}

// records returns every record, by name, and by name why one cannot be read: it stops nobody but its own worktree.
func (m *Manager) records() ([]record, map[string]error, error) {
	entries, err := os.ReadDir(m.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("worktrees: %w", err)
	}
	var all []record
	damaged := map[string]error{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordSuffix)
		if !ok {
			continue
		}
		switch r, err := m.load(name); {
		case err != nil:
			damaged[name] = err
		case r != nil:
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, func(a, b record) int { return strings.Compare(a.Name, b.Name) })
	return all, damaged, nil
}

// freeSlot is the smallest number from 1 that no other worktree has.
func freeSlot(all []record, name string) int {
	for slot := 1; ; slot++ {
		taken := slices.ContainsFunc(all, func(r record) bool { return r.Name != name && r.Slot == slot })
		if !taken {
			return slot
		}
	}
}

// makePrivateDir makes a folder, and those it lies in, that nobody else may look into.
func makePrivateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	return nil
}
