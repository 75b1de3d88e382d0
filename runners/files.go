package runners

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// The files of a run's folder.
const (
	specFile       = "spec.json"       // what is to be run, written before anything starts
	promptFile     = "prompt.md"       // the agent's stdin, or the file that it is pointed at
	scriptFile     = "script.sh"       // the plan's run blocks
	lockFile       = "lock"            // held by the supervisor for its life; whoever holds it may write the outcome
	supervisorFile = "supervisor.json" // who it is
	agentFile      = "agent.json"      // the agent's process
	stopFile       = "stop.json"       // the wish that it end
	outcomeFile    = "outcome.json"    // what came of it, written once
	stdoutFile     = "stdout.log"
	stderrFile     = "stderr.log"
	usageFile      = "usage.json"     // {{.UsageFile}}
	paceFile       = "pace.log"       // how long stdout was when
	toldFile       = "feedback.md"    // what failed before, as the agent was told it
	supervisorLog  = "supervisor.log" // what the supervisor had to say, usually nothing
	binFolder      = "bin"            // in front of the agent's PATH: tendril itself
)

// writeJSON writes v as a file that appears whole or not at all. It is for what says something of living processes: a power
// cut that would lose it has ended them too, and every wait for the disk would hold up the agent.
func writeJSON(dir, name string, v any) error { return writeFile(dir, name, v, false) }

// writeOutcome writes a run's outcome, which survives a power cut once this returned, and with it the folder and the spec.
func writeOutcome(dir string, out Outcome) error {
	spec, err := os.OpenFile(filepath.Join(dir, specFile), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("write %s: %w", outcomeFile, err)
	}
	if err := errors.Join(spec.Sync(), spec.Close()); err != nil {
		return fmt.Errorf("write %s: %w", outcomeFile, err)
	}
	if err := writeFile(dir, outcomeFile, out, true); err != nil {
		return err
	}
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

func writeFile(dir, name string, v any, sync bool) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	tmp, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = tmp.Write(append(data, '\n'))
	if sync {
		err = errors.Join(err, tmp.Sync())
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // best effort: the error that counts is the one above
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// syncDir makes names in dir survive a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be opened for that there
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}

// readJSON reads a file into v; false when it is not there.
func readJSON(dir, name string, v any) (bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	return true, nil
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
