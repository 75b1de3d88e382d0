package cmd

import "fmt"

// runVariable is set in the environment of every agent's run.
const runVariable = "TENDRIL_RUN"

// agentRun is the id of the agent's run that this process belongs to, by its own environment or an ancestor's; empty for
// a person's process. last is where the walk through the ancestors ends (0: at the first process).
func agentRun(env func(string) string, last int) string {
	if run := env(runVariable); run != "" {
		return run
	}
	return ancestorRun(last)
}

// refuseAgents is the first thing that a command does which passes a gate or speaks for a person: an agent must not.
func (f *Factory) refuseAgents(command string) error {
	if run := f.AgentRun(); run != "" {
		return fmt.Errorf("%s is for people: this process belongs to the agent's run %s\n  write what you want into the summary; a person decides", command, run)
	}
	return nil
}
