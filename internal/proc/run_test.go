//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// eventually polls until ok, for at most ten seconds.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatal("not within ten seconds")
		case <-look.C:
		}
	}
}

// sh is a command that runs script with the test's PATH.
func sh(script string) Cmd {
	return Cmd{Argv: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

// pidFrom reads the pid that a script wrote.
func pidFrom(t *testing.T, file string) Identity {
	t.Helper()
	var id Identity
	eventually(t, func() bool {
		raw, err := os.ReadFile(file)
		if err != nil || !bytes.HasSuffix(raw, []byte("\n")) {
			return false
		}
		id.PID, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		return err == nil
	})
	return id
}

func gone(pid int) bool {
	_, err := Identify(pid)
	return errors.Is(err, ErrGone)
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, stdin, out, err string
		exit                          int
	}{
		{name: "output apart", script: "echo out; echo err >&2; exit 7", out: "out\n", err: "err\n", exit: 7},
		{name: "stdin ends", script: "cat", stdin: "hello", out: "hello"},
		{name: "no stdin is an empty one", script: "cat; echo end", out: "end\n"},
		{name: "stdin that nobody reads", script: "exit 3", stdin: strings.Repeat("x", 1<<20), exit: 3},
		{name: "ended by a signal", script: "kill -9 $$", exit: -1},
		{name: "a program that is not there", script: "/does/not/exist 2>/dev/null", exit: 127},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			cmd := sh(c.script)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if c.stdin != "" {
				cmd.Stdin = strings.NewReader(c.stdin)
			}
			res, err := Run(t.Context(), cmd)
			if err != nil || res.ExitCode != c.exit || res.TimedOut {
				t.Fatalf("%+v, %v; want exit %d", res, err, c.exit)
			}
			if out.String() != c.out || errs.String() != c.err {
				t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
			}
		})
	}
}

func TestRunKeepsTheOrderOfBothStreams(t *testing.T) {
	t.Parallel()
	tail := NewTail(1 << 10)
	cmd := sh("echo a; echo b >&2; echo c; echo d >&2")
	cmd.Stdout, cmd.Stderr = tail, tail
	if _, err := Run(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	if got := string(tail.Bytes()); got != "a\nb\nc\nd\n" {
		t.Errorf("got %q", got)
	}
}

func TestRunThatCannotStart(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), Cmd{}); err == nil {
		t.Error("an empty command started")
	}
	var out bytes.Buffer
	if _, err := Run(t.Context(), Cmd{Argv: []string{"/does/not/exist"}, Stdout: &out}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want not exist", err)
	}
}

func TestRunGivesTheEnvironmentItIsGiven(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	cmd := Cmd{Argv: []string{"/usr/bin/env"}, Stdout: &out}
	if _, err := Run(t.Context(), cmd); err != nil || out.Len() != 0 {
		t.Errorf("no environment: %q, %v", out.String(), err)
	}
	cmd.Env, cmd.Mark = []string{"A=1"}, "MARK=x"
	if _, err := Run(t.Context(), cmd); err != nil || out.String() != "A=1\nMARK=x\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// Lesson 69 and 92: nothing goes on after the limit, not even what ignores TERM.
func TestRunEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	cmd := sh("trap '' TERM; (trap '' TERM; exec sleep 600) & echo $! > " + file + "; wait; sleep 600")
	cmd.Timeout, cmd.Grace = 300*time.Millisecond, 200*time.Millisecond
	res, err := Run(t.Context(), cmd)
	if err != nil || !res.TimedOut {
		t.Fatalf("%+v, %v; want a timeout", res, err)
	}
	child := pidFrom(t, file).PID
	eventually(t, func() bool { return gone(child) })
	if res.Elapsed > 5*time.Second {
		t.Errorf("took %s", res.Elapsed)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, sh("sleep 600")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// Lesson 67: a background child in the group holds the pipe open; it is ended, what was printed is kept.
func TestRunDoesNotWaitForWhoHoldsThePipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	var out bytes.Buffer
	cmd := sh("sleep 600 & echo $! > " + file + "; echo result")
	cmd.Stdout = &out
	res, err := Run(t.Context(), cmd)
	if err != nil || res.ExitCode != 0 || out.String() != "result\n" {
		t.Fatalf("%+v, %v, %q", res, err, out.String())
	}
	if res.Elapsed > draining {
		t.Errorf("took %s although the holder is in the group", res.Elapsed)
	}
	child := pidFrom(t, file).PID
	eventually(t, func() bool { return gone(child) })
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestRunReportsAWriterThatFails(t *testing.T) {
	t.Parallel()
	cmd := sh("while :; do echo x || exit; done")
	cmd.Stdout, cmd.Timeout = brokenWriter{}, time.Minute
	if _, err := Run(t.Context(), cmd); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

func TestOneWriterForBothStreamsLosesNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	res, err := Run(t.Context(), Cmd{
		Argv: []string{"sh", "-c", "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done"}, Env: os.Environ(), Stdout: &out, Stderr: &out,
	})
	if err != nil || res.ExitCode != 0 {
		t.Fatalf("exit %d, %v", res.ExitCode, err)
	}
	want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nout 4\nerr 4\nout 5\nerr 5\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
