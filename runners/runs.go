package runners

import (
	"time"

	"tendril/internal/proc"
)

// Runs is the folder in which the runs of a clone live. It is a value: two of the same folder are the same.
type Runs struct {
	// Dir is the folder, absolute (<git-common-dir>/tendril/runs); it is made at need, mode 0700.
	Dir string
	// Self is the argument list of this binary's hidden supervise command; the run's folder is appended.
	Self []string
	// Environ is the environment that agents inherit, before it is cleaned: os.Environ() of the engine.
	Environ []string
	// PassEnv are globs over the names of variables that agents get even though they look like a secret or like the mark
	// of an enclosing agent session (config: pass_env).
	PassEnv []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// RunState says where a run stands, from its files and its processes.
type RunState struct {
	Run, Key string
	// Alive: the supervisor lives. It alone may write the outcome then.
	Alive bool
	// Finished: the outcome is there.
	Finished bool
	// Orphaned: the supervisor is gone without an outcome, and Leftovers still live.
	Orphaned bool
	// Lost: the supervisor is gone without an outcome, and nothing of the run lives. Finish writes the outcome.
	Lost bool
	// Stopping is why a stop was asked for; empty when none was.
	Stopping string
	// Started is when the run was written down; LastOutput when the agent last wrote something.
	Started, LastOutput time.Time
	// Supervisor and Agent identify the processes; zero when not known.
	Supervisor, Agent proc.Identity
	// Leftovers are the live processes of an orphaned run.
	Leftovers []int
}
