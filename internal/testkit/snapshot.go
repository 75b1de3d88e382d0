package testkit

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// State is what Snapshot saw of a checkout: one entry per thing, named "kind name":
//
//	HEAD            what HEAD names
//	ref NAME        the object of a ref; a symbolic ref's target
//	index PATH      each stage's mode and blob, and the assume-unchanged, skip-worktree flags
//	status PATH     the two letters of git status
//	config, stash, exclude
//	hook NAME       mode and content
//	state NAME      MERGE_HEAD, rebase-merge and the like, while they are there
//	file PATH       mode and content of a file; target of a link; "folder" for an empty folder
type State struct{ entries map[string]string }

// Snapshot records everything of a checkout that belongs to a person, and changes nothing: not even the index's cached
// times. Objects and reflogs are left out, and so is the runtime folder of Tendril.
func Snapshot(t testing.TB, dir string) State {
	t.Helper()
	s := State{entries: map[string]string{}}
	s.addGit(t, dir)
	s.addFiles(t, dir)
	return s
}

// Without is the state less the entries whose name begins with one of the prefixes ("ref refs/heads/tendril/", "file
// plans/").
func (s State) Without(prefixes ...string) State {
	out := State{entries: map[string]string{}}
	for name, value := range s.entries {
		if !hasAnyPrefix(name, prefixes) {
			out.entries[name] = value
		}
	}
	return out
}

// Get is one entry's value, empty where there is none.
func (s State) Get(name string) string { return s.entries[name] }

// Diff says what is otherwise in after: a line for each entry gone, new or changed, with both contents where they are
// text. It is empty when nothing is.
func (s State) Diff(after State) string {
	names := map[string]bool{}
	for name := range s.entries {
		names[name] = true
	}
	for name := range after.entries {
		names[name] = true
	}
	var b strings.Builder
	for _, name := range sortedKeys(names) {
		was, had := s.entries[name]
		is, has := after.entries[name]
		switch {
		case was == is && had == has:
		case !has:
			fmt.Fprintf(&b, "- %s: %s\n", name, brief(was))
		case !had:
			fmt.Fprintf(&b, "+ %s: %s\n", name, brief(is))
		case strings.Contains(was, "\n") || strings.Contains(is, "\n"):
			fmt.Fprintf(&b, "~ %s:\n%s", name, cmp.Diff(was, is))
		default:
			fmt.Fprintf(&b, "~ %s: %s → %s\n", name, brief(was), brief(is))
		}
	}
	return b.String()
}

// Unchanged fails the test when after differs from the state, and shows how.
func (s State) Unchanged(t testing.TB, after State) {
	t.Helper()
	if diff := s.Diff(after); diff != "" {
		t.Errorf("changed (- gone, + new, ~ changed):\n%s", diff)
	}
}

// addFiles records the worktree, ignored and untracked files included.
func (s State) addFiles(t testing.TB, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if rel == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		value, err := fileValue(path, d)
		if value != "" {
			s.entries["file "+filepath.ToSlash(rel)] = value
		}
		return err
	})
	if err != nil {
		t.Fatalf("snapshot of %s: %v", dir, err)
	}
}

// fileValue is mode and content of one file, empty for a folder that holds something.
func fileValue(path string, d fs.DirEntry) (string, error) {
	switch {
	case d.IsDir():
		inside, err := os.ReadDir(path)
		if err != nil || len(inside) > 0 {
			return "", err
		}
		return "folder", nil
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return "link to " + target, err
	case !d.Type().IsRegular():
		return d.Type().String(), nil
	}
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%04o %s", info.Mode().Perm(), text(data)), err
}

// text is data as an entry's value: itself where it is short, else its size and hash.
func text(data []byte) string {
	if len(data) > 4096 {
		return fmt.Sprintf("%d bytes, sha256 %x", len(data), sha256.Sum256(data))
	}
	return string(data)
}

func brief(s string) string {
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return fmt.Sprintf("%q", s)
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
