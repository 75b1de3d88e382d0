package runners

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/crash"
	"tendril/internal/proc"
)

// UnitAttach is the unit of a run in which a person sat at the agent's interactive program. What it cost nobody reports.
const UnitAttach = "attach"

// Attached reports whether the run was a person's at the agent's interactive program.
func (s Spec) Attached() bool { return s.Unit == UnitAttach }

// Attachment is a run that this very process supervises: the agent's interactive program on a session, at a person's
// terminal.
type Attachment struct {
	dir, mark string
	spec      Spec
	argv, env []string
	lock      *flock.Flock
}

// Attach writes down a run of the interactive program on s.Session, and makes this process its supervisor: should it die,
// the run is finished as lost like any other, and what is left of the program is ended. The program is started by Run.
// Errors: a program that is not there, an agent without one, a *BusyError.
func (r Runs) Attach(ctx context.Context, s Spec) (*Attachment, error) {
	s.Unit = UnitAttach
	if err := s.check(); err != nil {
		return nil, err
	}
	argv, err := s.Agent.AttachArgv(Values{Model: s.Model, Effort: s.Effort, Session: s.Session})
	if err != nil {
		return nil, err
	}
	a := &Attachment{dir: r.folder(s.Run), mark: markOf(r.folder(s.Run)), spec: s, env: r.attachEnvironment(s)}
	if argv[0], err = exec.LookPath(argv[0]); err != nil {
		return nil, fmt.Errorf("agent %s: %w\n  install it, or put it on PATH", s.Agent.Name, err)
	}
	a.argv = argv
	if err := r.write(ctx, s); err != nil {
		return nil, err
	}
	self, err := proc.Self()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", s.Run, err)
	}
	a.lock = flock.New(filepath.Join(a.dir, lockFile))
	if held, err := a.lock.TryLock(); err != nil || !held {
		return nil, errors.Join(fmt.Errorf("run %s: its lock is taken", s.Run), err)
	}
	if err := writeJSON(a.dir, supervisorFile, self); err != nil {
		return nil, errors.Join(fmt.Errorf("run %s: %w", s.Run, err), a.lock.Unlock())
	}
	return a, nil
}

// Run hands the terminal to the program, waits for its end, ends what it left running, and writes the outcome. A program
// that could not be started is an error besides.
func (a *Attachment) Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) (Outcome, error) {
	defer func() { _ = a.lock.Unlock() }() // the process ends soon, and with it the lock
	started := time.Now()
	ended, err := proc.Interactive{
		Argv: a.argv, Dir: a.spec.Dir, Env: a.env, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Started: func(pid int) { a.note(pid, started) },
	}.Run(ctx)
	left := proc.Family{Mark: a.mark}.End(context.WithoutCancel(ctx), leftoverGrace)
	out := attachOutcome(a.spec, started)
	out.Seconds, out.Exit, out.Signal, out.Left = time.Since(started).Seconds(), ended.ExitCode, ended.Signal, pids(left)
	switch {
	case err != nil:
		out.Result, out.Err = Failed, &AgentError{Kind: KindOther, Message: err.Error()}
	case ended.Told:
		out.Result, out.Stop = Stopped, "the terminal was closed"
	case ended.ExitCode != 0:
		out.Result, out.Err = Failed, &AgentError{Kind: KindOther, Message: fmt.Sprintf("%s ended with exit code %d", a.spec.Agent.Name, ended.ExitCode)}
	}
	crash.At(crashBeforeOutcome)
	if unwritten := writeOutcome(a.dir, out); unwritten != nil {
		return out, errors.Join(err, fmt.Errorf("run %s: %w", a.spec.Run, unwritten))
	}
	crash.At(crashOutcome)
	return out, err
}

// note writes down which process the program is: where no environment of others can be read it is found by that alone, should
// this process die. It goes on without.
func (a *Attachment) note(pid int, started time.Time) {
	if id, err := proc.Identify(pid); err == nil {
		_ = writeJSON(a.dir, agentFile, agentProcess{Identity: id, Started: started})
	}
}

// attachOutcome is what is known of an attached session: the session goes on, what lies on the desk is there, and what it
// used is unknown. What a session counted before is passed on, so that the next run in it makes up for what is not known.
func attachOutcome(s Spec, started time.Time) Outcome {
	desk := readDesk(s.Dir)
	return Outcome{
		Run: s.Run, Key: s.Key, Unit: s.Unit, Started: started, Result: OK, Session: s.Session, SessionUsage: s.SessionUsage, Model: s.Model,
		Summary: desk.summary, Memory: desk.memory, Findings: desk.findings, ScopeRequest: desk.scopeRequest,
	}
}

// terminalVariables are those of an agent's environment that follow the terminal, where a person sits at it.
var terminalVariables = []string{"TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE", "STY"}

// attachEnvironment is the environment of an agent's run, with the person's terminal.
func (r Runs) attachEnvironment(s Spec) []string {
	base := r.Environ
	if base == nil {
		base = os.Environ()
	}
	env := newVariables(without(r.Environment(s), terminalVariables...))
	for _, kv := range base {
		name, value, _ := strings.Cut(kv, "=")
		for _, t := range terminalVariables {
			if name == t {
				env.set(name, value)
			}
		}
	}
	return env.list()
}

// lostAttachment ends what is left of an attached session whose keeper died, and says what is known of it.
func lostAttachment(ctx context.Context, stored storedSpec, program proc.Identity, end ending) Outcome {
	left := proc.Family{Mark: stored.Mark, Leader: program}.End(ctx, stored.Spec.grace())
	out := attachOutcome(stored.Spec, stored.Started)
	out.Exit, out.Result, out.Recovered, out.Left = -1, end.cause, true, pids(left)
	if end.cause == Stopped {
		out.Stop = end.why
	}
	out.Err = &AgentError{Kind: KindOther, Message: end.why}
	return out
}
