package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tendril/plans"
)

// workingCopy is a worktree in which the plans branch is checked out, where a person may have plans open.
type workingCopy struct {
	dir string
}

// workingCopies lists where the plans branch is checked out.
func (p *Project) workingCopies(ctx context.Context) ([]workingCopy, error) {
	all, err := p.Repo.Checkouts(ctx)
	if err != nil {
		return nil, err
	}
	var out []workingCopy
	for _, t := range all {
		if t.Ref == p.Ref && t.Path != "" {
			out = append(out, workingCopy{t.Path})
		}
	}
	return out, nil
}

func (c workingCopy) path(entry *plans.Entry) string {
	return filepath.Join(c.dir, filepath.FromSlash(entry.Plan.Path))
}

// read returns plan.md as it lies there and its text id; nil where there is none.
func (c workingCopy) read(entry *plans.Entry, format string) ([]byte, string, error) {
	data, err := os.ReadFile(c.path(entry))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("read the working copy of %s: %w", entry.Key, err)
	}
	data = asCommitted(data, entry.Plan.Text)
	id, err := plans.TextID(data, format)
	if err != nil {
		// What cannot be read as a plan differs from one that can.
		return data, "", nil
	}
	return data, id, nil
}

// asCommitted gives a file the line endings that it has on the branch, where git writes others into a working tree
// (core.autocrlf, the attribute eol): git itself sees no difference there.
func asCommitted(data, branch []byte) []byte {
	if bytes.Contains(branch, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// EditedError says that the working copy of a plan says something else than the branch.
type EditedError struct {
	Key  plans.Key
	Path string
	// Branch and Edited are the two texts.
	Branch, Edited []byte
}

func (e *EditedError) Error() string {
	return fmt.Sprintf("%s: your working copy differs from what the plans branch has: %s\n  commit it first, or take it along with --with-edits", e.Key, e.Path)
}
