package runners

import (
	"path/filepath"
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
}

func TestRecordingsOfClaude(t *testing.T) {
	t.Parallel()
	const opus = "claude-opus-4-8[1m]"
	nothing := tokens(0, 0, 0, 0, -1).costing(0)
	for _, c := range []recorded{
		{file: "ok", want: Outcome{
			Result: OK, Session: "3cc44fbe-03cf-4667-8546-0c08eb8cfbce", Model: opus, Text: "Done: hello.txt created.",
			Usage: tokens(203, 8103, 2203, 63, -1).costing(0.02041025),
		}},
		{file: "resume", session: "3cc44fbe-03cf-4667-8546-0c08eb8cfbce", want: Outcome{
			// Resumed: the run's own figures, the earlier run's are not in them.
			Result: OK, Session: "3cc44fbe-03cf-4667-8546-0c08eb8cfbce", Model: "claude-opus-4-8", Text: "Plain answer, no tool used.",
			Usage: tokens(101, 3001, 2001, 41, -1).costing(0.015536750000000002),
		}},
		{file: "401-noretry", exit: 1, kind: KindLogin, message: "Invalid API key", want: Outcome{
			Result: Failed, Session: "3a144e33-2e29-4579-8088-d0a7964bd9ca", Model: opus, Text: "Invalid API key · Fix external API key", Usage: nothing,
		}},
		{file: "429", exit: 1, kind: KindLimit, message: "Rate limit reached", want: Outcome{
			Result: Failed, Session: "d2adf3c6-32bf-48ff-ad84-90eec47c0ca3", Model: opus,
			Text: "API Error: Request rejected (429) · Rate limit reached (fakellm)", Usage: nothing,
		}},
		{file: "529", exit: 1, kind: KindOverload, message: "Repeated 529 Overloaded errors", want: Outcome{
			Result: Failed, Session: "41b774ba-4728-4042-a9d1-0422fcfe6da5", Model: opus, Usage: nothing,
		}},
		{file: "ctx", exit: 1, kind: KindContext, message: "Prompt is too long", want: Outcome{
			Result: Failed, Session: "e1d5cbfe-0257-4d08-b783-8a987ef176e6", Model: opus, Usage: nothing,
		}},
		{file: "maxturns", exit: 1, kind: KindOther, message: "Reached maximum number of turns (3)", want: Outcome{
			Result: Failed, Session: "91874fad-e58d-4485-874b-9736171b8790", Model: opus, Text: "Reached maximum number of turns (3)",
			Usage: tokens(305, 13205, 2405, 85, -1).costing(0.02528375),
		}},
		{file: "denied-default", want: Outcome{
			// Refused a tool, and ends as if all were well.
			Result: OK, Session: "d18e7208-741f-4e8c-9ca3-fccd68d41f01", Model: opus,
			Text: "I could not create hello.txt: the tool was refused.", Denied: []string{"Write"},
			Usage: tokens(203, 8103, 2203, 63, -1).costing(0.02041025),
		}},
		{file: "no-key", exit: 1, kind: KindLogin, message: "Not logged in", want: Outcome{
			Result: Failed, Session: "e70e7ca6-1a87-48f4-b804-b4fa4b9f6a67", Model: opus, Text: "Not logged in · Please run /login", Usage: nothing,
		}},
		{file: "resume-unknown", exit: 1, session: "11111111-1111-4111-8111-111111111111", kind: KindSession, message: "No conversation found", want: Outcome{
			// The session is not there: the next run begins a fresh one.
			Result: Failed, Model: "asked-for", Usage: nothing,
			Text: "No conversation found with session ID: 11111111-1111-4111-8111-111111111111",
		}},
		{file: "sigint-sleep", exit: 0, kind: KindOther, want: Outcome{
			// Interrupted by somebody else: exit 0, and not done.
			Result: Failed, Session: "289eb532-df26-4b7c-94d9-c001d4e25fb4", Model: opus,
			Usage: tokens(101, 3001, 2001, 41, -1).costing(0.015536750000000002),
		}},
	} {
		t.Run(c.file, func(t *testing.T) { t.Parallel(); c.check(t, "claude") })
	}
}

