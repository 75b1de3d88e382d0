package cmd

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tendril/internal/testkit"
)

// scriptVariable is the pid of the test process, for the tendril that a script runs: it looks for an agent's run up to
// there, so that the tests pass when an agent runs them.
const scriptVariable = "TESTKIT_SCRIPT_PID"

// TestMain makes this binary play tendril when a script starts it under that name.
func TestMain(m *testing.M) {
	testscript.Main(hermeticTests{m}, map[string]func(){"tendril": tendril, "agent-run": printAgentRun})
}

type hermeticTests struct{ m *testing.M }

func (h hermeticTests) Run() int { return testkit.Main(h.m, testkit.NoLeaks) }

func tendril() {
	f := NewFactory(System(), BuildVersion())
	f.AgentRun = agentRunOfScript
	os.Exit(f.main(context.Background(), os.Args))
}

func printAgentRun() { fmt.Println(agentRunOfScript()) }

// agentRunOfScript is agentRun; without a pid from the script it looks at every ancestor, as a real call does.
func agentRunOfScript() string {
	pid, err := strconv.Atoi(os.Getenv(scriptVariable))
	if err != nil {
		pid = 0
	}
	return agentRun(os.Getenv, pid)
}
