package git

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Content names a blob and the path whose attributes decide how it looks in a working tree.
type Content struct{ OID, Path string }

// Smudge returns what each blob is as a file of the working tree: line endings and filters as the repository's
// attributes and configuration have them for the path.
func (r *Repo) Smudge(ctx context.Context, wanted []Content) ([][]byte, error) {
	out := make([][]byte, len(wanted))
	var batch []int
	for i, w := range wanted {
		if strings.ContainsAny(w.Path, "\n") || strings.TrimLeft(w.Path, " \t") != w.Path {
			// A line of the batch cannot hold such a path.
			data, err := r.doInside(ctx, Call{Args: []string{"cat-file", "--filters", "--path=" + w.Path, w.OID}})
			if err != nil {
				return nil, err
			}
			out[i] = data
			continue
		}
		batch = append(batch, i)
	}
	if len(batch) == 0 {
		return out, nil
	}
	// The sizes that the batch prints are those before filtering, so contents are told apart by a mark that nobody can
	// have written into a file.
	mark := make([]byte, 16)
	if _, err := rand.Read(mark); err != nil {
		return nil, fmt.Errorf("make a mark: %w", err)
	}
	line := "tendril-" + hex.EncodeToString(mark)
	var in bytes.Buffer
	for _, i := range batch {
		fmt.Fprintf(&in, "%s %s\n", wanted[i].OID, wanted[i].Path)
	}
	raw, err := r.doInside(ctx, Call{Args: []string{"cat-file", "--filters", "--batch=" + line + " %(objecttype)"}, Stdin: in.Bytes()})
	if err != nil {
		return nil, err
	}
	parts := bytes.Split(raw, []byte(line+" blob\n"))
	if len(parts) != len(batch)+1 || len(parts[0]) != 0 {
		return nil, errors.New("git cat-file --filters: a blob is missing")
	}
	for n, i := range batch {
		out[i] = bytes.TrimSuffix(parts[n+1], []byte("\n"))
	}
	return out, nil
}

// Clean returns the ids of the blobs that git would make of files of this worktree. Paths are relative to its top.
func (r *Repo) Clean(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	for _, p := range paths {
		if strings.ContainsRune(p, '\n') || strings.HasPrefix(p, `"`) { // git reads a line that begins so as a quoted name
			return r.cleanEach(ctx, paths)
		}
	}
	raw, err := r.doInside(ctx, Call{
		Args: []string{"hash-object", "--stdin-paths"}, Stdin: []byte(strings.Join(paths, "\n") + "\n"),
	})
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(raw))
	if len(ids) != len(paths) {
		return nil, fmt.Errorf("git hash-object answered %d ids for %d files", len(ids), len(paths))
	}
	return ids, nil
}

// cleanEach is Clean with a process for each file, for names that hold a line break.
func (r *Repo) cleanEach(ctx context.Context, paths []string) ([]string, error) {
	ids := make([]string, len(paths))
	for i, p := range paths {
		raw, err := r.doInside(ctx, Call{Args: []string{"hash-object", "--", p}})
		if err != nil {
			return nil, err
		}
		ids[i] = strings.TrimSpace(string(raw))
	}
	return ids, nil
}
