package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"tendril/internal/proc"
)

// RefTransaction is a `git update-ref --stdin` that holds refs locked between its preparation and its end. When this
// process dies, git sees the end of its input and lets go.
type RefTransaction struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
	ended  bool
}

// RefRefusedError says that git did not take a step of a ref transaction: the ref is elsewhere, or somebody holds its lock.
type RefRefusedError struct {
	// Step is start, update, prepare or commit; Stderr is what git said.
	Step, Stderr string
}

// Error is the step and git's words.
func (e *RefRefusedError) Error() string {
	return fmt.Sprintf("git update-ref %s: %s", e.Step, e.Stderr)
}

// RefTransaction starts git; nothing is locked yet. The words go into the reflog, by the identity (git's own where it is
// empty). The whole transaction may take as long as limit.
func (r *Repo) RefTransaction(ctx context.Context, words string, by Ident, limit time.Duration) (*RefTransaction, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	call := Call{}
	if by.Name != "" || by.Email != "" {
		call.Env = by.CommitterEnv()
	}
	args := append(r.engineFlags(call), "update-ref", "--stdin", "-z")
	if words != "" {
		args = append(args, "-m", words)
	}
	t := &RefTransaction{cmd: exec.CommandContext(ctx, "git", args...), cancel: cancel, stderr: &bytes.Buffer{}}
	t.cmd.Dir = r.CommonDir
	t.cmd.Env, t.cmd.Stderr = r.environ(call), t.stderr
	proc.OwnGroup(t.cmd)
	// Ending it means closing its input; a kill would leave its locks behind.
	t.cmd.Cancel = func() error { return t.in.Close() }
	t.cmd.WaitDelay = 5 * time.Second
	var err error
	var out io.ReadCloser
	if t.in, err = t.cmd.StdinPipe(); err == nil {
		out, err = t.cmd.StdoutPipe()
	}
	if err == nil {
		t.out = bufio.NewReader(out)
		err = t.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("git update-ref: %w", err)
	}
	return t, nil
}

// PID is the process that will hold the locks.
func (t *RefTransaction) PID() int { return t.cmd.Process.Pid }

// Prepare locks ref, which must stand at old, to be moved to id. An error ends the transaction; a *RefRefusedError
// comes from git.
func (t *RefTransaction) Prepare(ref, id, old string) error {
	err := t.say("start", "start\x00")
	if err == nil {
		_, err = fmt.Fprintf(t.in, "update %s\x00%s\x00%s\x00", ref, id, old)
	}
	if err == nil {
		err = t.say("prepare", "prepare\x00")
	}
	if err != nil {
		return t.fail("prepare", err)
	}
	return nil
}

// Commit moves what was prepared and ends the transaction.
func (t *RefTransaction) Commit() error {
	if err := t.say("commit", "commit\x00"); err != nil {
		return t.fail("commit", err)
	}
	return t.end()
}

// Close ends the transaction without moving anything, unless it has ended. It waits until git has let go of its locks.
func (t *RefTransaction) Close() error {
	if t.ended {
		return nil
	}
	// Nothing was committed: how git ends does not matter.
	_ = t.end()
	return nil
}

// say sends one command and waits for git's "NAME: ok".
func (t *RefTransaction) say(name, command string) error {
	if _, err := io.WriteString(t.in, command); err != nil {
		return err
	}
	line, err := t.out.ReadString('\n')
	if err != nil {
		return err
	}
	if strings.TrimSpace(line) != name+": ok" {
		return fmt.Errorf("git update-ref answered %q", line)
	}
	return nil
}

// fail ends the transaction and makes git's own words the error where it has said any.
func (t *RefTransaction) fail(step string, err error) error {
	_ = t.end() // it has failed: its words matter, not its exit code
	if said := strings.TrimSpace(t.stderr.String()); said != "" {
		return &RefRefusedError{Step: step, Stderr: said}
	}
	return fmt.Errorf("git update-ref %s: %w", step, err)
}

func (t *RefTransaction) end() error {
	t.ended = true
	closeErr := t.in.Close()
	waitErr := t.cmd.Wait()
	t.cancel()
	if err := errors.Join(closeErr, waitErr); err != nil {
		return fmt.Errorf("git update-ref: %w", err)
	}
	return nil
}
