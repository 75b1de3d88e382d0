//go:build unix

package term

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Foreground reports whether this process may use the terminal w as it likes: one in the background of its shell is stopped
// when it changes the terminal's mode.
func Foreground(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(file.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
