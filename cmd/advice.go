package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"tendril/internal/git"
	"tendril/internal/term"
)

// errorText is an error as a person reads it: what was wrong and where on the first line, what to do on those below it,
// set in. What a plan, git or an agent wrote is in messages too: it must not reach the terminal as commands.
func errorText(err error) string {
	lines := strings.Split(strings.TrimSpace(term.CleanText(err.Error())), "\n")
	if len(lines) == 1 || !hasStep(lines) {
		if step := advice(err); step != "" {
			lines = append(lines, step)
		}
	}
	var b strings.Builder
	b.WriteString("tendril: " + lines[0] + "\n")
	for _, l := range lines[1:] {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if !strings.HasPrefix(l, "  ") {
			l = "  " + l
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

// hasStep reports whether a message says what to do already: what Tendril says of it is set in, what git says is not.
func hasStep(lines []string) bool {
	for _, l := range lines[1:] {
		if strings.HasPrefix(l, "  ") {
			return true
		}
	}
	return false
}

// noTempDir reports that the folder for temporary files is not there: whatever needs one stumbles over it.
func noTempDir() bool {
	_, err := os.Stat(os.TempDir())
	return errors.Is(err, fs.ErrNotExist)
}

// advice is the next step where an error does not name one.
func advice(err error) string {
	var usage *usageError
	var failed *git.Error
	var path *fs.PathError
	var call *os.SyscallError
	switch {
	case errors.Is(err, fs.ErrNotExist) && noTempDir():
		return "TMPDIR names a folder that is not there: make it, or unset TMPDIR"
	case errors.As(err, &usage):
		return "see tendril help"
	case errors.Is(err, context.Canceled):
		return "it was interrupted; nothing is left half done: call again"
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long: call again, with --verbose"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: make room, then call again"
	case errors.Is(err, syscall.EROFS):
		return "it lies on a file system that cannot be written to"
	case errors.Is(err, fs.ErrPermission):
		return "you have no right to do that there: call as the owner, or have the right given to you"
	case git.Advice(err) != "":
		return git.Advice(err)
	case errors.As(err, &failed), errors.As(err, &path), errors.As(err, &call):
		return "tendril doctor looks for what is wrong here"
	default:
		return ""
	}
}
