package runners

import (
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Spec describes one run: one process of an agent in one worktree. It is a value, written to the run's folder before
// anything starts; only Env stays out of the file, since it may hold secrets.
type Spec struct {
	// Run is the run's id: a name of letters, digits, '.', '_' and '-', unique in the clone for ever.
	Run string `json:"run"`
	// Key is the plan's key, Unit the promptware unit at work ("ExecutePlan").
	Key  string `json:"key"`
	Unit string `json:"unit,omitempty"`
	// Round and Attempt count from 1.
	Round   int `json:"round,omitempty"`
	Attempt int `json:"attempt,omitempty"`
	// Nth counts the plan's runs in this clone, from 1: a clock that was set back does not change their order.
	Nth int `json:"nth,omitempty"`
	// Beside is true for a turn beside the attempts: a person's words to an agent that had ended. It spends none.
	Beside bool `json:"beside,omitempty"`
	// Said are the words of people that the run takes: they are in the prompt, and no other run's once this one has ended.
	Said []Word `json:"said,omitempty"`
	// Candidate is the candidate's id in a race, else empty.
	Candidate string `json:"candidate,omitempty"`
	// Agent is the agent's file, as it was when the run began.
	Agent Agent `json:"agent"`
	// Model and Effort are handed to the agent; empty is the agent's own default.
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// Autonomy is "edit" or "full"; empty is "edit".
	Autonomy string `json:"autonomy,omitempty"`
	// Args are appended to the agent's arguments (config: agents.NAME.args).
	Args []string `json:"args,omitempty"`
	// Session is the agent's session to go on with; empty begins a fresh one.
	Session string `json:"session,omitempty"`
	// SessionUsage is Outcome.SessionUsage of the last run in Session: what an agent that counts over its whole session
	// had counted before this run. Nil is unknown.
	SessionUsage *Usage `json:"session_usage,omitempty"`
	// Dir is the worktree, absolute; Commit and Branch say what is checked out there.
	Dir    string `json:"dir"`
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Slot is the worktree's number (TENDRIL_SLOT).
	Slot int `json:"slot,omitempty"`
	// Prompt is what the agent is told. Feedback is what failed before: it becomes the file $TENDRIL_FEEDBACK.
	Prompt   []byte `json:"-"`
	Feedback []byte `json:"-"`
	// Script is the plan's run blocks, joined, for agents that have {{.ScriptFile}} in their command.
	Script []byte `json:"-"`
	// Env holds the worktree's own variables ("NAME=value", design section 6), set over everything inherited.
	Env []string `json:"-"`
	// Path are folders put in front of PATH (a unit's tools).
	Path []string `json:"path,omitempty"`
	// GitConfig is git configuration that holds for this run alone (a guard's hooks), set by environment.
	GitConfig []GitSetting `json:"git_config,omitempty"`
	// TimeLimit ends the run; Stall ends it after so long without output and without a working descendant. Zero: no limit.
	TimeLimit time.Duration `json:"time_limit,omitempty"`
	Stall     time.Duration `json:"stall,omitempty"`
	// Grace is the time between asking the agent to end and killing it; zero is DefaultGrace.
	Grace time.Duration `json:"grace,omitempty"`
}

// GitSetting is one git configuration value, given by environment.
type GitSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Word is what a person said to the agent of a plan.
type Word struct {
	// ID names it, unique in the clone; in the order of their ids words were said.
	ID string `json:"id"`
	// At is when it was said, By who said it (a name; may be empty).
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
	Text string    `json:"text"`
}

// DefaultGrace is what an agent gets between TERM and KILL when the Spec names nothing else.
const DefaultGrace = 5 * time.Second

// runID is what a run may be called: a file name everywhere, and no option and no way out of the folder.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// CheckRunID refuses ids that could not be a folder's name; every function that takes an id calls it.
func CheckRunID(id string) error {
	if !runID.MatchString(id) {
		return fmt.Errorf("run id %q: want letters, digits, '.', '_', '-', at most 128, a letter or digit first", id)
	}
	return nil
}

// check refuses a spec that cannot be run.
func (s Spec) check() error {
	if err := CheckRunID(s.Run); err != nil {
		return err
	}
	switch {
	case s.Dir == "":
		return errors.New("run " + s.Run + ": no worktree named")
	case s.Autonomy != "" && s.Autonomy != AutonomyEdit && s.Autonomy != AutonomyFull:
		return fmt.Errorf("run %s: autonomy %q: want %s or %s", s.Run, s.Autonomy, AutonomyEdit, AutonomyFull)
	}
	return nil
}

func (s Spec) grace() time.Duration {
	if s.Grace > 0 {
		return s.Grace
	}
	return DefaultGrace
}
