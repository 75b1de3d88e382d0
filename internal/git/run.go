package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tendril/internal/proc"
)

// Error is a git process that exited with another code than 0.
type Error struct {
	// Args are the subcommand and its arguments, without the engine's own flags.
	Args []string
	// ExitCode is git's; -1 when a signal or the time limit ended it.
	ExitCode int
	// Stderr is what git said, less surrounding white space.
	Stderr string
}

func (e *Error) Error() string {
	said := e.Stderr
	if said == "" {
		said = fmt.Sprintf("exit code %d", e.ExitCode)
	}
	return fmt.Sprintf("git %s: %s", strings.Join(e.Args, " "), said)
}

// ExitCode returns the exit code of a git process that failed, and whether err is such a failure.
func ExitCode(err error) (int, bool) {
	var ge *Error
	if errors.As(err, &ge) {
		return ge.ExitCode, true
	}
	return 0, false
}

// Do runs git and returns its standard output. An exit code other than 0 is an *Error.
//
// git starts in the common directory, not where this process stands: that may be a worktree that is removed meanwhile, and
// a pathspec must not depend on it.
func (r *Repo) Do(ctx context.Context, c Call) ([]byte, error) { return r.do(ctx, c, r.CommonDir) }

// doInside is Do with git started in the worktree's top, where relative paths mean those of the worktree.
func (r *Repo) doInside(ctx context.Context, c Call) ([]byte, error) { return r.do(ctx, c, r.Dir) }

func (r *Repo) do(ctx context.Context, c Call, dir string) ([]byte, error) {
	for try := 1; ; try++ {
		out, err := r.doOnce(ctx, c, dir)
		if !halfMade(err) || try >= halfMadeTries {
			return out, err
		}
		timer := time.NewTimer(halfMadePause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return out, err
		case <-timer.C:
		}
	}
}

// halfMadeTries and halfMadePause are how long another git may take to write the file that it has made.
const (
	halfMadeTries = 10
	halfMadePause = 20 * time.Millisecond
)

// halfMade reports whether git died of a worktree that another git was just making: it lists the worktrees before it does
// anything, and dies of a commondir that is empty still.
func halfMade(err error) bool {
	var ge *Error
	return errors.As(err, &ge) && strings.Contains(ge.Stderr, "failed to read ") && strings.Contains(ge.Stderr, "/commondir: ")
}

func (r *Repo) doOnce(ctx context.Context, c Call, dir string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	cmd := proc.Cmd{
		Argv: append(append([]string{"git"}, r.engineFlags(c)...), c.Args...), Env: r.environ(c), Dir: dir,
		Stdout: &stdout, Stderr: &stderr, Timeout: timeout,
	}
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	res, err := proc.Run(ctx, cmd)
	if err != nil {
		return nil, err
	}
	if res.TimedOut {
		return nil, &Error{Args: c.Args, ExitCode: -1, Stderr: fmt.Sprintf("took longer than %s and was ended", timeout)}
	}
	if res.ExitCode != 0 {
		return stdout.Bytes(), &Error{Args: c.Args, ExitCode: res.ExitCode, Stderr: strings.TrimSpace(stderr.String())}
	}
	return stdout.Bytes(), nil
}
