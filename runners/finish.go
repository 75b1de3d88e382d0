package runners

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/crash"
	"tendril/internal/proc"
)

// ErrAlive says that a run cannot be finished because its supervisor lives.
var ErrAlive = errors.New("the supervisor lives")

// agentProcess is agent.json.
type agentProcess struct {
	proc.Identity
	Started time.Time `json:"started"`
}

// Finish brings a run to its end whose supervisor is gone: it ends what is left of it and writes the outcome from what the
// agent wrote until then. A run that has an outcome keeps it; one whose supervisor lives, or is just coming up, gives
// ErrAlive. The outcome is lost; stopped where that was asked for; and the agent's own where its output had said that it was
// done, so that finished work is not done, and paid for, again.
func (r Runs) Finish(ctx context.Context, id string) (Outcome, error) {
	dir, err := r.existing(id)
	if err != nil {
		return Outcome{}, err
	}
	// A supervisor that has written the outcome may live a moment longer, with its lock: there is nothing left to finish.
	if out, ended, err := r.Outcome(id); ended || err != nil {
		return out, err
	}
	// Held by the supervisor as long as it lives, and given back by the system when it dies. A supervisor that gets it after
	// us finds the outcome, and starts nothing.
	lock := flock.New(filepath.Join(dir, lockFile))
	held, err := takeOver(ctx, dir, lock)
	if err != nil {
		return Outcome{}, fmt.Errorf("run %s: %w", id, err)
	}
	if !held {
		return Outcome{}, fmt.Errorf("run %s: %w", id, ErrAlive)
	}
	defer func() { _ = lock.Unlock() }() // closing the file gives it back in any case
	if out, ended, err := r.Outcome(id); ended || err != nil {
		return out, err
	}
	stored, err := readSpec(dir)
	if err != nil {
		return Outcome{}, err
	}
	if !exists(dir, supervisorFile) && stored.beingStarted() {
		return Outcome{}, fmt.Errorf("run %s: is being started: %w", id, ErrAlive)
	}
	end := ending{cause: Lost, why: "its supervisor died", exit: -1}
	var stop stopRequest
	if asked, err := readJSON(dir, stopFile, &stop); err != nil {
		return Outcome{}, err
	} else if asked {
		end.cause, end.why = Stopped, stop.Why
	}
	agent := agentProcess{Started: stored.Started}
	if _, err := readJSON(dir, agentFile, &agent); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	if stored.Spec.Attached() {
		out = lostAttachment(ctx, stored, agent.Identity, end)
	} else if exists(dir, stdoutFile) {
		out, err = recovered(ctx, dir, stored, agent, end)
	} else {
		// The file is made before the agent is started: there never was one.
		out = neverRan(stored.Spec, stored.Started, end.cause, end.why)
		out.Recovered = true
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("run %s: %w", id, err)
	}
	crash.At(crashBeforeOutcome)
	if err := writeOutcome(dir, out); err != nil {
		return Outcome{}, fmt.Errorf("run %s: %w", id, err)
	}
	crash.At(crashOutcome)
	return out, nil
}

// dying bounds the wait for the lock of a supervisor that is dead by all signs: the system gives its locks back last.
const dying = 5 * time.Second

// takeOver takes the run's lock from a supervisor that is gone; false when it lives.
func takeOver(ctx context.Context, dir string, lock *flock.Flock) (bool, error) {
	var supervisor proc.Identity
	known, err := readJSON(dir, supervisorFile, &supervisor)
	if err != nil {
		return false, err
	}
	if !known || supervisor.Alive() {
		return lock.TryLock()
	}
	ctx, cancel := context.WithTimeout(ctx, dying)
	defer cancel()
	held, err := lock.TryLockContext(ctx, 10*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return held, err
}

// beingStarted reports whether another process may still be about to spawn the supervisor.
func (s storedSpec) beingStarted() bool {
	self, err := proc.Self()
	return err == nil && s.Starter != self && s.Starter.Alive()
}

// recovered ends what lives of the run and puts its outcome together.
func recovered(ctx context.Context, dir string, stored storedSpec, agent agentProcess, end ending) (Outcome, error) {
	logs, spec := logsOf(dir), stored.Spec
	// What the agent said before it was told to end is its word; what it says after that is not.
	before, err := logs.read(ctx, spec.Agent)
	if err != nil {
		return Outcome{}, err
	}
	family := proc.Family{Mark: stored.Mark}
	if agent.Alive() {
		family.Group = agent.PID
	}
	left := family.End(ctx, spec.grace())
	after, err := logs.read(ctx, spec.Agent)
	if err != nil {
		return Outcome{}, err
	}
	after.result = before.result
	until := agent.Started
	if last := lastOutput(dir); last.After(until) {
		until = last
	}
	out := compose(spec, end, after, readDesk(spec.Dir))
	out.Recovered = true
	out.Started, out.Seconds = agent.Started, until.Sub(agent.Started).Seconds()
	out.Left = pids(left)
	return out, nil
}

func pids(ids []proc.Identity) []int {
	var found []int
	for _, id := range ids {
		found = append(found, id.PID)
	}
	return found
}

func logsOf(dir string) logs {
	return logs{
		stdout: filepath.Join(dir, stdoutFile), stderr: filepath.Join(dir, stderrFile), usage: filepath.Join(dir, usageFile),
	}
}
