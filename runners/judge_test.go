package runners

import (
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	done, notDone := &Event{Type: EventResult, OK: true}, &Event{Type: EventResult, Text: "gave up"}
	failure := func(kind ErrorKind, message string) Event {
		return Event{Type: EventError, Kind: kind, Message: message}
	}
	exit := func(code int) ending { return ending{seen: true, exit: code} }
	for _, c := range []struct {
		name    string
		output  string
		end     ending
		r       reading
		want    Result
		kind    ErrorKind
		message string
	}{
		{name: "done", output: OutputJSONL, end: exit(0), r: reading{result: done}, want: OK},
		{name: "done, whatever its exit code", output: OutputJSONL, end: exit(1), r: reading{result: done}, want: OK},
		{name: "done, and killed before it ended", output: OutputJSONL, end: ending{seen: true, exit: -1, signal: "SIGKILL"}, r: reading{result: done}, want: Failed, kind: KindOther, message: "ended by SIGKILL"},
		{name: "killed while it tried again", output: OutputJSONL, end: ending{seen: true, exit: -1, signal: "SIGKILL"}, r: reading{retries: []Event{failure(KindOverload, "busy")}}, want: Failed, kind: KindOverload, message: "busy"},
		{name: "failed of something else after it had tried again", output: OutputJSONL, end: exit(1), r: reading{result: notDone, retries: []Event{failure(KindOverload, "busy")}}, want: Failed, kind: KindOther, message: "gave up"},
		{name: "exit 0 without a result is no end", output: OutputJSONL, end: exit(0), want: Failed, kind: KindOther, message: "exit code 0 without a result"},
		{name: "exit 0 with a result that failed", output: OutputJSONL, end: exit(0), r: reading{result: notDone}, want: Failed, kind: KindOther, message: "gave up"},
		{name: "an error that it recovered from", output: OutputJSONL, end: exit(0), r: reading{result: done, errs: []Event{failure(KindLimit, "slow down")}}, want: OK},
		{name: "the error that says most", output: OutputJSONL, end: exit(1), r: reading{result: notDone, errs: []Event{failure(KindLogin, "who?"), failure(KindOther, "odd")}}, want: Failed, kind: KindLogin, message: "who?"},
		{name: "the last of its kind", output: OutputJSONL, end: exit(1), r: reading{errs: []Event{failure(KindNetwork, "a"), failure(KindLimit, "b")}}, want: Failed, kind: KindLimit, message: "b"},
		{name: "a limit by its words", output: OutputJSONL, end: exit(1), r: reading{stderr: "HTTP 999: Slow DOWN please"}, want: Failed, kind: KindLimit, message: "Slow DOWN"},
		{name: "a limit's words beside a verdict", output: OutputJSONL, end: exit(1), r: reading{result: notDone, stderr: "slow down"}, want: Failed, kind: KindOther, message: "gave up"},
		{name: "a limit's words in a run that is done", output: OutputJSONL, end: exit(0), r: reading{result: done, stderr: "slow down"}, want: OK},
		{name: "stderr before plain words", output: OutputJSONL, end: exit(2), r: reading{stderr: "a\nlast\n", plain: "plain"}, want: Failed, kind: KindOther, message: "exit code 2 without a result: last"},
		{name: "text", output: OutputText, end: exit(0), want: OK},
		{name: "text that failed", output: OutputText, end: exit(9), r: reading{text: "oops"}, want: Failed, kind: KindOther, message: "exit code 9: oops"},
		{name: "a signal", output: OutputText, end: ending{seen: true, exit: -1, signal: "SIGKILL"}, want: Failed, kind: KindOther, message: "ended by SIGKILL"},
		{name: "our time limit, whatever it says", output: OutputJSONL, end: ending{cause: Timeout, seen: true}, r: reading{result: done}, want: Timeout, kind: KindOther, message: "time limit"},
		{name: "our stop, whatever it says", output: OutputText, end: ending{cause: Stopped, why: "by tendril stop", seen: true}, want: Stopped, kind: KindOther, message: "by tendril stop"},
		{name: "stalled while it tried again", output: OutputJSONL, end: ending{cause: Stalled, seen: true}, r: reading{retries: []Event{failure(KindLimit, "429, try 7")}}, want: Stalled, kind: KindOther, message: "it tried again: 429, try 7"},
		{name: "stalled", output: OutputText, end: ending{cause: Stalled, seen: true}, want: Stalled, kind: KindOther, message: "no output"},
		{name: "lost", output: OutputText, end: ending{cause: Lost, why: "its supervisor died"}, want: Lost, kind: KindOther, message: "its supervisor died"},
		{name: "lost after it was done", output: OutputJSONL, end: ending{cause: Lost, exit: -1}, r: reading{result: done}, want: OK},
		{name: "lost after it had failed", output: OutputJSONL, end: ending{cause: Lost, exit: -1}, r: reading{result: notDone}, want: Failed, kind: KindOther, message: "gave up"},
		{name: "told to end by our supervisor, and then done", output: OutputJSONL, end: ending{cause: Lost, seen: true, why: "SIGTERM"}, r: reading{result: done}, want: Lost, kind: KindOther, message: "SIGTERM"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := judge(Agent{Output: c.output, Limits: []string{"slow.?down"}}, c.end, &c.r)
			if got != c.want || (err == nil) != (c.want == OK) {
				t.Fatalf("%s, %v; want %s", got, err, c.want)
			}
			if err != nil && (err.Kind != c.kind || !strings.Contains(err.Message, c.message)) {
				t.Errorf("%+v, want %s %q", err, c.kind, c.message)
			}
		})
	}
}

