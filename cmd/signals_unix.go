//go:build unix

package cmd

import (
	"os"
	"syscall"
)

// endSignals end the engine; agents go on.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }
