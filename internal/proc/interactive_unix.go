//go:build unix

package proc

import (
	"os"
	"os/signal"
	"syscall"
)

// keySignals come from the person's keyboard, and are meant for the program that has the terminal.
func keySignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGQUIT} }

// tellSignals tell this process to end.
func tellSignals() []os.Signal { return []os.Signal{syscall.SIGHUP, syscall.SIGTERM} }

// heedless lets this process set the terminal from the background too, where a program that was killed left it: the system
// would stop it otherwise. The func it returns ends that.
func heedless() (end func()) {
	signal.Ignore(syscall.SIGTTOU)
	return func() { signal.Reset(syscall.SIGTTOU) }
}
