package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// TempDir is t.TempDir without symbolic links in its path, as git reports paths.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Write writes dir/path (path slash-separated), with the folders it needs; an existing file keeps its mode.
func Write(t testing.TB, dir, path, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// WriteScript is Write for a file that can be executed.
func WriteScript(t testing.TB, dir, path, content string) string {
	t.Helper()
	Write(t, dir, path, content)
	file := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// Read returns the content of dir/path (path slash-separated).
func Read(t testing.TB, dir, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
