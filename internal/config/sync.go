package config

import (
	"context"
	"fmt"

	"tendril/internal/git"
)

// SyncAt is the remote that the configuration of a commit names under sync; empty where it names none. Whatever else the
// file says, and whether it can be read at all, is left to Load.
func SyncAt(ctx context.Context, repo *git.Repo, commit string) (string, error) {
	listed, err := listFiles(ctx, repo, commit, File)
	if err != nil || len(listed) == 0 || !listed[0].plain() || listed[0].size > MaxBytes {
		return "", err
	}
	src, err := repo.Do(ctx, git.Call{Args: []string{"cat-file", "blob", listed[0].id}})
	if err != nil {
		return "", fmt.Errorf("read %s: %w", File, err)
	}
	return syncKey(File, src), nil
}

// SyncHere is the remote that this machine's own file names under sync.
func SyncHere(repo *git.Repo) (string, error) {
	machine := MachineFile(repo)
	src, err := readMachine(machine)
	if err != nil {
		return "", err
	}
	return syncKey(machine, src), nil
}

func syncKey(path string, src []byte) string {
	name, err := nameKey(path, src, "sync", "write it as origin")
	if err != nil {
		return "" // Load says what is wrong with the file
	}
	return name
}
