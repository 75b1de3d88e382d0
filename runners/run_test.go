//go:build unix

package runners

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestRunOfAScript(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("echo hello > made.txt", "echo out", "echo err >&2")
	out := k.run(s)
	if out.Result != OK || out.Exit != 0 || out.Err != nil {
		t.Fatalf("%+v, %v", out, out.Err)
	}
	if got := k.inTree("made.txt"); got != "hello\n" {
		t.Errorf("made.txt: %q", got)
	}
	if k.read(s.Run, stdoutFile) != "out\n" || k.read(s.Run, stderrFile) != "err\n" {
		t.Errorf("logs: %q, %q", k.read(s.Run, stdoutFile), k.read(s.Run, stderrFile))
	}
	// No model was asked: the cost is known, and nothing; tokens there are none of.
	if out.Usage.USD == nil || *out.Usage.USD != 0 || out.Usage.Source != CostNone || out.Usage.Input != nil {
		t.Errorf("usage %+v", out.Usage)
	}
	if out.Text != "out" || out.Summary != "out" {
		t.Errorf("text %q, summary %q", out.Text, out.Summary)
	}
	if out.Run != s.Run || out.Key != s.Key || out.Unit != s.Unit || out.Started.IsZero() || out.Seconds <= 0 {
		t.Errorf("%+v", out)
	}
	st, err := k.runs.State(s.Run)
	if err != nil || !st.Finished || st.Alive || st.Orphaned || st.Lost {
		t.Errorf("state %+v, %v", st, err)
	}
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		lines  []string
		exit   int
		signal string
		want   string
	}{
		{"exit code", []string{"echo no such thing >&2", "exit 3"}, 3, "", "exit code 3: no such thing"},
		// Lesson 93: the script agent's shell stops at the first failure, in a pipe too.
		{"first of two", []string{"false", "echo went on > after.txt"}, 1, "", "exit code 1"},
		{"in a pipe", []string{"false | cat"}, 1, "", "exit code 1"},
		{"by a signal", []string{"kill -SEGV $$"}, -1, "SIGSEGV", "ended by SIGSEGV"},
		{"nothing on stderr", []string{"echo last word", "exit 2"}, 2, "", "exit code 2: last word"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			out := k.run(k.script(c.lines...))
			if out.Result != Failed || out.Exit != c.exit || out.Signal != c.signal {
				t.Fatalf("%+v", out)
			}
			if out.Err == nil || out.Err.Message != c.want || out.Err.Kind != KindOther {
				t.Errorf("error %+v, want %q", out.Err, c.want)
			}
			if k.inTree("after.txt") != "" {
				t.Error("went on after a failure")
			}
		})
	}
}

func TestRunThatCannotBegin(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	noBlock := k.script()
	noBlock.Script, noBlock.Attempt = nil, 3
	out := k.run(noBlock)
	if out.Result != Failed || out.Err == nil || out.Err.Kind != KindStart || !strings.Contains(out.Err.Message, "no run block for attempt 3") {
		t.Errorf("no run block: %+v, %v", out, out.Err)
	}
	if out.Usage.USD == nil || *out.Usage.USD != 0 {
		t.Errorf("an agent that never ran cost %+v", out.Usage)
	}
	missing := k.jsonl("true")
	missing.Agent.Command = []string{"tendril-no-such-agent", "{{.ScriptFile}}"}
	out = k.run(missing)
	if out.Result != Failed || out.Err == nil || out.Err.Kind != KindStart || !strings.Contains(out.Err.Message, "tendril-no-such-agent") {
		t.Errorf("no such program: %+v, %v", out, out.Err)
	}
}