func TestRecordingsOfCodex(t *testing.T) {
	t.Parallel()
	first := tokens(203, 8103, 2203, 63, 100)
	unknown := Usage{}
	none := tokens(0, 0, 0, 0, 0)
	for _, c := range []recorded{
		{file: "smoke-bypass", want: Outcome{
			Result: OK, Session: "01a22c9f-62e5-7650-a7e5-bc265763c4e7", Text: "Done: hello.txt created.", Usage: first, SessionUsage: &first,
		}},
		{file: "resume-stdin", session: "01a22c9f-d1ae-7593-9c61-e154193e2963", before: &first, want: Outcome{
			// The thread's total less what its first run used: one call.
			Result: OK, Session: "01a22c9f-d1ae-7593-9c61-e154193e2963", Text: "Plain answer, no tool used.",
			Usage: tokens(101, 3001, 2001, 41, 70), SessionUsage: &Usage{
				Input: count(304), CacheRead: count(11104), CacheWrite: count(4204), Output: count(104), Reasoning: count(170),
			},
		}},
		{file: "401", exit: 1, kind: KindLogin, message: "unexpected status 401", want: Outcome{
			Result: Failed, Session: "01a22c8a-e38c-7a20-9f41-0a2a5f90ba39", Usage: unknown, SessionUsage: &none,
		}},
		{file: "429", exit: 1, kind: KindLimit, message: "429 Too Many Requests", want: Outcome{
			Result: Failed, Session: "01a22c8b-04ad-7350-a50e-4b01fd70512e", Usage: unknown, SessionUsage: &none,
		}},
		{file: "503", exit: 1, kind: KindOverload, message: "overloaded", want: Outcome{
			Result: Failed, Session: "01a22c8b-0b64-7a32-9c58-d02bc314ccd5", Usage: unknown, SessionUsage: &none,
		}},
		{file: "ctx", exit: 1, kind: KindContext, message: "context window", want: Outcome{
			Result: Failed, Session: "01a22c8b-9ba1-7461-afd0-fba089fb6955", Usage: unknown, SessionUsage: &none,
		}},
		{file: "no-key", exit: 1, kind: KindLogin, message: "Missing environment variable", want: Outcome{
			Result: Failed, Session: "01a22c8d-1197-7303-bdd7-29330616057f", Usage: unknown, SessionUsage: &none,
		}},
		{file: "denied-default", want: Outcome{
			// This build reports no cache write.
			Result: OK, Session: "01a22c8b-5aa1-71c3-b112-faa99ade8482", Text: "Done: hello.txt created.",
			Denied: []string{`/bin/bash -lc "printf 'hello from fakellm\\n' > hello.txt"`},
			Usage:  tokens(2406, 8103, 0, 63, 100), SessionUsage: &Usage{
				Input: count(2406), CacheRead: count(8103), CacheWrite: count(0), Output: count(63), Reasoning: count(100),
			},
		}},
		{file: "direct-sigterm", exit: -1, signal: "SIGTERM", kind: KindOther, message: "ended by SIGTERM without a result", want: Outcome{
			Result: Failed, Session: "01a22c99-2577-7593-8cd0-0fea278cad53", Text: "I will create hello.txt.", Usage: unknown, SessionUsage: &none,
		}},
		{file: "nogit", exit: 1, kind: KindOther, message: "exit code 1 without a result: Not inside a trusted directory", want: Outcome{
			Result: Failed, Usage: unknown, SessionUsage: &none,
		}},
		{file: "resume-unknown", exit: 1, session: "01a22c8a-74e6-76c2-9044-ba0fca636f35", before: &first, kind: KindSession, message: "no rollout found", want: Outcome{
			Result: Failed, Usage: unknown, SessionUsage: &first,
		}},
	} {
		if c.want.Model == "" {
			c.want.Model = "asked-for" // it names no model
		}
		t.Run(c.file, func(t *testing.T) { t.Parallel(); c.check(t, "codex") })
	}
}

func (c recorded) check(t *testing.T, name string) {
	t.Helper()
	agent, ok := Builtin(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	base := filepath.Join("testdata", "recordings", name, c.file)
	r, err := logs{stdout: base + ".stdout", stderr: base + ".stderr", usage: base + ".usage.json"}.read(t.Context(), *agent)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{Agent: *agent, Session: c.session, SessionUsage: c.before, Model: "asked-for"}
	got := compose(spec, ending{seen: true, exit: c.exit, signal: c.signal}, r, onDesk{})
	if got.Err != nil {
		if got.Err.Kind != c.kind || !strings.Contains(got.Err.Message, c.message) {
			t.Errorf("error %+v, want %s with %q", got.Err, c.kind, c.message)
		}
		if wait := c.kind == KindLimit || c.kind == KindOverload; got.Err.Wait() != wait {
			t.Errorf("%s: wait %v", c.kind, got.Err.Wait())
		}
	} else if c.kind != "" {
		t.Errorf("no error, want %s", c.kind)
	}
	// What a failing run says is in its error; only what is expected by hand is compared.
	if c.want.Text == "" {
		got.Text = ""
	}
	got.Err, got.Summary = nil, ""
	c.want.Exit, c.want.Signal = c.exit, c.signal
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestToolsInRecordings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Event{
		"claude/ok":          {Type: EventTool, Name: "Write", Target: "/repo/hello.txt"},
		"codex/smoke-bypass": {Type: EventTool, Name: "shell", Target: `/bin/bash -lc "printf 'hello from fakellm\\n' > hello.txt"`},
	} {
		agent, ok := Builtin(filepath.Dir(name))
		if !ok {
			t.Fatal("no agent")
		}
		var tools []Event
		decoder, err := NewDecoder(*agent)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(readTestFile(t, "recordings/"+name+".stdout"), "\n") {
			decoder.Line(t.Context(), Line{Text: []byte(line), Size: int64(len(line))}, func(ev Event) {
				if ev.Type == EventTool {
					tools = append(tools, ev)
				}
			})
		}
		if diff := cmp.Diff([]Event{want}, tools); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if n, what := decoder.Unread(); n != 0 {
			t.Errorf("%s: %d left out: %s", name, n, what)
		}
	}
}

// No line of a recording makes a program fail: what it does not know it leaves out by itself.
func TestProgramsUnderstandEveryRecordedLine(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "codex", "copilot", "gemini", "opencode"} {
		files, err := filepath.Glob(filepath.Join("testdata", "recordings", name, "*.stdout"))
		if err != nil || len(files) < 10 {
			t.Fatalf("%v, %v", files, err)
		}
		agent, _ := Builtin(name)
		for _, file := range files {
			decoder, err := NewDecoder(*agent)
			if err != nil {
				t.Fatal(err)
			}
			if err := decoder.Stdout(t.Context(), strings.NewReader(readTestFile(t, strings.TrimPrefix(file, "testdata/"))), func(Event) {}); err != nil {
				t.Fatal(err)
			}
			if n, what := decoder.Unread(); n != 0 {
				t.Errorf("%s: %d left out: %s", file, n, what)
			}
		}
	}
}
