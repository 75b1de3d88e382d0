//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// OwnGroup has the child start in a session, and so in a process group, of its own: its descendants can be ended with it,
// a Ctrl-C at the terminal reaches only us, and /dev/tty cannot be opened to ask a person something.
func OwnGroup(cmd *exec.Cmd) { ownSession(cmd) }

// ownSession takes the child out of our session: no terminal, and nothing that ends ours ends it.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func terminate(id Identity) error { return id.Signal(syscall.SIGTERM) }

// TerminateGroup asks every process of the group to end; a group that is gone is no error.
func TerminateGroup(pgid int) error { return signalGroup(pgid, syscall.SIGTERM) }

// killGroup ends what is left of the group; a group that is gone is what was wanted.
func killGroup(pgid int) {
	if pgid > 0 {
		_ = signalGroup(pgid, syscall.SIGKILL)
	}
}

func signalGroup(pgid int, sig syscall.Signal) error {
	err := syscall.Kill(-pgid, sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// Reap forgets a child that ended, so that it does not stay as a zombie; a child that lives, or a process that is no child
// of ours, is left alone.
func Reap(pid int) {
	if pid > 0 {
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	}
}

// SignalOf names the signal that ended a process; empty when it exited.
func SignalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "SIG" + strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
	}
	return ""
}
