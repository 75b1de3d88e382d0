package git

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"2.39.0": true, "2.39.5 (Apple Git-154)": true, "2.47.1.windows.1": true, "3.0.0": true, "2.100": true, "2.39-rc1": true,
		"2.38.9": false, "1.99.1": false, "2": false, "": false, "x2.50.1": false,
	} {
		if got := newEnough(version, Oldest); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"error: insufficient permission for adding an object":  "no right to write",
		"fatal: Unable to create '/x/index.lock': File exists": "another git is at work",
		"fatal: bad object 1234":                               "git fsck",
		"fatal: something else":                                "",
	} {
		got := Advice(fmt.Errorf("wrapped: %w", &Error{Args: []string{"x"}, ExitCode: 128, Stderr: said}))
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q", said, got)
		}
	}
	if got := Advice(errors.New("other")); got != "" {
		t.Error(got)
	}
}

// A line end in a path is a path.
func TestOpenUnderALineEnd(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testkit.TempDir(t), "re po\nä")
	testkit.Git(t, filepath.Dir(dir), "init", "--quiet", dir)
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Dir != dir || r.GitDir != filepath.Join(dir, ".git") || r.CommonDir != r.GitDir || r.Format != "sha1" || r.Bare {
		t.Errorf("%+v", r)
	}
}
