// Package proc runs and ends child processes: argv, never a shell; a process group of their own; no terminal; a time
// limit; both pipes drained; nothing left behind.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// DefaultGrace is the time between asking a process group to end (SIGTERM) and killing it.
const DefaultGrace = 3 * time.Second

// Cmd describes one child process that is waited for.
type Cmd struct {
	// Argv is the program and its arguments; no shell reads it.
	Argv []string
	// Dir is the working directory; empty is this process's.
	Dir string
	// Env is the whole environment; nil is an empty one.
	Env []string
	// Stdin is closed after its end; nil is the null device.
	Stdin io.Reader
	// Stdout and Stderr receive the output as it comes; nil drops it.
	Stdout, Stderr io.Writer
	// Timeout ends the child and its group; zero is no limit beyond the context's.
	Timeout time.Duration
	// Grace is the time between TERM and KILL; zero is DefaultGrace.
	Grace time.Duration
	// Mark, when set ("NAME=value"), finds descendants that left the group by their environment and ends them too.
	Mark string
}

// Result says how a child ended.
type Result struct {
	// ExitCode is the child's, or -1 when a signal ended it.
	ExitCode int
	// TimedOut is true when Timeout ended it.
	TimedOut bool
	// Elapsed is the wall time from start to end.
	Elapsed time.Duration
}

// Run starts the child, waits for it and leaves nothing of its group behind. A non-zero exit is no error: it is in the
// Result. The error is for a child that could not be started, or a context that ended first (then wrapping ctx.Err()).
func Run(ctx context.Context, c Cmd) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{ExitCode: -1}, errors.New("proc: empty command")
	}
	grace := c.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	runCtx := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		runCtx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	cmd := exec.CommandContext(runCtx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Stdin, c.Stdout, c.Stderr
	cmd.Env = c.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return terminateGroup(cmd.Process.Pid) }
	cmd.WaitDelay = grace
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	waitErr := cmd.Wait()
	killGroup(cmd.Process.Pid)
	if c.Mark != "" {
		KillMarked(c.Mark)
	}
	res := Result{ExitCode: cmd.ProcessState.ExitCode(), Elapsed: time.Since(start)}
	if ctx.Err() != nil {
		return res, fmt.Errorf("%s: %w", c.Argv[0], ctx.Err())
	}
	if runCtx.Err() != nil {
		res.TimedOut = true
		return res, nil
	}
	if exit := (*exec.ExitError)(nil); waitErr != nil && !errors.As(waitErr, &exit) && !errors.Is(waitErr, exec.ErrWaitDelay) {
		return res, fmt.Errorf("wait for %s: %w", c.Argv[0], waitErr)
	}
	return res, nil
}
