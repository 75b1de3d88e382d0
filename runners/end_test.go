//go:build linux

package runners

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tendril/internal/proc"
)

// ignoring is a background loop that ignores TERM and says who it is in the file ticks, started in the way that prefix says.
func ignoring(prefix string) string {
	return prefix + ` sh -c 'trap "" TERM HUP INT; echo $$ > ticks.new; mv ticks.new ticks; while :; do sleep 0.05; done' &`
}

// stopsTicking fails when the loop lives, marked or not.
func (k *kit) stopsTicking() {
	k.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(k.inTree("ticks")))
	if err != nil {
		k.t.Errorf("never ticked: %v", err)
		return
	}
	if id, err := proc.Identify(pid); !errors.Is(err, proc.ErrGone) {
		k.t.Errorf("left behind: %+v, %v", id, err)
	}
}

// Lessons 67 and 69, invariant 6: nothing is left, however it got away and however the run ends.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	for name, escape := range map[string]string{
		"in the group":                         ignoring("exec 2>&1;"),
		"with a session of its own":            ignoring("setsid"),
		"with an environment of its own":       ignoring("env -i PATH=$PATH"),
		"session, environment and double fork": "( " + ignoring("setsid env -i PATH=$PATH") + " )",
	} {
		for ending, last := range map[string]string{
			"normal end": "until test -s ticks; do sleep 0.02; done; echo result",
			"timeout":    "until test -s ticks; do sleep 0.02; done; sleep 600",
			"failure":    "until test -s ticks; do sleep 0.02; done; exit 4",
		} {
			if ending == "timeout" && strings.HasPrefix(name, "with") {
				continue // the waiting costs; the two at the ends say it for the others
			}
			t.Run(name+"/"+ending, func(t *testing.T) {
				t.Parallel()
				k := newKit(t)
				s := k.script(escape, last)
				want := map[string]Result{"normal end": OK, "timeout": Timeout, "failure": Failed}[ending]
				if want == Timeout {
					s.TimeLimit = 2 * time.Second
				}
				out := k.run(s)
				if out.Result != want || len(out.Left) != 0 {
					t.Errorf("%+v, %v", out, out.Err)
				}
				k.nothingLeft(s.Run)
				k.stopsTicking()
				if want == OK && out.Text != "result" {
					t.Errorf("text %q", out.Text)
				}
			})
		}
	}
}

func TestTimeLimitIsGentleFirst(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script(`trap 'echo told > told.txt; exit 0' TERM`, "while :; do sleep 0.05; done")
	s.TimeLimit, s.Grace = 1500*time.Millisecond, 20*time.Second
	out := k.run(s)
	// Exit 0 after our own signal means nothing.
	if out.Result != Timeout || out.Exit != 0 || out.Seconds > 15 {
		t.Errorf("%+v", out)
	}
	if k.inTree("told.txt") != "told\n" {
		t.Error("was not asked to end first")
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		stall        time.Duration
		want         Result
	}{
		{"silent and idle", "sleep 600", 500 * time.Millisecond, Stalled},
		// Lesson: one tool call may be silent for long; it works, so it is no stall.
		// Lesson: one tool call may be silent for long; it works, so it is no stall.
		{"silent and at work, far below", "setsid bash -c 'end=$((SECONDS+4)); while [ $SECONDS -lt $end ]; do :; done; echo > done' & until test -e done; do sleep 0.3; done", 2500 * time.Millisecond, OK},
		{"idle but talking", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.4; done", 2 * time.Second, OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			s := k.script(c.script)
			s.Stall = c.stall
			out := k.run(s)
			if out.Result != c.want {
				t.Errorf("%+v, %v", out, out.Err)
			}
			k.nothingLeft(s.Run)
		})
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script(ignoring("setsid"), "until test -s ticks; do sleep 0.02; done; touch ready; sleep 600")
	k.start(s)
	k.eventually(func() bool { _, err := os.Stat(filepath.Join(k.tree, "ready")); return err == nil })
	if err := k.runs.Stop(t.Context(), s.Run, "tendril stop"); err != nil {
		t.Fatal(err)
	}
	if err := k.runs.Stop(t.Context(), s.Run, "somebody else"); err != nil {
		t.Fatal(err)
	}
	out := k.wait(s.Run)
	if out.Result != Stopped || out.Stop != "tendril stop" || out.Recovered {
		t.Errorf("%+v", out)
	}
	k.nothingLeft(s.Run)
	k.stopsTicking()
	// A stop of what has ended changes nothing.
	if err := k.runs.Stop(t.Context(), s.Run, "late"); err != nil {
		t.Error(err)
	}
	if again := k.wait(s.Run); again.Stop != "tendril stop" {
		t.Errorf("the outcome changed: %+v", again)
	}
}

