// Package check runs one check command on the files as they are: no terminal, a time limit, no secrets, nothing left
// behind. What the result means is for others to say. It imports no room.
package check

import (
	"context"
	"errors"
	"time"
)

// Spec says what to run.
type Spec struct {
	Name string
	// Command is read by bash -eo pipefail (cmd on Windows).
	Command string
	// Timeout ends it and all that it started; zero is none.
	Timeout time.Duration
	Dir     string
	// Env is added to this process's environment less secrets and what belongs to the engine and its agents.
	Env []string
	// Log is a file that gets the whole output; it is made with mode 0600.
	Log string
	// Mark ("NAME=value") is put into the environment, and whatever carries it is ended with the check; empty is one of
	// its own.
	Mark string
}

// Result is how a check ended.
type Result struct {
	// Exit is the exit code, -1 when it was ended by a signal or the time limit.
	Exit int
	// TimedOut: the limit ended it. Flooded: it printed more than MaxLog and was ended for that.
	TimedOut, Flooded bool
	Seconds           float64
	// Tail is the end of the output, TailLimit bytes at most, without terminal sequences.
	Tail []byte
	// SHA256 is of the whole output, in hex.
	SHA256 string
	// NoTests is true when the output of a known test runner says that no test was run.
	NoTests bool
}

// Run runs the command and waits for its end. A failing command is a Result; the error is for one that could not be
// started, a log that could not be written, and a context that ended first (wrapping ctx.Err()).
func Run(ctx context.Context, s Spec) (Result, error) { return Result{}, errors.New("not yet") }
