package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Detached describes a process that shall outlive this one.
type Detached struct {
	// Argv is the program and its arguments, Dir its working directory, Env its whole environment.
	Argv []string
	Dir  string
	Env  []string
	// Stdout and Stderr are files that the process writes to; nil is the null device.
	Stdout, Stderr *os.File
}

// Start starts the process in a session of its own, without a terminal and with the null device as its stdin, and returns
// its pid. Nobody waits for it: once it ended, Reap(pid) forgets it.
func (d Detached) Start() (pid int, err error) {
	if len(d.Argv) == 0 {
		return 0, errors.New("proc: empty command")
	}
	cmd := exec.Command(d.Argv[0], d.Argv[1:]...)
	cmd.Dir, cmd.Env = d.Dir, d.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	// A nil *os.File in an interface would not be nil.
	if d.Stdout != nil {
		cmd.Stdout = d.Stdout
	}
	if d.Stderr != nil {
		cmd.Stderr = d.Stderr
	}
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w", d.Argv[0], err)
	}
	pid = cmd.Process.Pid
	if err := cmd.Process.Release(); err != nil {
		return pid, fmt.Errorf("let go of %s: %w", d.Argv[0], err)
	}
	return pid, nil
}
