package cmd

import (
	"strings"
	"testing"
	"time"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

func TestMessagesFitATerminal(t *testing.T) {
	t.Parallel()
	const message = "a draft, in commit da128253d2; next: tendril edit 0001-say-hello-in-french, then tendril approve 0001-say-hello-in-french"
	for name, c := range map[string]struct {
		info term.Info
		want string
	}{
		"terminal": {
			term.Info{ErrTTY: true, Width: 80},
			"a draft, in commit da128253d2; next: tendril edit 0001-say-hello-in-french, then\n    tendril approve 0001-say-hello-in-french\n",
		},
		"file": {term.Info{Width: 80}, message + "\n"},
	} {
		var said strings.Builder
		NewFactory(IO{Err: &said, Term: c.info}, Version{}).Infof("%s", message)
		if said.String() != c.want {
			t.Errorf("%s: %q", name, said.String())
		}
	}
}

func TestShowFitsATerminal(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a plan's own line stays as it is ", 4)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d := &lifecycle.Detail{Text: []byte(text + "\n")}
	d.Key, d.Title, d.Status, d.Since = "0001-say-hello-in-french", "Say hello", plans.InReview, &at
	d.Next = "tendril diff 0001-say-hello-in-french, then tendril accept 0001-say-hello-in-french"
	shown := showText(d, 80)
	if !strings.Contains(shown, "\n"+text) || !strings.Contains(shown, "then tendril accept\n    0001-say") {
		t.Error(shown)
	}
	if got := showText(d, 0); !strings.Contains(got, d.Next) {
		t.Errorf("without a terminal\n%s", got)
	}
}
