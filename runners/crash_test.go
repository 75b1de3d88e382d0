//go:build linux

package runners

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tendril/internal/crash"
	"tendril/internal/proc"
)

// startIn starts a run from another process, an engine that dies at a crash point or is killed by the test, and returns once
// that has ended.
func (k *kit) startIn(s Spec, at crash.Point) error {
	k.t.Helper()
	data, err := json.Marshal(specForTest{Spec: s, Prompt: s.Prompt, Script: s.Script})
	if err != nil {
		k.t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(k.tree), s.Run+".json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(k.runs.Self[0], "start", k.runs.Dir, file)
	if at != "" {
		cmd.Env = append(os.Environ(), crash.Env+"="+string(at))
	}
	return cmd.Run()
}

// inEngine are the points that Start passes; the others are the supervisor's.
var inEngine = []crash.Point{crashBeforeSpec, crashSpec, crashBeforeSpawn, crashSpawned, crashReportedIn}

// Whoever dies at whatever moment: the agent ran at most once, the next engine gets an outcome that is true, and nothing is
// left behind.
func TestCrashAtEveryPoint(t *testing.T) {
	t.Parallel()
	if slices.Contains(CrashPoints(), "") || len(CrashPoints()) != 15 {
		t.Fatalf("points %v", CrashPoints())
	}
	for _, at := range CrashPoints() {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			s := k.jsonl("echo x >> times", ignoring("setsid"), "until test -s ticks; do sleep 0.02; done", `echo '{"type":"result","ok":true,"text":"done"}'`)
			err := k.startIn(s, at)
			if slices.Contains(inEngine, at) && err == nil {
				t.Fatal("the engine did not die")
			}
			ids, err := k.runs.List()
			if err != nil {
				t.Fatal(err)
			}
			if at == crashBeforeSpec {
				if len(ids) != 0 {
					t.Fatalf("runs %v before anything was written", ids)
				}
				// Nothing was begun; the same run begins now.
				k.start(s)
			}
			if at == crashSpawned {
				// The supervisor comes up while nobody is left to hear its word, and goes on all the same.
				k.eventually(func() bool { return exists(k.runs.folder(s.Run), supervisorFile) })
			}
			out := k.wait(s.Run)
			st, err := k.runs.State(s.Run)
			if err != nil || !st.Finished || st.Alive {
				t.Errorf("state %+v, %v", st, err)
			}
			k.nothingLeft(s.Run)
			k.eventually(func() bool { return !st.Supervisor.Alive() })
			times := k.inTree("times")
			switch out.Result {
			case OK:
				if times != "x\n" || out.Text != "done" {
					t.Errorf("ran %q: %+v", times, out)
				}
			case Lost:
				if !out.Recovered || strings.Count(times, "x") > 1 {
					t.Errorf("ran %q: %+v", times, out)
				}
			default:
				t.Errorf("%+v, %v", out, out.Err)
			}
			if slices.Contains(inEngine[3:], at) && out.Recovered {
				t.Errorf("the supervisor died with the engine: %+v", out)
			}
			if want := resultAfterCrash(at); want != "" && out.Result != want {
				t.Errorf("%s, want %s", out.Result, want)
			}
			// It is over for good: it is not started again, and its outcome does not change.
			if err := k.runs.Start(t.Context(), s); err == nil {
				t.Error("started again")
			}
			if again := k.wait(s.Run); again.Result != out.Result || again.Recovered != out.Recovered {
				t.Errorf("%+v became %+v", out, again)
			}
		})
	}
}

// resultAfterCrash is what must come of it; empty where it depends on who was faster.
func resultAfterCrash(at crash.Point) Result {
	switch at {
	case crashSpec, crashBeforeSpawn, crashBeforeClaim, crashClaimed, crashBeforeAgent:
		return Lost // nobody was there to start the agent
	case crashBeforeSpec, crashSpawned, crashReportedIn, crashAgentEnded, crashCleared, crashBeforeOutcome, crashOutcome:
		return OK // somebody went on, or the agent had said that it was done
	}
	return ""
}

// A SIGKILL of the engine: supervisor and agent go on, and the next engine finds what came of it.
func TestEngineKilled(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("touch ready; until test -e go; do sleep 0.02; done; echo finished")
	if err := k.startIn(s, ""); err != nil {
		t.Fatal(err)
	}
	// The process that started it is gone; the run is not.
	st, err := k.runs.State(s.Run)
	if err != nil || !st.Alive {
		t.Fatalf("%+v, %v", st, err)
	}
	if _, err := k.runs.Finish(t.Context(), s.Run); err == nil {
		t.Error("a living run was finished")
	}
	table, err := proc.Processes()
	if err != nil {
		t.Fatal(err)
	}
	if p := table[st.Supervisor.PID]; p.Group != st.Supervisor.PID {
		t.Errorf("the supervisor is in group %d, not in a session of its own", p.Group)
	}
	if err := os.WriteFile(filepath.Join(k.tree, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := k.wait(s.Run); out.Result != OK || out.Text != "finished" || out.Recovered {
		t.Errorf("%+v", out)
	}
}

// A second supervisor for the same run, by hand or by mistake, starts nothing.
func TestSecondSupervisor(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("echo x >> times")
	k.run(s)
	dir := filepath.Join(k.runs.Dir, s.Run)
	if err := exec.Command(k.runs.Self[0], "supervise", dir).Run(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, outcomeFile)); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(k.runs.Self[0], "supervise", dir).Run(); err == nil {
		t.Error("a second supervisor went on where the first was lost")
	}
	if got := k.inTree("times"); got != "x\n" {
		t.Errorf("ran %q", got)
	}
}
