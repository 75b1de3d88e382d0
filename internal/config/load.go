package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tendril/internal/git"
)

// Load reads the configuration of a commit of the plans branch, with the machine's file over it. What is wrong in a file
// is an *Error (several: joined).
func Load(ctx context.Context, repo *git.Repo, commit string) (*Config, error) {
	c, _, err := LoadFiles(ctx, repo, commit)
	return c, err
}

// LoadFiles is Load, and returns the other files of .tendril with it.
func LoadFiles(ctx context.Context, repo *git.Repo, commit string) (*Config, *Files, error) {
	files, err := ReadFiles(ctx, repo, commit)
	if err != nil {
		return nil, nil, err
	}
	c, err := Parse(File, files.Config)
	if err != nil {
		return nil, nil, err
	}
	machine := MachineFile(repo)
	src, err := readMachine(machine)
	if err != nil {
		return nil, nil, err
	}
	if src != nil {
		if c, err = c.Override(machine, src); err != nil {
			return nil, nil, err
		}
	}
	if c.Runner == "" {
		if c.Runner, err = os.Hostname(); err != nil {
			return nil, nil, fmt.Errorf("the host's name, for the key runner: %w\n  write runner: NAME into %s", err, machine)
		}
	}
	return c, files, nil
}

// MachineFile is the file by which one machine overrides the repository's configuration.
func MachineFile(repo *git.Repo) string { return filepath.Join(Runtime(repo), "config.yaml") }

// readMachine returns nil for a file that is not there.
func readMachine(file string) ([]byte, error) {
	src, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("this machine's configuration: %w\n  it must be a plain file that you may read", err)
	case src == nil:
		src = []byte{}
	}
	return src, nil
}
