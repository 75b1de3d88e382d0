//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if self.PID != os.Getpid() || self.Start == "" || !self.Alive() {
		t.Fatalf("own identity %+v, alive %v", self, self.Alive())
	}
	if (Identity{}).Alive() || (Identity{PID: self.PID}).Alive() {
		t.Error("an identity without a start time counts as alive")
	}
	for _, pid := range []int{0, -1} {
		if _, err := Identify(pid); !errors.Is(err, ErrGone) {
			t.Errorf("Identify(%d): %v, want ErrGone", pid, err)
		}
	}
}

// Lesson 55: a pid proves nothing; the start time must agree, and no other process may get the signal.
func TestIdentityOfAReusedPID(t *testing.T) {
	t.Parallel()
	cmd, id := startSleeper(t)
	other := Identity{PID: id.PID, Start: id.Start + "0"}
	if other.Alive() {
		t.Error("an identity with another start time counts as alive")
	}
	if err := other.Signal(os.Kill); !errors.Is(err, ErrGone) {
		t.Errorf("signal to a reused pid: %v, want ErrGone", err)
	}
	if !id.Alive() {
		t.Fatal("the process with the same pid was hit")
	}
	if err := id.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Errorf("wait: %v, want an end by signal", err)
	}
	if id.Alive() {
		t.Error("alive after its end")
	}
	if err := id.Signal(os.Kill); !errors.Is(err, ErrGone) {
		t.Errorf("signal after the end: %v, want ErrGone", err)
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	t.Parallel()
	cmd, id := startSleeper(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// Nobody has waited for it: it stays as a zombie.
	eventually(t, func() bool { return !id.Alive() })
	_ = cmd.Wait()
}

// startSleeper starts a process that waits until the test ends.
func startSleeper(t *testing.T) (*exec.Cmd, Identity) {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, id
}
