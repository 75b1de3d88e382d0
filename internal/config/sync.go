package config

import (
	"context"

	"tendril/internal/git"
)

// SyncAt is the remote that the configuration of a commit names under sync; empty where it names none. Whatever else the
// file says, and whether it can be read at all, is left to Load.
func SyncAt(ctx context.Context, repo *git.Repo, commit string) (string, error) {
	src, err := fileAt(ctx, repo, commit)
	if err != nil || src == nil {
		return "", err
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
