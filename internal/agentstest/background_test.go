//go:build agents

package agentstest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// engine is a `tendril run` in the background. It is interrupted at the test's end; what agents it left is ended too.
type engine struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *lockedBuffer
	done chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts tendril in the background.
func (r *rig) start(args ...string) *engine {
	r.t.Helper()
	e := &engine{t: r.t, cmd: exec.Command(program, args...), out: &lockedBuffer{}, done: make(chan struct{})}
	e.cmd.Dir, e.cmd.Env, e.cmd.Stdout, e.cmd.Stderr = r.repo.Dir, r.env, e.out, e.out
	e.cmd.WaitDelay = time.Second
	if err := e.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		defer close(e.done)
		_ = e.cmd.Wait() // its end is what counts
	}()
	r.t.Cleanup(func() {
		_ = e.cmd.Process.Signal(os.Interrupt) // it may have ended
		select {
		case <-e.done:
		case <-time.After(limit):
			_ = e.cmd.Process.Kill()
			<-e.done
		}
		r.run("stop", "--all", "--quiet")
	})
	return e
}

// waits for something, looking again and again.
func (r *rig) waitFor(what string, there func() bool) {
	r.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if there() {
			return
		}
	}
	r.t.Fatalf("never came: %s\n%s", what, r.story())
}

// outcomes are the files of the runs that ended, oldest first.
func (r *rig) outcomes() []string {
	names, err := filepath.Glob(filepath.Join(r.repo.Dir, ".git", "tendril", "runs", "*", "outcome.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	return names
}
