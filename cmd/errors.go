package cmd

import (
	"errors"
	"fmt"
)

// Exit codes, the same for every command.
const (
	ExitOK         = 0 // done
	ExitFailed     = 1 // it did not work: repository, config, plan, refused transition
	ExitUsage      = 2 // the call was wrong
	ExitPlanFailed = 3 // run --once went through, and a plan failed
)

// usageError is a call that was wrong: exit code 2, and nothing on standard output.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string {
	if e.hint == "" {
		return e.msg
	}
	return e.msg + "\n  " + e.hint
}

// usagef makes a usageError; hint says what to do and may be empty.
func usagef(hint, format string, args ...any) error {
	return &usageError{msg: fmt.Sprintf(format, args...), hint: hint}
}

// planFailed ends `run --once` that went through although plans failed: exit code 3.
type planFailed struct{ keys []string }

func (e *planFailed) Error() string {
	if len(e.keys) == 1 {
		return fmt.Sprintf("plan %s failed\n  see tendril show %s", e.keys[0], e.keys[0])
	}
	return fmt.Sprintf("%d plans failed\n  see tendril list --status failed", len(e.keys))
}

// errSaid ends a command with exit code 1 that has already printed all there is to say: checks that failed, a doctor
// that found something.
var errSaid = errors.New("said already")

// childExited ends a command with the exit code of the person's own command that it ran, which has said what there is to say.
type childExited struct{ code int }

func (e *childExited) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// Is says that there is nothing left to print.
func (e *childExited) Is(target error) bool { return target == errSaid }

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	var usage *usageError
	var failed *planFailed
	var child *childExited
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &child) && child.code > 0:
		return child.code
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &failed):
		return ExitPlanFailed
	}
	return ExitFailed
}
