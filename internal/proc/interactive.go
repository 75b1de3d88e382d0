package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"golang.org/x/term"
)

// Interactive describes a program that gets the person's terminal: it stays in this process's session and group, so that
// the keys that end or stop a program reach it, and job control works as if it had been started by the shell.
type Interactive struct {
	// Argv is the program and its arguments, Dir its working directory, Env its whole environment.
	Argv []string
	Dir  string
	Env  []string
	// Stdin, Stdout and Stderr are the terminal's files.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Grace is what the program gets to end in once the terminal is gone or this process is told to end; zero is
	// DefaultGrace.
	Grace time.Duration
	// Started, when set, is told the program's pid once it runs.
	Started func(pid int)
}

// Ended says how an interactive program ended.
type Ended struct {
	// ExitCode is the program's, or -1 when a signal ended it; Signal names that.
	ExitCode int
	Signal   string
	// Told is true when this process was told to end first (the window was closed, a TERM): the program did not choose to.
	Told bool
}

// Run hands the terminal over and returns when the program ended. Ctrl-C and Ctrl-\ are the program's alone. A HUP or TERM
// that this process gets, and an end of ctx, are passed on, and the program is killed after the grace; so this process
// outlives it and can put things in order. After a program that ended badly the terminal is as it was before: that may have
// left it without echo and line by line. A program that cannot be started is an error.
func (i Interactive) Run(ctx context.Context) (Ended, error) {
	if len(i.Argv) == 0 {
		return Ended{ExitCode: -1}, errors.New("proc: empty command")
	}
	cmd := exec.Command(i.Argv[0], i.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = i.Dir, i.Stdin, i.Stdout, i.Stderr
	cmd.Env = append([]string{}, i.Env...)
	// What the program left running may hold its output open, where that is no file.
	cmd.WaitDelay = time.Second
	// To be told of a signal is not to die of it. The program does not inherit that: a handler goes with exec.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, append(keySignals(), tellSignals()...)...)
	defer signal.Stop(signals)
	restore := keepTerminal(i.Stdin)
	if err := cmd.Start(); err != nil {
		return Ended{ExitCode: -1}, fmt.Errorf("start %s: %w", i.Argv[0], err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	if i.Started != nil {
		i.Started(cmd.Process.Pid)
	}
	told := i.await(ctx, cmd, signals, exited)
	ended := Ended{ExitCode: cmd.ProcessState.ExitCode(), Signal: SignalOf(cmd.ProcessState), Told: told}
	if ended.ExitCode != 0 {
		restore()
	}
	return ended, nil
}

// keepTerminal remembers how the terminal is and returns what puts it back; where in is none, that does nothing.
func keepTerminal(in io.Reader) (restore func()) {
	file, ok := in.(*os.File)
	if !ok {
		return func() {}
	}
	state, err := term.GetState(int(file.Fd()))
	if err != nil {
		return func() {}
	}
	return func() {
		defer heedless()()
		// There is nothing to be done about a terminal that is gone.
		_ = term.Restore(int(file.Fd()), state)
	}
}

// await returns once the program ended; it says whether that was asked of it.
func (i Interactive) await(ctx context.Context, cmd *exec.Cmd, signals <-chan os.Signal, exited <-chan error) (told bool) {
	grace := i.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	done, kill := ctx.Done(), (<-chan time.Time)(nil)
	for {
		var pass os.Signal
		select {
		case <-exited: // how it ended is in its state
			return told
		case s := <-signals:
			if !isTold(s) {
				continue
			}
			pass = s
		case <-done:
			pass, done = os.Interrupt, nil
		case <-kill:
			_ = cmd.Process.Kill() // gone already is what was wanted
			continue
		}
		if !told {
			timer := time.NewTimer(grace)
			defer timer.Stop()
			kill = timer.C
		}
		told = true
		_ = cmd.Process.Signal(pass) // gone already is what was wanted
	}
}

func isTold(s os.Signal) bool {
	for _, t := range tellSignals() {
		if s == t {
			return true
		}
	}
	return false
}
