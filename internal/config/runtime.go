package config

import (
	"fmt"
	"os"
	"path/filepath"

	"tendril/internal/git"
)

// Runtime is the folder of what belongs to this clone and to no commit: locks, journal, runs, transcripts, ledger. It is
// shared by all worktrees. Nothing is created.
func Runtime(repo *git.Repo) string { return filepath.Join(repo.CommonDir, "tendril") }

// EnsureRuntime creates the runtime folder where it is missing, and closes it to others (mode 0700): transcripts may
// hold what nobody else should read.
func EnsureRuntime(repo *git.Repo) (string, error) {
	dir := Runtime(repo)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("runtime folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("runtime folder: %w", err)
	}
	return dir, nil
}