// A stop that races the exit: whichever it is, it is one, it is whole, and it stays.
func TestStopRacesTheExit(t *testing.T) {
	t.Parallel()
	for i := range 6 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			s := k.script("until test -e go; do :; done")
			k.start(s)
			if err := os.WriteFile(filepath.Join(k.tree, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := k.runs.Stop(t.Context(), s.Run, "race"); err != nil {
				t.Fatal(err)
			}
			out := k.wait(s.Run)
			if out.Result != OK && out.Result != Stopped {
				t.Errorf("%+v", out)
			}
			if (out.Result == Stopped) != (out.Stop == "race") {
				t.Errorf("%+v", out)
			}
			if again := k.wait(s.Run); again.Result != out.Result {
				t.Errorf("%s became %s", out.Result, again.Result)
			}
		})
	}
}

// A supervisor that is told to end by anybody else takes the agent along, and the run is taken up again: nobody asked to
// stop the plan.
func TestSupervisorToldToEnd(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("sleep 600")
	k.start(s)
	st, err := k.runs.State(s.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if err := st.Supervisor.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Supervisor.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	out := k.wait(s.Run)
	if out.Result != Lost || out.Recovered || !strings.Contains(out.Err.Message, "SIGTERM") {
		t.Errorf("%+v, %v", out, out.Err)
	}
	k.nothingLeft(s.Run)
}

// killSupervisor kills a run's supervisor as a crash would, and returns what State says then.
func (k *kit) killSupervisor(id string) RunState {
	k.t.Helper()
	st, err := k.runs.State(id)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := st.Supervisor.Signal(os.Kill); err != nil {
		k.t.Fatal(err)
	}
	k.eventually(func() bool { return !st.Supervisor.Alive() })
	st, err = k.runs.State(id)
	if err != nil {
		k.t.Fatal(err)
	}
	return st
}

func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.jsonl(`echo '{"type":"session","id":"abc"}'`,
		`echo '{"type":"usage","id":"m","input":5,"output":7,"usd":0.25}'`, ignoring("setsid"), "until test -s ticks; do sleep 0.02; done", "sleep 600")
	k.start(s)
	k.eventually(func() bool { return k.inTree("ticks") != "" })
	st := k.killSupervisor(s.Run)
	if !st.Orphaned || st.Alive || st.Lost || st.Finished || len(st.Leftovers) < 2 {
		t.Errorf("state with a live agent: %+v", st)
	}
	out, err := k.runs.Finish(t.Context(), s.Run)
	if err != nil {
		t.Fatal(err)
	}
	if out.Result != Lost || !out.Recovered || out.Exit != -1 || out.Err == nil {
		t.Errorf("%+v", out)
	}
	// What was written stays readable, and what was used is counted.
	if out.Session != "abc" || out.Usage.Input == nil || *out.Usage.Input != 5 || out.Usage.USD == nil || *out.Usage.USD != 0.25 {
		t.Errorf("session %q, usage %+v", out.Session, out.Usage)
	}
	k.nothingLeft(s.Run)
	k.stopsTicking()
	if again := k.wait(s.Run); again.Result != Lost {
		t.Errorf("%+v", again)
	}
}

