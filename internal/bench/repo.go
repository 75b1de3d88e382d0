package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
)

// branch is the branch of the repositories made here.
const branch = "main"

// source makes a bare repository with many small files in folders of a hundred, and the extra ones given, in one commit.
// Clones of it are the checkouts to measure on.
func source(ctx context.Context, dir string, files int, extra map[string]string) (string, error) {
	bare := filepath.Join(dir, "source.git")
	if _, err := gitIn(ctx, dir, "init", "--quiet", "--bare", "--initial-branch="+branch, bare); err != nil {
		return "", err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter Bench <bench@example.com> 1700000000 +0000\ndata 5\nstart\n", branch)
	add := func(path, content string) {
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
	}
	for i := range files {
		add(fmt.Sprintf("src/d%04d/f%05d.txt", i/100, i), fmt.Sprintf("file %d\nof a repository to measure on\n", i))
	}
	for path, content := range extra {
		add(path, content)
	}
	_, err := gitInput(ctx, bare, b.Bytes(), "fast-import", "--quiet")
	return bare, err
}

// checkout clones the source into a new folder.
func checkout(ctx context.Context, bare, dir string) error {
	if _, err := gitIn(ctx, filepath.Dir(dir), "clone", "--quiet", bare, dir); err != nil {
		return err
	}
	for key, value := range map[string]string{"user.name": "Bench", "user.email": "bench@example.com", "gc.auto": "0", "maintenance.auto": "false"} {
		if _, err := gitIn(ctx, dir, "config", key, value); err != nil {
			return err
		}
	}
	return nil
}