// Lessons 64 and 65: the prompt arrives whole on stdin, which then ends, whatever stdin the engine has.
func TestPromptOnStdin(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script()
	agent, err := ParseAgent("reader", []byte("command: [sh, -c, 'cat > got.txt; echo done']\nprompt: stdin\noutput: text\nusage: total\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.Agent = *agent
	s.Prompt = []byte(strings.Repeat("{{.Evil}} $(touch pwned) ü\n", 20_000))
	if out := k.run(s); out.Result != OK {
		t.Fatalf("%+v, %v", out, out.Err)
	}
	got, want := sha256.Sum256([]byte(k.inTree("got.txt"))), sha256.Sum256(s.Prompt)
	if got != want {
		t.Errorf("the prompt arrived as %s, was %s", hex.EncodeToString(got[:4]), hex.EncodeToString(want[:4]))
	}
}

func TestPromptByFileAndArgument(t *testing.T) {
	t.Parallel()
	for way, command := range map[string]string{
		PromptFile: `[sh, -c, 'cat; cat "$1" > got.txt', x, "{{.PromptFile}}"]`,
		PromptArg:  `[sh, -c, 'cat; printf %s "$1" > got.txt', x, "{{.Prompt}}"]`,
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			s := k.script()
			agent, err := ParseAgent("reader", []byte("command: "+command+"\nprompt: "+way+"\noutput: text\nusage: total\n"))
			if err != nil {
				t.Fatal(err)
			}
			s.Agent, s.Prompt = *agent, []byte("--help {{.Model}} $(touch pwned)\nline two")
			// cat ends: stdin is the null device.
			if out := k.run(s); out.Result != OK {
				t.Fatalf("%+v, %v", out, out.Err)
			}
			if got := k.inTree("got.txt"); got != string(s.Prompt) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAgentsFilesAreTheOwnersAlone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("umask 022", "echo secret")
	s.Env = []string{"DATABASE_PASSWORD=hunter2-hunter2"}
	k.run(s)
	err := filepath.WalkDir(k.runs.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v", path, info.Mode())
		}
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if strings.Contains(string(content), "hunter2-hunter2") {
				t.Errorf("%s holds a secret of the environment", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestARunIsStartedOnce(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.script("echo x >> times.txt")
	k.run(s)
	if err := k.runs.Start(t.Context(), s); !errors.Is(err, ErrStarted) {
		t.Errorf("a second start: %v", err)
	}
	if got := k.inTree("times.txt"); got != "x\n" {
		t.Errorf("ran %q", got)
	}
}

// Invariant 4: never two agents in one worktree.
func TestOneRunAWorktree(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	first := k.script("until test -e go; do sleep 0.02; done")
	k.start(first)
	second := k.script("true")
	second.Dir = k.tree + "/."
	var busy *BusyError
	if err := k.runs.Start(t.Context(), second); !errors.As(err, &busy) || busy.Run != first.Run {
		t.Fatalf("a second run in the same worktree: %v", err)
	}
	if err := os.WriteFile(filepath.Join(k.tree, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k.wait(first.Run)
	if out := k.run(second); out.Result != OK {
		t.Errorf("after the first: %+v", out)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for name, change := range map[string]func(*Spec){
		"a way out of the folder": func(s *Spec) { s.Run = "../x" },
		"an option":               func(s *Spec) { s.Run = "-x" },
		"no id":                   func(s *Spec) { s.Run = "" },
		"no worktree":             func(s *Spec) { s.Dir = "" },
		"a worktree that is gone": func(s *Spec) { s.Dir = filepath.Join(k.tree, "none") },
		"an unknown autonomy":     func(s *Spec) { s.Autonomy = "root" },
		"a resume without the means": func(s *Spec) {
			s.Session = "abc" // lesson: a resume is refused, never faked
		},
	} {
		s := k.script("touch started")
		change(&s)
		if err := k.runs.Start(t.Context(), s); err == nil {
			t.Errorf("%s: started", name)
		}
	}
	if k.inTree("started") != "" {
		t.Error("something ran")
	}
	if ids, err := k.runs.List(); err != nil || len(ids) != 0 {
		t.Errorf("left %v, %v", ids, err)
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", "-v", "a\x00b", "a\n", strings.Repeat("x", 200)} {
		if _, err := k.runs.State(id); err == nil {
			t.Errorf("State(%q) has an answer", id)
		}
	}
	if _, err := k.runs.State("unknown"); !errors.Is(err, ErrNoRun) {
		t.Errorf("State of an unknown run: %v", err)
	}
}

func TestSupervisorThatCannotStart(t *testing.T) {
	t.Parallel()
	for name, self := range map[string][]string{
		"no such program":      {"/does/not/exist"},
		"ends without a word":  {"/bin/sh", "-c", "echo broken >&2; exit 1", "sh"},
		"says something else":  {"/bin/sh", "-c", "echo hello", "sh"},
		"ends without a stdio": {"/bin/true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			k.runs.Self = self
			s := k.script("touch started")
			err := k.runs.Start(t.Context(), s)
			if err == nil {
				t.Fatal("a failed spawn is no error")
			}
			if name == "ends without a word" && !strings.Contains(err.Error(), "broken") {
				t.Errorf("the supervisor's own words are missing: %v", err)
			}
			out, ended, err := k.runs.Outcome(s.Run)
			if err != nil || !ended || out.Result != Lost || out.Usage.USD == nil || *out.Usage.USD != 0 {
				t.Errorf("outcome %+v, %v, %v", out, ended, err)
			}
			if k.inTree("started") != "" {
				t.Error("the agent ran")
			}
		})
	}
}

func TestListAndUnfinished(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	if ids, err := k.runs.List(); err != nil || ids != nil {
		t.Errorf("before any run: %v, %v", ids, err)
	}
	if err := os.MkdirAll(filepath.Join(k.runs.Dir, ".new-123", "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	done := k.script("true")
	k.run(done)
	if begun, err := filepath.Glob(filepath.Join(k.runs.Dir, ".new-*")); err != nil || len(begun) != 0 {
		t.Errorf("half a run is left: %v, %v", begun, err)
	}
	going := k.script("sleep 600")
	k.start(going)
	ids, err := k.runs.List()
	if err != nil || len(ids) != 2 {
		t.Errorf("list %v, %v", ids, err)
	}
	ids, err = k.runs.Unfinished()
	if err != nil || len(ids) != 1 || ids[0] != going.Run {
		t.Errorf("unfinished %v, %v", ids, err)
	}
	st, err := k.runs.State(going.Run)
	if err != nil || !st.Alive || st.Finished || st.Key != going.Key || !st.Supervisor.Alive() || !st.Agent.Alive() {
		t.Errorf("state %+v, %v", st, err)
	}
	spec, err := k.runs.Spec(going.Run)
	if err != nil || spec.TimeLimit != time.Minute || spec.Agent.Name != "script" || spec.Dir != k.tree {
		t.Errorf("spec %+v, %v", spec, err)
	}
	if err := k.runs.Stop(t.Context(), going.Run, "end of test"); err != nil {
		t.Fatal(err)
	}
	k.wait(going.Run)
}

func TestEventsOfARun(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	s := k.jsonl(`echo '{"type":"session","id":"s"}'`, "echo noise", `echo '{"type":"result","ok":true,"text":"t"}'`)
	out := k.run(s)
	if out.Result != OK || out.Session != "s" || out.Text != "t" {
		t.Errorf("%+v, %v", out, out.Err)
	}
	var types []string
	if err := k.runs.Events(t.Context(), s.Run, func(ev Event) { types = append(types, string(ev.Type)) }); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(types, " "); got != "session result" {
		t.Errorf("events %s", got)
	}
	// Going on with the session, and with one that the agent does not know any more.
	again := k.jsonl(`echo "{\"type\":\"session\",\"id\":\"$1\"}"`, `echo '{"type":"result","ok":true}'`)
	again.Session = out.Session
	if out := k.run(again); out.Result != OK || out.Session != "s" {
		t.Errorf("%+v, %v", out, out.Err)
	}
	unknown := k.jsonl("echo no such session >&2", "exit 1")
	unknown.Session = "s"
	if out := k.run(unknown); out.Result != Failed || out.Session != "" {
		t.Errorf("%+v, %v", out, out.Err)
	}
	limited := k.jsonl("echo 'please SLOW DOWN' >&2", "exit 1")
	if out := k.run(limited); out.Result != Failed || !out.Err.Wait() || out.Usage.Input != nil || out.Usage.USD != nil {
		t.Errorf("%+v, %v", out, out.Err)
	}
	if err := k.runs.Events(t.Context(), "unknown", func(Event) {}); !errors.Is(err, ErrNoRun) {
		t.Errorf("%v", err)
	}
}

// An engine that is told to end while a supervisor comes up does not wait for it, and does not end it.
func TestStartIsCutShort(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.runs.Self = []string{"/bin/sh", "-c", "until test -e '" + k.tree + "/go'; do sleep 0.02; done; touch '" + k.tree + "/gone'", "sh"}
	s := k.script("true")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := k.runs.Start(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, ended, err := k.runs.Outcome(s.Run); ended || err != nil {
		t.Errorf("finished: %v, %v", ended, err)
	}
	if err := os.WriteFile(filepath.Join(k.tree, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k.eventually(func() bool { _, err := os.Stat(filepath.Join(k.tree, "gone")); return err == nil })
	if out := k.finish(s.Run); out.Result != Lost || !out.Recovered {
		t.Errorf("%+v", out)
	}
}

func BenchmarkStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	agent, _ := Builtin("script")
	dir := b.TempDir()
	r := Runs{Dir: filepath.Join(dir, "runs"), Self: []string{self, "supervise"}}
	i := 0
	for b.Loop() {
		i++
		tree := filepath.Join(dir, "w"+strconv.Itoa(i))
		if err := os.Mkdir(tree, 0o755); err != nil {
			b.Fatal(err)
		}
		s := Spec{Run: "r" + strconv.Itoa(i), Key: "0001-x", Agent: *agent, Dir: tree, Script: []byte("true\n")}
		if err := r.Start(b.Context(), s); err != nil {
			b.Fatal(err)
		}
		if out, err := r.Wait(b.Context(), s.Run); err != nil || out.Result != OK {
			b.Fatal(out, err)
		}
	}
}