func TestMessageIsOneShortLine(t *testing.T) {
	t.Parallel()
	_, err := judge(Agent{Output: OutputText}, ending{seen: true, exit: 1}, &reading{stderr: strings.Repeat("ü ", 9000)})
	if len(err.Message) > maxMessage+10 || strings.Contains(err.Message, "\n") {
		t.Errorf("%d bytes", len(err.Message))
	}
	_, err = judge(Agent{Output: OutputJSONL}, ending{seen: true}, &reading{errs: []Event{{Kind: KindOther, Message: "a\n  b\tc"}}})
	if err.Message != "a b c" {
		t.Errorf("%q", err.Message)
	}
}

func TestResetOfALimit(t *testing.T) {
	t.Parallel()
	at := time.Unix(1764500000, 0)
	limit := func(reset *time.Time) Event { return Event{Kind: KindLimit, Message: "m", Reset: reset} }
	for name, errs := range map[string][]Event{
		"on the last":           {limit(nil), limit(&at)},
		"on an earlier one":     {limit(&at), limit(nil)},
		"behind an odd one":     {limit(&at), {Kind: KindOther, Message: "x"}},
		"before another kind's": {{Kind: KindNetwork, Message: "x"}, limit(&at)},
	} {
		if got := worst(errs); got.Kind != KindLimit || got.Reset == nil || !got.Reset.Equal(at) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := worst([]Event{limit(&at), {Kind: KindNetwork, Message: "x"}}); got.Reset != nil {
		t.Errorf("another kind got the reset: %+v", got)
	}
}

func TestWhoIsNotLoggedInIsToldHow(t *testing.T) {
	t.Parallel()
	r := newReading(Agent{})
	r.errs = []Event{{Type: EventError, Kind: KindLogin, Message: "no key"}}
	_, err := judge(Agent{Output: OutputJSONL, Login: "log in: do this"}, ending{seen: true, exit: 1}, r)
	if err == nil || err.Message != "no key\n  log in: do this" {
		t.Errorf("%v", err)
	}
	if _, err := judge(Agent{Output: OutputJSONL}, ending{seen: true, exit: 1}, r); err == nil || err.Message != "no key" {
		t.Errorf("%v", err)
	}
}

func TestErrorsOfCodex(t *testing.T) {
	t.Parallel()
	agent, ok := Builtin("codex")
	if !ok {
		t.Fatal("no codex")
	}
	for message, want := range map[string]struct {
		kind  ErrorKind
		reset string
	}{
		"We're currently experiencing high demand, which may cause temporary errors.":  {KindOverload, ""},
		"You've hit your usage limit. Upgrade or try again at Dec 2nd, 2026 12:07 AM.": {KindLimit, "2026-12-02T00:08:00Z"},
		"You've hit your usage limit. try again at Jan 21st, 2027 11:59 PM.":           {KindLimit, "2027-01-22T00:00:00Z"},
	} {
		decoder, err := NewDecoder(*agent)
		if err != nil {
			t.Fatal(err)
		}
		var got *Event
		decoder.Line(t.Context(), Line{Text: []byte(`{"type":"turn.failed","error":{"message":"` + message + `"}}`)}, func(ev Event) {
			if ev.Type == EventError {
				got = &ev
			}
		})
		if got == nil || got.Kind != want.kind {
			t.Fatalf("%s: %+v", message, got)
		}
		reset := ""
		if got.Reset != nil {
			reset = got.Reset.UTC().Format(time.RFC3339)
		}
		if reset != want.reset {
			t.Errorf("%s: reset %q, want %q", message, reset, want.reset)
		}
	}
}
