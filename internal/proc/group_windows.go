package proc

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// OwnGroup has the child start in a process group of its own.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

func terminate(id Identity) error { return id.Signal(os.Kill) }

// TerminateGroup ends the group's first process: there is no gentler way here, and no way to the others.
func TerminateGroup(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }() // nothing depends on the handle any more
	return p.Kill()
}

// killGroup ends the group's first process; one that is gone is what was wanted.
func killGroup(pid int) {
	if pid > 0 {
		_ = TerminateGroup(pid)
	}
}

// Reap does nothing: there are no zombies here.
func Reap(int) {}

// SignalOf is empty: there are no signals here.
func SignalOf(*os.ProcessState) string { return "" }
