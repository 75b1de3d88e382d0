//go:build unix

package proc

import (
	"os"
	"syscall"
)

// keySignals come from the person's keyboard, and are meant for the program that has the terminal.
func keySignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGQUIT} }

// tellSignals tell this process to end.
func tellSignals() []os.Signal { return []os.Signal{syscall.SIGHUP, syscall.SIGTERM} }
