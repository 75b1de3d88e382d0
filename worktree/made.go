package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
)

// remembered is what checks made in a worktree: path to the SHA-256 of the content.
type remembered struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"`
}

// Remember notes untracked files as made by a check: while they have this content they stay out of every commit of
// leftovers, and Unmade leaves them out. Paths have slashes; what is no plain file or link is passed over.
func (w *Workspace) Remember(paths []string) error {
	all, err := w.made()
	if err != nil {
		return err
	}
	for _, p := range paths {
		if sum, err := w.hash(p); err == nil {
			all[p] = sum
		}
	}
	for p := range all {
		if !exists(w.file(p)) {
			delete(all, p)
		}
	}
	data, err := json.MarshalIndent(remembered{Version: 1, Files: all}, "", "  ")
	if err != nil {
		return fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	if err := maybe.WriteFile(w.stem+madeSuffix, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	return nil
}

// Unmade returns the changes less the untracked files that a check made and nobody changed since.
func (w *Workspace) Unmade(all []Change) ([]Change, error) {
	made, err := w.made()
	if err != nil || len(made) == 0 {
		return all, err
	}
	var rest []Change
	for _, c := range all {
		if sum, ok := made[c.Path]; ok && c.Untracked {
			if now, err := w.hash(c.Path); err == nil && now == sum {
				continue
			}
		}
		rest = append(rest, c)
	}
	return rest, nil
}

func (w *Workspace) made() (map[string]string, error) {
	data, err := os.ReadFile(w.stem + madeSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	var r remembered
	if err := json.Unmarshal(data, &r); err != nil || r.Files == nil {
		// A damaged memory costs a few files too many in a commit, and that is shown to a person.
		return map[string]string{}, nil
	}
	return r.Files, nil
}

// hash is of a plain file's content, or of a link's target.
func (w *Workspace) hash(path string) (string, error) {
	file := w.file(path)
	info, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "link %s", target)
	case info.Mode().IsRegular():
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }() // read only
		if _, err := io.Copy(sum, f); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("%s is neither file nor link", path)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// file is where a path of the repository lies.
func (w *Workspace) file(path string) string { return filepath.Join(w.Path, filepath.FromSlash(path)) }
