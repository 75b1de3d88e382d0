package runners

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/crash"
	"tendril/internal/proc"
)

const (
	// leftoverGrace is what processes that outlive their agent get between TERM and KILL.
	leftoverGrace = time.Second
	// lockWait bounds the wait for the run's lock, which only a Finish can hold.
	lockWait = time.Minute
	// unkillable bounds the wait for an agent that was killed: one in an uninterruptible call may never end.
	unkillable = 10 * time.Second
)

// supervisor is one run's keeper, in a process of its own.
type supervisor struct {
	dir   string
	spec  Spec
	mark  string
	wakes <-chan os.Signal
}

// Supervise is the whole life of the hidden supervise command: it runs the agent that dir describes, watches over it, ends
// it and everything that came of it, and writes the outcome. Its environment is the agent's, its stdout the pipe on which
// the process that started it waits for its word. It takes over the process: signals, and on Linux every orphan below it.
// An error is one of the supervisor's own; whatever becomes of the agent is in the outcome.
func Supervise(ctx context.Context, dir string) error {
	// Before anything can reach this process: TERM asks to look for a stop, the others concern whoever started us. To be
	// told of PIPE is to get an error instead, when nobody waits for our word any more.
	wakes := make(chan os.Signal, 8)
	signal.Notify(wakes, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	defer signal.Stop(wakes)
	stored, err := readSpec(dir)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	lockCtx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	crash.At(crashBeforeClaim)
	if _, err := lock.TryLockContext(lockCtx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("run %s: %w", stored.Spec.Run, err)
	}
	defer func() { _ = lock.Unlock() }() // the process ends, and with it the lock
	s := &supervisor{dir: dir, spec: stored.Spec, mark: stored.Mark, wakes: wakes}
	if err := s.claim(); err != nil {
		return fmt.Errorf("run %s: %w", s.spec.Run, err)
	}
	if exists(dir, outcomeFile) {
		// It was finished as lost before we came up. Nothing is started.
		return s.report()
	}
	out, err := s.run(ctx)
	if err != nil {
		return fmt.Errorf("run %s: %w", s.spec.Run, err)
	}
	crash.At(crashBeforeOutcome)
	if err := writeOutcome(dir, out); err != nil {
		return fmt.Errorf("run %s: %w", s.spec.Run, err)
	}
	crash.At(crashOutcome)
	// Only an agent that never ran has nobody told yet; a second word is for nobody.
	return s.report()
}

// claim makes this process the run's one supervisor.
func (s *supervisor) claim() error {
	if exists(s.dir, outcomeFile) {
		return nil
	}
	if exists(s.dir, supervisorFile) {
		return errors.New("it had a supervisor before; an agent is started once")
	}
	self, err := proc.Self()
	if err != nil {
		return err
	}
	if err := proc.AdoptOrphans(); err != nil {
		s.remark(err)
	}
	if err := writeJSON(s.dir, supervisorFile, self); err != nil {
		return err
	}
	crash.At(crashClaimed)
	return nil
}

// remark writes what is no reason to give up into the supervisor's log.
func (s *supervisor) remark(err error) { fmt.Fprintln(os.Stderr, err) }

// report tells whoever started us that the agent runs, or is known not to. Nobody may be listening any more.
func (s *supervisor) report() error {
	_, _ = fmt.Fprintln(os.Stdout, reportWord)
	_ = os.Stdout.Close()
	return nil
}

// run starts the agent and sees it through to its end.
func (s *supervisor) run(ctx context.Context) (Outcome, error) {
	started := time.Now()
	if stop, asked, err := s.stopAsked(); err != nil {
		return Outcome{}, err
	} else if asked {
		return neverRan(s.spec, started, Stopped, stop.Why), nil
	}
	crash.At(crashBeforeAgent)
	cmd, err := s.start()
	if err != nil {
		return neverRan(s.spec, started, Failed, startError(s.spec, err)), nil
	}
	crash.At(crashAgent)
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	agent := agentProcess{Started: started}
	// An agent that ended already has no identity any more, and needs none.
	if id, err := proc.Identify(cmd.Process.Pid); err == nil {
		agent.Identity = id
	}
	if err := writeJSON(s.dir, agentFile, agent); err != nil {
		s.remark(err) // it is only for whoever looks; the agent goes on
	}
	crash.At(crashAgentKnown)
	_ = s.report()
	crash.At(crashReported)
	end := s.watch(ctx, cmd, exited, started)
	crash.At(crashAgentEnded)
	left := s.family(cmd).End(context.WithoutCancel(ctx), leftoverGrace)
	crash.At(crashCleared)
	return s.outcome(ctx, end, started, left)
}

// family is everything that came of the agent: its group, what carries the run's mark, what has no other parent than us.
func (s *supervisor) family(cmd *exec.Cmd) proc.Family {
	return proc.Family{Group: cmd.Process.Pid, Mark: s.mark, Root: os.Getpid()}
}

// start starts the agent: its own group, its stdin a file that ends or the null device, its output straight to files.
func (s *supervisor) start() (*exec.Cmd, error) {
	agent := s.spec.Agent
	if script, err := os.ReadFile(filepath.Join(s.dir, scriptFile)); err != nil {
		return nil, err
	} else if agent.UsesScript() && len(script) == 0 {
		return nil, fmt.Errorf("the plan has no run block for attempt %d\n  add a fenced ```sh run block to it", s.spec.Attempt)
	}
	values, err := s.values()
	if err != nil {
		return nil, err
	}
	argv, err := agent.Argv(values, s.spec.Autonomy, s.spec.Args)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.spec.Dir
	cmd.Env = forAgent(os.Environ(), s.spec.Run, s.mark)
	var files []*os.File
	defer func() {
		for _, f := range files {
			_ = f.Close() // the agent has its own
		}
	}()
	open := func(name string, flags int) (*os.File, error) {
		f, err := os.OpenFile(filepath.Join(s.dir, name), flags, 0o600)
		if err == nil {
			files = append(files, f)
		}
		return f, err
	}
	const write = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	stdout, outErr := open(stdoutFile, write)
	stderr, errErr := open(stderrFile, write)
	if err := errors.Join(outErr, errErr); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if agent.Prompt == PromptStdin {
		stdin, err := open(promptFile, os.O_RDONLY)
		if err != nil {
			return nil, err
		}
		cmd.Stdin = stdin
	}
	proc.OwnGroup(cmd)
	return cmd, cmd.Start()
}

// values are what the agent's arguments may name.
func (s *supervisor) values() (Values, error) {
	v := Values{
		Model: s.spec.Model, Effort: s.spec.Effort, Session: s.spec.Session, NewSession: sessionOf(s.spec.Run),
		PromptFile: filepath.Join(s.dir, promptFile), ScriptFile: filepath.Join(s.dir, scriptFile),
		UsageFile: filepath.Join(s.dir, usageFile),
	}
	if s.spec.Agent.Prompt == PromptArg {
		prompt, err := os.ReadFile(v.PromptFile)
		if err != nil {
			return Values{}, err
		}
		v.Prompt = string(prompt)
	}
	return v, nil
}

// startError says why the agent could not be started.
func startError(spec Spec, err error) string {
	message := fmt.Sprintf("agent %s: %s", spec.Agent.Name, err)
	if errors.Is(err, exec.ErrNotFound) {
		how := "install it"
		if spec.Agent.Install != "" {
			how += " (" + spec.Agent.Install + ")"
		}
		message += "\n  " + how + ", or put it on the PATH of tendril run"
	}
	return message
}

// outcome reads what the agent left and puts the outcome together. Output that cannot be read is the run's failure, not a
// reason to have no outcome.
func (s *supervisor) outcome(ctx context.Context, end ending, started time.Time, left []proc.Identity) (Outcome, error) {
	seconds := time.Since(started).Seconds()
	r, err := logsOf(s.dir).read(context.WithoutCancel(ctx), s.spec.Agent)
	if err != nil {
		s.remark(err)
		r = newReading(s.spec.Agent)
		r.errs = append(r.errs, Event{Type: EventError, Kind: KindOther, Message: err.Error()})
	}
	out := compose(s.spec, end, r, readDesk(s.spec.Dir))
	out.Started, out.Seconds, out.Left = started, seconds, pids(left)
	return out, nil
}

// stopAsked looks for the wish that the run end.
func (s *supervisor) stopAsked() (stopRequest, bool, error) {
	var stop stopRequest
	asked, err := readJSON(s.dir, stopFile, &stop)
	return stop, asked, err
}
