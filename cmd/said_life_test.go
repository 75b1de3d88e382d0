//go:build linux

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/crash"
	"tendril/internal/testkit"
)

// listener is an agent with sessions that keeps what it is told, one file a turn.
const listener = `#!/bin/sh
here=$(dirname "$0")
n=1
while ! mkdir "$here/turn.$n" 2>/dev/null; do n=$((n + 1)); done
{ echo "session $1"; cat; } > "$here/turn.$n/told"
echo '{"type": "session", "id": "S1"}'
echo hello >> greeting.txt
echo '{"type": "result", "ok": true, "text": "done"}'
`

// TestWordsAreHeardOnceWhateverDies says something to a plan whose attempt has ended, and has the engine or the supervisor
// die while the words become a turn. They are heard in one turn that ended, in the session of the attempt, and spend none; only a turn that
// was cut off is given again.
func TestWordsAreHeardOnceWhateverDies(t *testing.T) {
	t.Parallel()
	for _, point := range []crash.Point{"runners.spec-written", "runners.agent-started", "lifecycle.started", "lifecycle.collected"} {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			m := newListening(t)
			m.die([]crash.Point{"lifecycle.started"})
			m.must("say", "1", "use tabs")
			m.die([]crash.Point{point})
			m.until("in-review")
			m.heardOnce(point)
		})
	}
}

func newListening(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{t: t, dir: filepath.Join(testkit.TempDir(t), "project"), env: testkit.Env(t)}
	m.env = testkit.Setenv(m.env, scriptVariable, fmt.Sprint(os.Getpid()))
	program := filepath.Join(filepath.Dir(m.dir), "listener")
	testkit.WriteScript(t, filepath.Dir(m.dir), "listener", listener)
	testkit.Write(t, m.dir, ".tendril/config.yaml", "agent: listener\nmax_attempts: 1\nchecks:\n  - {name: test, run: 'grep -q hello greeting.txt'}\n")
	testkit.Write(t, m.dir, ".tendril/agents/listener.yaml", fmt.Sprintf(
		"command: [%q, fresh]\nresume: [%q, \"{{.Session}}\"]\nprompt: stdin\noutput: jsonl\nusage: none\nevents: .\n", program, program))
	testkit.GitEnv(t, m.dir, m.env, "init", "--quiet", "--initial-branch=main")
	testkit.Commit(t, m.dir, "configure")
	m.must("new", "Mortal")
	m.must("approve", "1")
	return m
}

// heardOnce looks at what the agent was told, and at what is written of it.
func (m *mortal) heardOnce(point crash.Point) {
	m.t.Helper()
	turns, err := filepath.Glob(filepath.Join(filepath.Dir(m.dir), "turn.*", "told"))
	if err != nil {
		m.t.Fatal(err)
	}
	heard := 0
	for _, file := range turns {
		told := testkit.Read(m.t, filepath.Dir(file), "told")
		if !strings.Contains(told, "use tabs") {
			continue
		}
		heard++
		if !strings.HasPrefix(told, "session S1\n") {
			m.t.Errorf("heard in another session:\n%s", told)
		}
	}
	// An agent that was cut off with its supervisor, before it had read the words or after, is told them again.
	cutOff := 0
	if point == "runners.agent-started" {
		cutOff = 1
	}
	if heard < 1 || heard > 1+cutOff || len(turns) < 2 || len(turns) > 2+cutOff {
		m.t.Errorf("%s: heard in %d of %d turns", point, heard, len(turns))
	}
	record := testkit.Read(m.t, m.dir, "plans/0001-mortal/record.yaml")
	if strings.Contains(record, "attempt: 2") || !strings.Contains(record, "turn: say") {
		m.t.Errorf("an attempt was spent, or the turn is not told:\n%s", record)
	}
	if costs := testkit.Read(m.t, m.dir, "plans/0001-mortal/costs.csv"); strings.Count(costs, ",ok\n") != 2 {
		m.t.Errorf("want two turns that ended:\n%s", costs)
	}
	if left, err := filepath.Glob(filepath.Join(m.dir, ".git", "tendril", "said", "*", "*")); err != nil || len(left) > 0 {
		m.t.Errorf("words are left: %v %v", left, err)
	}
}
