package git

import (
	"os/exec"
	"syscall"
)

// detachFromTerminal puts a child into a process group of its own: Ctrl-C reaches this process, which ends the child in
// order.
func detachFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
