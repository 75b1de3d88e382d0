//go:build unix

package proc

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts the child into a process group of its own, so that its descendants can be ended with it and a Ctrl-C at
// the terminal reaches only us.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func terminateGroup(pgid int) error { return signalGroup(pgid, syscall.SIGTERM) }

// killGroup ends what is left of the group; a group that is gone is what was wanted.
func killGroup(pgid int) { _ = signalGroup(pgid, syscall.SIGKILL) }

func signalGroup(pgid int, sig syscall.Signal) error {
	err := syscall.Kill(-pgid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
