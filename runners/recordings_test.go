package runners

import (
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func count(n int64) *int64 { return &n }

func dollars(usd float64) *float64 { return &usd }

// tokens are the five buckets; -1 is unknown.
func tokens(input, read, write, output, reasoning int64) Usage {
	known := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	return Usage{Input: known(input), CacheRead: known(read), CacheWrite: known(write), Output: known(output), Reasoning: known(reasoning)}
}

func (u Usage) costing(usd float64) Usage {
	u.USD, u.Source = &usd, CostAgent
	return u
}

// recorded is what a recording must come out as, worked out by hand from what the scripted server sent.
type recorded struct {
	file    string
	exit    int
	signal  string
	session string // Spec.Session: the run was a resume
	before  *Usage // Spec.SessionUsage
	want    Outcome
	kind    ErrorKind
	message string // a part of it
	// texts are all that it said, tools all that it did ("name target"), in their order.
	texts, tools []string
	// stopped: whoever recorded it sent it a signal.
	stopped bool
}

const (
	begins = "I will create hello.txt."
	done   = "Done: hello.txt created."
	plain  = "Plain answer, no tool used."
)

// recordings are the rows of each agent.
func recordings() map[string][]recorded {
	return map[string][]recorded{
		"claude": claudeRecordings(), "codex": codexRecordings(), "gemini": geminiRecordings(), "copilot": copilotRecordings(),
		"opencode": opencodeRecordings(),
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, rows := range recordings() {
		for _, c := range rows {
			t.Run(name+"/"+c.file, func(t *testing.T) { t.Parallel(); c.check(t, name) })
		}
	}
}

// There is no recording without a row.
func TestEveryRecordingIsATest(t *testing.T) {
	t.Parallel()
	for name, rows := range recordings() {
		files, err := filepath.Glob(filepath.Join("testdata", "recordings", name, "*.meta.json"))
		if err != nil {
			t.Fatal(err)
		}
		have, want := map[string]bool{}, map[string]bool{}
		for _, file := range files {
			want[strings.TrimSuffix(filepath.Base(file), ".meta.json")] = true
		}
		for _, c := range rows {
			have[c.file] = true
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(have))); diff != "" || len(have) != len(rows) {
			t.Errorf("%s: %d rows (-recordings +rows)\n%s", name, len(rows), diff)
		}
	}
}

func (c recorded) check(t *testing.T, name string) {
	t.Helper()
	agent, ok := Builtin(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	base := unpacked(t, filepath.Join("testdata", "recordings", name, c.file))
	meta, err := readMeta(base + ".meta.json")
	if err != nil {
		t.Fatal(err)
	}
	if end := meta.ending(); end.exit != c.exit || end.signal != c.signal || (end.cause == Stopped) != c.stopped {
		t.Errorf("it was recorded with %+v", end)
	}
	r, err := logs{stdout: base + ".stdout", stderr: base + ".stderr", usage: base + ".usage.json"}.read(t.Context(), *agent)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{Agent: *agent, Session: c.session, SessionUsage: c.before, Model: "asked-for"}
	got := compose(spec, ending{seen: true, exit: c.exit, signal: c.signal}, r, onDesk{})
	c.checkError(t, got.Err)
	// What a failing run says is in its error; only what is expected by hand is compared.
	if c.want.Text == "" {
		got.Text = ""
	}
	got.Err, got.Summary = nil, ""
	c.want.Exit, c.want.Signal = c.exit, c.signal
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	c.checkRehearsal(t, *agent, base)
}

func (c recorded) checkError(t *testing.T, got *AgentError) {
	t.Helper()
	switch {
	case got == nil && c.kind != "":
		t.Errorf("no error, want %s", c.kind)
	case got == nil:
	case got.Kind != c.kind || !strings.Contains(got.Message, c.message):
		t.Errorf("error %+v, want %s with %q", got, c.kind, c.message)
	case got.Wait() != (c.kind == KindLimit || c.kind == KindOverload):
		t.Errorf("%s: wait %v", c.kind, got.Wait())
	case got.Reset != nil:
		t.Errorf("reset %v, and none was named", got.Reset)
	}
}

// checkRehearsal checks what is seen of the run: its words, its tools, and that one that was stopped is.
func (c recorded) checkRehearsal(t *testing.T, agent Agent, base string) {
	t.Helper()
	tried, err := Rehearse(t.Context(), agent, base+".stdout")
	if err != nil {
		t.Fatal(err)
	}
	var texts, tools []string
	for _, ev := range tried.Events {
		switch ev.Type {
		case EventText:
			texts = append(texts, ev.Text)
		case EventTool:
			tools = append(tools, strings.TrimSpace(ev.Name+" "+ev.Target))
		default:
		}
	}
	if diff := cmp.Diff(c.texts, texts); diff != "" {
		t.Errorf("texts (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(c.tools, tools); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
	want := c.want.Result
	if c.stopped {
		want = Stopped
	}
	if tried.Outcome.Result != want {
		t.Errorf("rehearsed as %s, want %s", tried.Outcome.Result, want)
	}
	if all := strings.Join(tried.Missing, "\n"); strings.Contains(all, "left out") || strings.Contains(all, "earlier runs") != (c.before != nil) {
		t.Errorf("missing: %s", all)
	}
}

// unpacked returns the recording's base name, of a copy where its stdout is packed.
func unpacked(t *testing.T, base string) string {
	t.Helper()
	f, err := os.Open(base + ".stdout.gz")
	if err != nil {
		return base
	}
	defer func() { _ = f.Close() }()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	meta, err := os.ReadFile(base + ".meta.json")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), filepath.Base(base))
	for name, data := range map[string][]byte{".stdout": stdout, ".meta.json": meta} {
		if err := os.WriteFile(copied+name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}
