package runners

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLinesAreAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\r\x00ü")), 0, 300, -1).Draw(t, "text")
		want := strings.Split(text, "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1] // the end of the last line, not another one
		}
		var in io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "in small pieces") {
			in = iotest.OneByteReader(in)
		}
		lines := newLineReader(in)
		for i := 0; ; i++ {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				if i != len(want) {
					t.Fatalf("%d lines of %q, want %d", i, text, len(want))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(line.Text); got != strings.TrimSuffix(want[i], "\r") || line.Cut() {
				t.Fatalf("line %d of %q: %q, cut %v", i, text, got, line.Cut())
			}
		}
	})
}

func TestLinesAroundTheLimit(t *testing.T) {
	t.Parallel()
	for _, size := range []int{maxLine - 1, maxLine, maxLine + 1, maxLine + 300<<10} {
		lines := newLineReader(strings.NewReader(strings.Repeat("x", size) + "\nnext\n"))
		line, err := lines.next()
		if err != nil || line.Size != int64(size) || line.Cut() != (size > maxLine) {
			t.Errorf("%d: size %d, cut %v, %v", size, line.Size, line.Cut(), err)
		}
		if line.Cut() && len(line.Text) > keptOfLong {
			t.Errorf("%d: %d bytes kept", size, len(line.Text))
		}
		if line, err = lines.next(); err != nil || string(line.Text) != "next" {
			t.Errorf("%d: then %q, %v", size, line.Text, err)
		}
	}
}

// eventsOf decodes stdout with a program.
func eventsOf(t *testing.T, program, stdout string) ([]Event, *Decoder) {
	t.Helper()
	decoder, err := NewDecoder(Agent{Name: "x", Output: OutputJSONL, Events: program})
	if err != nil {
		t.Fatal(err)
	}
	var events []Event
	if err := decoder.Stdout(t.Context(), strings.NewReader(stdout), func(ev Event) { events = append(events, ev) }); err != nil {
		t.Fatal(err)
	}
	return events, decoder
}

