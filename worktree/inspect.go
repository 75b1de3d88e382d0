package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"tendril/internal/git"
	"tendril/internal/redact"
)

const (
	// window is how much of a file is looked at in one piece, overlap how much of it again with the next: a secret is
	// shorter than that.
	window  = 4 << 20
	overlap = 64 << 10
)

// inspect looks for secrets in a changed file that HEAD does not have. why says what else keeps the file out.
func (w *Workspace) inspect(ctx context.Context, r *redact.Redactor, c Change) (secrets []Secret, why string, err error) {
	file := w.file(c.Path)
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil // gone meanwhile: a deletion
	case err != nil:
		return nil, "it cannot be read", nil
	case info.IsDir():
		return nil, "", nil // a submodule, or a file that became a folder
	}
	var found []redact.Finding
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return nil, "it cannot be read", nil
		}
		found = r.Find([]byte(target))
	case info.Mode().IsRegular():
		f, err := os.Open(file)
		if err != nil {
			return nil, "it cannot be read", nil
		}
		found, err = findAll(r, f)
		_ = f.Close() // read only
		if err != nil {
			return nil, "it cannot be read", nil
		}
	default:
		return nil, "neither file nor link", nil
	}
	if len(found) == 0 {
		return nil, "", nil
	}
	added, err := Added(ctx, w.Repo, "HEAD", found)
	for _, f := range added {
		secrets = append(secrets, Secret{c.Path, f.Rule, f.Line})
	}
	return secrets, "", err
}

// maxAdded bounds how many of a file's secrets are named.
const maxAdded = 20

// Added returns those of a file's secrets that stand in no file of a commit: one that does was not added, however it was
// moved. Once one was added, the file's others are taken for added without asking; maxAdded are returned at most.
func Added(ctx context.Context, repo *git.Repo, commit string, found []redact.Finding) ([]redact.Finding, error) {
	known := map[string]bool{}
	for i, f := range found {
		if known[f.Value] {
			continue
		}
		is, err := knownIn(ctx, repo, commit, f.Value)
		if err != nil {
			return nil, err
		}
		if !is {
			return found[i:min(len(found), i+maxAdded)], nil
		}
		known[f.Value] = true
	}
	return nil, nil
}

// knownIn asks git.
func knownIn(ctx context.Context, repo *git.Repo, commit, secret string) (bool, error) {
	// Git looks line by line: the longest one stands for a secret of several.
	longest := ""
	for line := range strings.Lines(secret) {
		if line = strings.TrimSpace(line); len(line) > len(longest) {
			longest = line
		}
	}
	_, err := repo.Do(ctx, git.Call{
		Args:  []string{"grep", "--quiet", "--text", "--fixed-strings", "--no-recurse-submodules", "-f", "-", commit, "--"},
		Stdin: []byte(longest + "\n"),
	})
	if code, failed := git.ExitCode(err); failed && code == 1 {
		return false, nil
	}
	return err == nil, err
}

// findAll looks through a file of any size in windows that overlap.
func findAll(r *redact.Redactor, f io.Reader) ([]redact.Finding, error) {
	var all []redact.Finding
	buf := make([]byte, 0, 64<<10)
	lines := 0 // before buf
	for {
		n := len(buf)
		if cap(buf) < window {
			buf = append(make([]byte, 0, window), buf...)
		}
		got, err := io.ReadFull(f, buf[n:window])
		buf = buf[:n+got]
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return nil, fmt.Errorf("read: %w", err)
		}
		// What begins in the overlap is found whole in the next window.
		end := len(buf)
		if !last {
			end -= overlap
		}
		for _, found := range r.Find(buf) {
			if found.Offset < end {
				found.Line += lines
				all = append(all, found)
			}
		}
		if last {
			return all, nil
		}
		lines += bytes.Count(buf[:end], []byte{'\n'})
		buf = append(buf[:0], buf[end:]...)
	}
}
