package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"tendril/internal/git"
)

// Factory is what commands are made from. What is cheap is a value; what costs something or may fail is a func, so that
// `tendril help` touches nothing. Tests replace the funcs.
type Factory struct {
	IO      IO
	Version Version
	// Global are the options that every command has; they are filled in before a command runs.
	Global *Global
	// Now and NewID are the only clock and source of ids.
	Now   func() time.Time
	NewID func() string
	// Executable is this program's own file, for starting it again.
	Executable func() (string, error)
	// Repo opens the repository that -C or the working directory is in, once.
	Repo func(ctx context.Context) (*git.Repo, error)
	// AgentRun is the id of the agent's run that this process belongs to, empty for a person's.
	AgentRun func() string
}

// Global are the options that every command has.
type Global struct {
	// Dir is where the call starts from: the option -C, else empty for the working directory.
	Dir string
	// JSON asks for documented, stable fields on standard output.
	JSON bool
	// Quiet leaves out what is not data, warning or error; Verbose says more.
	Quiet, Verbose bool
}

// NewFactory makes the factory of a real call.
func NewFactory(io IO, version Version) *Factory {
	f := &Factory{
		IO: io, Version: version, Global: &Global{},
		Now: time.Now, NewID: uuid.NewString, Executable: os.Executable,
	}
	f.AgentRun = func() string { return agentRun(io.Env, 0) }
	var repo once[*git.Repo]
	f.Repo = func(ctx context.Context) (*git.Repo, error) {
		return repo.get(func() (*git.Repo, error) { return openRepo(ctx, f.Global.Dir) })
	}
	return f
}

// once remembers the first answer, error or not. (sync.OnceValues would need its function before the context is known.)
type once[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (o *once[T]) get(make func() (T, error)) (T, error) {
	o.once.Do(func() { o.value, o.err = make() })
	return o.value, o.err
}

func openRepo(ctx context.Context, dir string) (*git.Repo, error) {
	if dir == "" {
		dir = "."
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: you have no right to look into that folder\n  give one that lies in a repository of yours", dir)
	case err != nil:
		return nil, fmt.Errorf("-C %s: there is no such folder\n  give one that lies in a repository", dir)
	case !info.IsDir():
		return nil, fmt.Errorf("-C %s: not a folder\n  give one that lies in a repository", dir)
	}
	// Two processes at once: every command waits for this.
	version := make(chan error, 1)
	go func() { version <- git.CheckVersion(ctx) }()
	repo, err := git.Open(ctx, dir)
	if unfit := <-version; unfit != nil {
		return nil, unfit
	}
	return repo, err
}
