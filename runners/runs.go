package runners

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tendril/internal/proc"
)

// Runs is the folder in which the runs of a clone live. It is a value: two of the same folder are the same.
type Runs struct {
	// Dir is the folder, absolute (<git-common-dir>/tendril/runs); it is made at need, mode 0700.
	Dir string
	// Self is the argument list of this binary's hidden supervise command; the run's folder is appended.
	Self []string
	// Environ is the environment that agents inherit, before it is cleaned; nil is this process's.
	Environ []string
	// PassEnv are globs over the names of variables that agents get even though they look like a secret or like the mark
	// of an enclosing agent session (config: pass_env).
	PassEnv []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// ErrNoRun says that there is no run of that id.
var ErrNoRun = errors.New("no such run")

// RunState says where a run stands, from its files and its processes.
type RunState struct {
	Run, Key string
	// Alive: the supervisor lives, or is being started. It alone may write the outcome then.
	Alive bool
	// Finished: the outcome is there.
	Finished bool
	// Orphaned: the supervisor is gone without an outcome, and Leftovers still live.
	Orphaned bool
	// Lost: the supervisor is gone without an outcome, and nothing of the run lives. Finish writes the outcome.
	Lost bool
	// Stopping is why a stop was asked for; empty when none was.
	Stopping string
	// Started is when the run was written down; LastOutput when the agent last wrote something, zero if never.
	Started, LastOutput time.Time
	// Supervisor and Agent identify the processes; zero when not known.
	Supervisor, Agent proc.Identity
	// Leftovers are the live processes of an orphaned run.
	Leftovers []int
}

func (r Runs) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// folder is a run's folder; the id has been checked.
func (r Runs) folder(id string) string { return filepath.Join(r.Dir, id) }

// Folder returns a run's folder, for reading its stdout.log and stderr.log. It need not exist; the id is checked.
func (r Runs) Folder(id string) (string, error) {
	if err := CheckRunID(id); err != nil {
		return "", err
	}
	return r.folder(id), nil
}

// existing returns the folder of a run that is there, else ErrNoRun.
func (r Runs) existing(id string) (string, error) {
	dir, err := r.Folder(id)
	if err != nil {
		return "", err
	}
	if !exists(dir, specFile) {
		return "", fmt.Errorf("run %s: %w", id, ErrNoRun)
	}
	return dir, nil
}

// List returns the ids of all runs, sorted.
func (r Runs) List() ([]string, error) {
	entries, err := os.ReadDir(r.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && CheckRunID(e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Unfinished returns the ids of the runs without an outcome, sorted: at work, orphaned or lost.
func (r Runs) Unfinished() ([]string, error) {
	ids, err := r.List()
	return slices.DeleteFunc(ids, func(id string) bool { return exists(r.folder(id), outcomeFile) }), err
}

// Spec returns what a run was started with, less prompt, feedback, script and environment.
func (r Runs) Spec(id string) (Spec, error) {
	dir, err := r.existing(id)
	if err != nil {
		return Spec{}, err
	}
	stored, err := readSpec(dir)
	return stored.Spec, err
}

// Outcome returns what came of a run, and whether it has ended yet.
func (r Runs) Outcome(id string) (Outcome, bool, error) {
	var out Outcome
	dir, err := r.existing(id)
	if err != nil {
		return out, false, err
	}
	found, err := readJSON(dir, outcomeFile, &out)
	return out, found, err
}

// Feedback returns what a run was told of what had failed before it, empty where nothing had.
func (r Runs) Feedback(id string) ([]byte, error) {
	dir, err := r.existing(id)
	if err != nil {
		return nil, err
	}
	told, err := os.ReadFile(filepath.Join(dir, toldFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	return told, nil
}

// State looks a run up: its files first, then its processes.
func (r Runs) State(id string) (RunState, error) {
	dir, err := r.existing(id)
	if err != nil {
		return RunState{}, err
	}
	stored, err := readSpec(dir)
	if err != nil {
		return RunState{}, err
	}
	st := RunState{Run: id, Key: stored.Spec.Key, Started: stored.Started, LastOutput: lastOutput(dir)}
	var stop stopRequest
	_, stopErr := readJSON(dir, stopFile, &stop)
	_, supErr := readJSON(dir, supervisorFile, &st.Supervisor)
	_, agentErr := readJSON(dir, agentFile, &st.Agent)
	if err := errors.Join(stopErr, supErr, agentErr); err != nil {
		return RunState{}, fmt.Errorf("run %s: %w", id, err)
	}
	st.Stopping = stop.Why
	// Alive before Finished: a supervisor writes the outcome and then ends, so a run is never seen as neither.
	st.Alive = st.Supervisor.Alive() || st.Supervisor.PID == 0 && stored.Starter.Alive()
	st.Finished = exists(dir, outcomeFile)
	if st.Alive && !st.Finished {
		return st, nil
	}
	proc.Reap(st.Supervisor.PID) // ours or not: only a child that ended is forgotten
	if st.Finished {
		st.Alive = false
		return st, nil
	}
	st.Leftovers = pids(proc.Family{Mark: stored.Mark, Leader: st.Agent}.Members())
	st.Orphaned = len(st.Leftovers) > 0
	st.Lost = !st.Orphaned
	return st, nil
}

// lastOutput is when the agent last wrote to its stdout or stderr.
func lastOutput(dir string) time.Time {
	var last time.Time
	for _, name := range []string{stdoutFile, stderrFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Size() > 0 && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// storedSpec is spec.json.
type storedSpec struct {
	Version int       `json:"version"`
	Started time.Time `json:"started"`
	// Starter is the process that is to spawn the supervisor: as long as it lives and there is none, there may be one yet.
	Starter proc.Identity `json:"starter"`
	// Mark is the variable that finds the run's processes, as it was set: a folder can be named in several ways.
	Mark string `json:"mark"`
	Spec Spec   `json:"spec"`
}

// specVersion is the version of a run folder's format.
const specVersion = 1

func readSpec(dir string) (storedSpec, error) {
	var stored storedSpec
	found, err := readJSON(dir, specFile, &stored)
	switch {
	case err != nil:
		return storedSpec{}, err
	case !found:
		return storedSpec{}, fmt.Errorf("%s: %w", filepath.Base(dir), ErrNoRun)
	case stored.Version > specVersion:
		return storedSpec{}, fmt.Errorf("%s: version %d is newer than this tendril\n  finish the run with the tendril that started it",
			filepath.Join(dir, specFile), stored.Version)
	}
	return stored, nil
}
