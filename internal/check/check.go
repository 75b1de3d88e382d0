// Package check runs one check command on the files as they are: no terminal, a time limit, no secrets, nothing left
// behind. What the result means is for others to say. It imports no room.
package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/uuid"

	"tendril/internal/proc"
)

const (
	// TailLimit is how much of the end of the output a Result carries, in bytes.
	TailLimit = 64 << 10
	// DefaultMaxLog is the greatest output of a check, in bytes: what prints more would fill the disk in the end.
	DefaultMaxLog = 4 << 30
	// MarkName is the variable by which what a check started is found.
	MarkName = "TENDRIL_CHECK"
)

// Spec says what to run.
type Spec struct {
	// Name is the check's, for messages.
	Name string
	// Command is read by bash -eo pipefail (cmd on Windows).
	Command string
	// Timeout ends it and all that it started; zero is none.
	Timeout time.Duration
	// Dir is where it runs.
	Dir string
	// Env is added to this process's environment less what Environ leaves out.
	Env []string
	// Log is a file that gets the whole output; it is made with mode 0600, its folder must be there.
	Log string
	// Mark ("NAME=value") is put into the environment, and whatever carries it is ended with the check; empty is one of
	// its own.
	Mark string
	// MaxLog is the output, in bytes, at which the check is ended; zero is DefaultMaxLog.
	MaxLog int64
}

// Result is how a check ended.
type Result struct {
	// Exit is the exit code, 128 and more for a signal, -1 when the time limit or the size of its output ended it, or it ended
	// its own parent.
	Exit int
	// TimedOut: the limit ended it. Flooded: it printed more than MaxLog and was ended for that.
	TimedOut, Flooded bool
	// Seconds is the wall time.
	Seconds float64
	// Tail is the end of the output, TailLimit bytes at most, as text: no terminal sequences, UTF-8.
	Tail []byte
	// SHA256 is of the whole log, in hex.
	SHA256 string
	// NoTests is true when the output of a known test runner says that no test was run.
	NoTests bool
}

// Passed reports whether the check ended with code 0 and ran what it was to run.
func (r Result) Passed() bool { return r.Exit == 0 && !r.TimedOut && !r.Flooded && !r.NoTests }

// Run runs the command and waits for its end. A failing command is a Result; the error is for one that could not be
// started, a log that could not be written, and a context that ended first (wrapping ctx.Err()).
func Run(ctx context.Context, s Spec) (Result, error) {
	argv, err := shell(s.Command)
	if err != nil {
		return Result{}, fmt.Errorf("check %s: %w", s.Name, err)
	}
	if s.Mark == "" {
		s.Mark = MarkName + "=" + uuid.NewString()
	}
	flooded := errors.New("too much output")
	runCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c, err := startCapture(s.Log, maxLog(s), func() { cancel(flooded) })
	if err != nil {
		return Result{}, fmt.Errorf("check %s: %w", s.Name, err)
	}
	res, runErr := proc.Run(runCtx, proc.Cmd{
		Argv: argv, Dir: s.Dir, Env: append(Environ(os.Environ(), s.Dir), s.Env...), Stdout: c.childEnd, Stderr: c.childEnd,
		Timeout: s.Timeout, Mark: s.Mark,
	})
	out, logErr := c.finish()
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("check %s: %w", s.Name, ctx.Err())
	}
	result := Result{
		Exit: res.ExitCode, TimedOut: res.TimedOut, Seconds: res.Elapsed.Seconds(), Tail: out.tail, SHA256: out.sum, NoTests: out.noTests,
		Flooded: context.Cause(runCtx) == flooded,
	}
	switch {
	case logErr != nil:
		return Result{}, fmt.Errorf("check %s: %w", s.Name, logErr)
	case runErr != nil && !result.Flooded:
		return Result{}, fmt.Errorf("check %s: %w", s.Name, runErr)
	}
	if result.TimedOut || result.Flooded {
		result.Exit = -1
	}
	return result, nil
}

func maxLog(s Spec) int64 {
	if s.MaxLog > 0 {
		return s.MaxLog
	}
	return DefaultMaxLog
}

// keeper is the parent of a command: whoever there kills $PPID fails the check, and does not end the engine. It outlives TERM,
// so that the command has its grace, and says nothing of its own.
const keeper = `trap : TERM; exec 3>&2 2>/dev/null; "$@" 2>&3 3>&-; exit $?`

// shell is how a command of the configuration is run. A pipe that hides a failure, or a failing line that is followed by
// one that does well, fails the check.
func shell(command string) ([]string, error) {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/d", "/c", command}, nil
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, fmt.Errorf("bash is not installed: %w\n  checks are run by bash -eo pipefail; install it or put it on PATH", err)
	}
	// bash is asked for by its own path: a command's PATH must not choose it.
	if bash, err = filepath.Abs(bash); err != nil {
		return nil, fmt.Errorf("where bash is: %w", err)
	}
	return []string{bash, "--norc", "-c", keeper, "check", bash, "-eo", "pipefail", "-c", command}, nil
}