func TestSupervisorKilledAndNothingLeft(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("until test -e go; do sleep 0.02; done")
	k.start(s)
	k.killSupervisor(s.Run)
	if err := os.WriteFile(filepath.Join(k.tree, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var st RunState
	k.eventually(func() bool {
		var err error
		st, err = k.runs.State(s.Run)
		return err == nil && st.Lost
	})
	if st.Orphaned || st.Finished || st.Alive {
		t.Errorf("%+v", st)
	}
	// For text the exit code alone tells, and nobody saw it.
	if out := k.wait(s.Run); out.Result != Lost {
		t.Errorf("%+v", out)
	}
}

// Invariant 5: a finished run is never paid for twice. The agent said that it was done before anybody ended it.
func TestSupervisorKilledAfterTheResult(t *testing.T) {
	t.Parallel()
	for _, ok := range []bool{true, false} {
		t.Run(strconv.FormatBool(ok), func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			s := k.jsonl(`echo '{"type":"result","ok":`+strconv.FormatBool(ok)+`,"text":"all done"}'`, "touch said", "sleep 600")
			k.start(s)
			k.eventually(func() bool { _, err := os.Stat(filepath.Join(k.tree, "said")); return err == nil })
			k.killSupervisor(s.Run)
			want := OK
			if !ok {
				want = Failed
			}
			if out := k.wait(s.Run); out.Result != want || !out.Recovered || out.Text != "all done" {
				t.Errorf("%+v, %v", out, out.Err)
			}
			k.nothingLeft(s.Run)
		})
	}
}

// Agents say "success" after a signal; that is not their own word.
func TestResultAfterOurSignalDoesNotCount(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.jsonl(`trap 'echo "{\"type\":\"result\",\"ok\":true}"; exit 0' TERM`, "touch ready", "while :; do sleep 0.05; done")
	s.Grace = 10 * time.Second
	k.start(s)
	k.eventually(func() bool { _, err := os.Stat(filepath.Join(k.tree, "ready")); return err == nil })
	k.killSupervisor(s.Run)
	if out := k.wait(s.Run); out.Result != Lost {
		t.Errorf("%+v", out)
	}
}

func TestStopOfAnOrphan(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("sleep 600")
	k.start(s)
	k.killSupervisor(s.Run)
	if err := k.runs.Stop(t.Context(), s.Run, "tendril stop --all"); err != nil {
		t.Fatal(err)
	}
	k.nothingLeft(s.Run)
	out, ended, err := k.runs.Outcome(s.Run)
	if err != nil || !ended || out.Result != Stopped || out.Stop != "tendril stop --all" {
		t.Errorf("%+v, %v, %v", out, ended, err)
	}
}

func TestFinishLeavesTheLivingAlone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("until test -e go; do sleep 0.02; done")
	k.start(s)
	if _, err := k.runs.Finish(t.Context(), s.Run); !errors.Is(err, ErrAlive) {
		t.Errorf("finished a living run: %v", err)
	}
	if err := os.WriteFile(filepath.Join(k.tree, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := k.wait(s.Run); out.Result != OK {
		t.Errorf("%+v", out)
	}
}

// Lesson 55: a pid of a dead supervisor that another process got does not keep a run alive, and gets no signal.
func TestReusedPIDOfASupervisor(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("sleep 600")
	k.start(s)
	k.killSupervisor(s.Run)
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	self.Start += "0"
	if err := writeJSON(k.runs.folder(s.Run), supervisorFile, self); err != nil {
		t.Fatal(err)
	}
	if st, err := k.runs.State(s.Run); err != nil || st.Alive || !st.Orphaned {
		t.Errorf("%+v, %v", st, err)
	}
	if err := k.runs.Stop(t.Context(), s.Run, "x"); err != nil {
		t.Error(err)
	}
	k.nothingLeft(s.Run)
}

// A repository that was deleted asks after nothing any more: its agents do not go on for hours and cost money.
func TestARunEndsWithItsRepository(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("sleep 600")
	k.start(s)
	mark := markOf(k.runs.folder(s.Run))
	if err := os.RemoveAll(k.runs.Dir); err != nil {
		t.Fatal(err)
	}
	k.eventually(func() bool { return len(proc.FindMarked(mark)) == 0 })
	// The folder that newKit looks through at the end.
	if err := os.MkdirAll(k.runs.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
}
