package proc

import (
	"errors"
	"fmt"
	"os"
)

// Identity names one process for good: its pid, and when it started, since pids are used again.
type Identity struct {
	PID int `json:"pid"`
	// Start is the system's own word for the start time, with the boot it counts from; to be compared, not read.
	Start string `json:"start"`
}

// ErrGone says that a process is not there any more, or that its pid now belongs to another.
var ErrGone = errors.New("process is gone")

// Self returns the identity of this process.
func Self() (Identity, error) { return Identify(os.Getpid()) }

// Identify returns the identity of the living process pid. A process that ended, waited for or not, gives ErrGone.
func Identify(pid int) (Identity, error) {
	if pid <= 0 {
		return Identity{}, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	start, err := startOf(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Identity{PID: pid, Start: start}, nil
}

// Alive reports whether exactly this process lives. A zombie does not.
func (id Identity) Alive() bool {
	if id.PID <= 0 || id.Start == "" {
		return false
	}
	now, err := Identify(id.PID)
	return err == nil && now == id
}

// Signal sends sig to exactly this process, never to another that got its pid: on Linux the process is held by a handle
// while it is compared. A process that is not there any more gives ErrGone.
func (id Identity) Signal(sig os.Signal) error {
	if id.PID <= 0 {
		return fmt.Errorf("process %d: %w", id.PID, ErrGone)
	}
	// The handle comes first: what is compared below is what it holds.
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return fmt.Errorf("process %d: %w", id.PID, ErrGone)
	}
	defer func() { _ = p.Release() }() // nothing depends on the handle any more
	if !id.Alive() {
		return fmt.Errorf("process %d: %w", id.PID, ErrGone)
	}
	if err := p.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("process %d: %w", id.PID, ErrGone)
	} else if err != nil {
		return fmt.Errorf("signal process %d: %w", id.PID, err)
	}
	return nil
}

// Terminate asks exactly this process to end; on Windows, where one cannot be asked, it is ended. A process that is not there
// any more gives ErrGone.
func (id Identity) Terminate() error { return terminate(id) }
