package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"tendril/lifecycle"
)

// superviseCommand is the hidden command that keeps one agent run.
const superviseCommand = "supervise"

// life opens the project over which the commands of plans work. Close it.
func (f *Factory) life(ctx context.Context) (*lifecycle.Project, error) {
	repo, err := f.Repo(ctx)
	if err != nil {
		return nil, err
	}
	self, err := f.self()
	if err != nil {
		return nil, err
	}
	return lifecycle.Open(ctx, repo, lifecycle.Deps{
		Now: f.Now, NewID: f.NewID, Self: []string{self, superviseCommand},
	})
}

// self is the program to start for a supervisor: as it was called where that can be found, so that a link that was
// followed to this binary goes on naming it.
func (f *Factory) self() (string, error) {
	if called, err := exec.LookPath(os.Args[0]); err == nil && filepath.Base(os.Args[0]) == "tendril" {
		return filepath.Abs(called)
	}
	return f.Executable()
}

// withLife opens the project for one command.
func (f *Factory) withLife(ctx context.Context, do func(*lifecycle.Project) error) error {
	p, err := f.life(ctx)
	if err != nil {
		return err
	}
	// What the project held open ends with the process at the latest.
	defer func() { _ = p.Close() }()
	return do(p)
}
