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
	// Stdout and Stderr receive the output as it comes; nil drops it. Where both are the same *Tail or file, the order of
	// their writes is kept. A writer is not used any more once Run has returned.
	Stdout, Stderr io.Writer
	// Timeout ends the child and its group; zero is no limit beyond the context's.
	Timeout time.Duration
	// Grace is the time between TERM and KILL; zero is DefaultGrace.
	Grace time.Duration
	// Mark, when set ("NAME=value"), is added to Env and finds descendants that left the group, which are ended too.
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

// Run starts the child, waits for it and leaves nothing of its group behind, nor of what carries its mark. A non-zero exit
// is no error: it is in the Result. The error is for a child that could not be started, a writer that failed, or a context
// that ended first (then wrapping ctx.Err()).
func Run(ctx context.Context, c Cmd) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{ExitCode: -1}, errors.New("proc: empty command")
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	runCtx := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		runCtx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	cmd := c.command(runCtx)
	out, err := connect(cmd, c.Stdout, c.Stderr)
	if err != nil {
		return Result{ExitCode: -1}, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		out.abandon()
		return Result{ExitCode: -1}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	out.copy()
	waitErr := cmd.Wait()
	// The leader is gone: whatever still holds its output open is ended before the rest of the output is awaited.
	killGroup(cmd.Process.Pid)
	if c.Mark != "" {
		Family{Mark: c.Mark}.End(ctx, 0)
	}
	copyErr := out.drain()
	res := Result{ExitCode: cmd.ProcessState.ExitCode(), Elapsed: time.Since(start)}
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return res, fmt.Errorf("%s: %w", c.Argv[0], ctx.Err())
	case runCtx.Err() != nil:
		res.TimedOut = true
	case waitErr != nil && !errors.As(waitErr, &exit) && !errors.Is(waitErr, exec.ErrWaitDelay):
		return res, fmt.Errorf("wait for %s: %w", c.Argv[0], waitErr)
	case copyErr != nil:
		return res, fmt.Errorf("output of %s: %w", c.Argv[0], copyErr)
	}
	return res, nil
}

// command prepares the child: its own group, ended by TERM when ctx is done and by KILL after the grace.
func (c Cmd) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Stdin = c.Dir, c.Stdin
	cmd.Env = append([]string{}, c.Env...)
	if c.Mark != "" {
		cmd.Env = append(cmd.Env, c.Mark)
	}
	OwnGroup(cmd)
	cmd.Cancel = func() error { return TerminateGroup(cmd.Process.Pid) }
	cmd.WaitDelay = c.Grace
	return cmd
}