// Lesson 66: a line of many megabytes loses nothing but itself, and memory stays bounded.
func TestLineOfTwentyMegabytes(t *testing.T) {
	t.Parallel()
	long := `{"type":"text","text":"` + strings.Repeat("x", 20<<20) + `"}`
	in := io.MultiReader(strings.NewReader(`{"type":"session","id":"s"}`+"\n"), strings.NewReader(long),
		strings.NewReader("\n"+`{"type":"usage","input":3,"usd":0.5}`+"\n"+`{"type":"result","ok":true}`))
	decoder, err := NewDecoder(Agent{Events: "."})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var types []string
	if err := decoder.Stdout(t.Context(), in, func(ev Event) { types = append(types, string(ev.Type)) }); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := strings.Join(types, " "); got != "session usage result" {
		t.Errorf("got %s", got)
	}
	if n, what := decoder.Unread(); n != 1 || !strings.Contains(what, "20971545 bytes") {
		t.Errorf("%d left out: %s", n, what)
	}
	// Growing to the limit costs a few times the limit, not a multiple of the line; other tests allocate beside it.
	if grown := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && grown > 10*maxLine {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

func TestDecoderLeavesOutWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	events, d := eventsOf(t, `if .n then error("broken") elif .many then range(5000) | {type: "text", text: "x"} else . end`, strings.Join([]string{
		`Warning: this is no JSON`,
		`{"type":"session","id":"s","model":"m"}`,
		`{"type":"unheard-of","x":1}`,
		`{"n":1}`,
		`[1,2]`,
		`"words"`,
		``,
		`{"type":"result"}`,
		`{"type":"error","kind":"strange","message":"m","reset":"soon"}`,
		`{"type":"error","kind":"limit","message":"m","reset":1764500000}`,
		`{"type":"error","kind":"limit","message":"m","reset":"2026-11-30T12:00:00Z"}`,
		`{"type":"usage","input":-1,"output":1.5,"cache_read":"7","cache_write":null,"reasoning":0,"usd":-3}`,
		`{"type":"result","ok":false,"text":"t"}`,
		`{cut off`,
	}, "\n"))
	var got []string
	for _, ev := range events {
		got = append(got, string(ev.Type))
	}
	if diff := cmp.Diff([]string{"session", "error", "error", "error", "usage", "result"}, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if events[1].Kind != KindOther || events[1].Reset != nil {
		t.Errorf("%+v", events[1])
	}
	if events[2].Reset.Unix() != 1764500000 || events[3].Reset.Unix() != 1796040000 {
		t.Errorf("resets %v, %v", events[2].Reset, events[3].Reset)
	}
	// What is no count is unknown; a zero is a zero, and digits in quotes are a number.
	if diff := cmp.Diff(Usage{CacheRead: count(7), Reasoning: count(0)}, events[4].Usage); diff != "" {
		t.Errorf("usage (-want +got)\n%s", diff)
	}
	if want := "Warning: this is no JSON\n{cut off"; d.Plain() != want {
		t.Errorf("plain %q, want %q", d.Plain(), want)
	}
	if n, what := d.Unread(); n != 5 || !strings.Contains(what, "no event") {
		t.Errorf("%d left out: %s", n, what)
	}
	if events, d = eventsOf(t, `range(5000) | {type: "text", text: "x"}`, "1"); len(events) != maxEvents {
		t.Errorf("%d events of one line", len(events))
	} else if n, _ := d.Unread(); n != 1 {
		t.Error("that events were left out is not said")
	}
}

// A program sees the line and nothing else: no environment of ours.
func TestProgramSeesTheLineAlone(t *testing.T) {
	t.Parallel()
	events, _ := eventsOf(t, `{type: "text", text: "\(env | length) \($ENV | length)"}`, "1")
	if len(events) != 1 || events[0].Text != "0 0" {
		t.Errorf("%+v", events)
	}
	for _, program := range []string{`input`, `input_filename`, `import "x" as x; .`} {
		decoder, err := NewDecoder(Agent{Events: program})
		if err != nil {
			continue
		}
		decoder.Line(t.Context(), Line{Text: []byte("1"), Size: 1}, func(ev Event) { t.Errorf("%s: %+v", program, ev) })
	}
}

func TestStderrAndFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	agent, err := ParseAgent("x", []byte(`
command: [a, --usage, "{{.UsageFile}}"]
prompt: stdin
output: jsonl
usage: total
events: |
  if .stderr then (.stderr | select(test("fatal")) | {type: "error", kind: "login", message: .})
  elif .file then {type: "usage", id: "f", input: .file.n}
  else . end
`))
	if err != nil {
		t.Fatal(err)
	}
	l := logs{
		stdout: write("out", `{"type":"result","ok":false}`), stderr: write("err", "noise\nfatal: who are you\n"), usage: write("use", `{"n": 12}`),
	}
	r, err := l.read(t.Context(), *agent)
	if err != nil {
		t.Fatal(err)
	}
	out := compose(Spec{Agent: *agent}, ending{seen: true, exit: 1}, r, onDesk{})
	if out.Err == nil || out.Err.Kind != KindLogin || out.Err.Message != "fatal: who are you" {
		t.Errorf("%+v", out.Err)
	}
	if out.Usage.Input == nil || *out.Usage.Input != 12 {
		t.Errorf("%+v", out.Usage)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte(`{"type":"usage","input":1e400}` + "\n" + `{"type":"result","ok":true}`))
	f.Add([]byte("\x00\xff\n\r\n[[[[{"))
	claude, _ := Builtin("claude")
	codex, _ := Builtin("codex")
	for _, file := range []string{"claude/ok", "codex/401"} {
		data, err := os.ReadFile(filepath.Join("testdata", "recordings", filepath.FromSlash(file)+".stdout"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		for _, agent := range []*Agent{claude, codex} {
			decoder, err := NewDecoder(*agent)
			if err != nil {
				t.Fatal(err)
			}
			r := newReading(*agent)
			if err := decoder.Stdout(t.Context(), bytes.NewReader(stdout), r.take); err != nil {
				t.Fatal(err)
			}
			out := compose(Spec{Agent: *agent}, ending{seen: true}, r, onDesk{})
			for _, n := range []*int64{out.Usage.Input, out.Usage.CacheRead, out.Usage.CacheWrite, out.Usage.Output, out.Usage.Reasoning} {
				if n != nil && *n < 0 {
					t.Errorf("a negative count: %+v", out.Usage)
				}
			}
			if (out.Err == nil) != (out.Result == OK) {
				t.Errorf("%s with error %v", out.Result, out.Err)
			}
		}
	})
}

// A text in pieces that never ends is kept as far as the last words of an agent are, and is seen to be cut off.
func TestPiecesWithoutEnd(t *testing.T) {
	t.Parallel()
	d := &Decoder{}
	for range 3 * maxText / 10 {
		ev := d.joined(Event{Type: EventText, Delta: true, Text: "ten bytes\u00fc"})
		if len(ev.Text) > maxText+10 {
			t.Fatalf("%d bytes kept", len(ev.Text))
		}
	}
	if got := clip(d.said.String(), maxText); !strings.HasSuffix(got, " …") || strings.Contains(got, "\uFFFD") {
		t.Errorf("ends in %q", got[len(got)-20:])
	}
	d.joined(Event{Type: EventTool})
	if ev := d.joined(Event{Type: EventText, Delta: true, Text: "anew"}); ev.Text != "anew" {
		t.Errorf("the next one is %q", ev.Text)
	}
}
