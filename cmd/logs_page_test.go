package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/term"
	"tendril/lifecycle"
)

func TestLogsReadLikeAConversation(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 17, 41, 0, 0, time.UTC)
	n, tokens, usd := 12.4, int64(88_120), 0.1132
	talk := []lifecycle.Utterance{
		{Type: lifecycle.TalkRun, Round: 1, Attempt: 2, At: &at, Agent: "claude", Model: "opus"},
		{Type: lifecycle.TalkTold, Text: "These checks failed:\n\n## test: exit code 1\nno \x1b[31mgreeting"},
		{Type: lifecycle.TalkSaid, By: "Pat Person", Text: "use tabs"},
		{Type: lifecycle.TalkText, Text: "I will do that, and I will say it in so many words that the line does not fit into the terminal."},
		{Type: lifecycle.TalkTool, Name: "Bash", Target: "go test ./... &&\n echo " + strings.Repeat("x", 100)},
		{Type: lifecycle.TalkTook, Took: &n},
		{Type: lifecycle.TalkTool, Name: "Write", Target: "src/a.go"},
		{Type: lifecycle.TalkError, Name: "denied", Text: "Write"},
		{Type: lifecycle.TalkText, Text: "Done.\r\x07"},
		{Type: lifecycle.TalkEnd, End: &lifecycle.TalkEnding{Outcome: "ok", Seconds: &n, Tokens: &tokens, USD: &usd}},
		{Type: lifecycle.TalkRun, Round: 2, Attempt: 1, At: &at, Agent: "claude", Turn: "attach"},
		{Type: lifecycle.TalkEnd, End: &lifecycle.TalkEnding{Outcome: "lost", Why: "its supervisor died"}},
		{Type: lifecycle.TalkChecks, Text: "passed", Checks: []lifecycle.TalkCheck{{Name: "scope", Result: "passed"}, {Name: "test", Result: "passed", Seconds: 3.21}}},
		{Type: lifecycle.TalkRest, Text: "it is in-review"},
	}
	want := `== round 1, attempt 2: claude:opus, 2026-11-30 17:41

What failed before:
    These checks failed:

    ## test: exit code 1
    no [31mgreeting

Pat Person said: use tabs

I will do that, and I will say it in so many words that the
    line does not fit into the terminal.

  → Bash go test ./... && echo xxxxxxxxxxxxxxxxxxxxxxxxxx...
    took 12s
  → Write src/a.go
  ! denied: Write

Done.

-- ok after 12s, 88k tokens, $0.11

== round 2, attempt 1, a person at the agent's program:
    claude, 2026-11-30 17:41
-- lost, cost unknown: its supervisor died
Checks: passed
    passed   scope
    passed   test (3.2 s)
-- it is in-review
`
	var out bytes.Buffer
	page := talkPage{out: &out, term: term.Info{OutTTY: true, Width: 60}, zone: time.UTC}
	for _, u := range talk {
		if err := page.print(u); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "\n    \n", "\n\n"), strings.ReplaceAll(out.String(), "\n    \n", "\n\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
