//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// detachFromTerminal puts a child into a process group of its own: Ctrl-C reaches this process, which ends the child in
// order.
func detachFromTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
