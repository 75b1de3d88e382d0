package live

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

func TestRecordLines(t *testing.T) {
	t.Parallel()
	name := lifecycle.Scene{Shared: []int{9}}.Name
	for about, c := range map[string]struct {
		key   plans.Key
		text  string
		width int
		want  []string
	}{
		"short": {"0007-add-search", "attempt 1 of 3: claude:opus", 79, []string{"12:00:00 0007 attempt 1 of 3: claude:opus"}},
		"commands name plans as people do": {
			"0007-add-search", "is in-review now: tendril diff 0007-add-search, then tendril accept 0007-add-search", 79,
			[]string{"12:00:00 0007 is in-review now: tendril diff 0007, then tendril accept 0007"},
		},
		"branches and paths stay whole": {
			"0007-add-search", "branch tendril/0007-add-search deleted; plans/0007-add-search/plan.md", 90,
			[]string{"12:00:00 0007 branch tendril/0007-add-search deleted; plans/0007-add-search/plan.md"},
		},
		"wrapped": {
			"0007-add-search", "is in-review now: tendril diff 0007, then tendril accept 0007", 49,
			[]string{"12:00:00 0007 is in-review now: tendril diff", "              0007, then tendril accept 0007"},
		},
		"of no plan":                   {"", "the base moved", 79, []string{"12:00:00 tendril the base moved"}},
		"several lines, control signs": {"0007-a", "what\n  next \x1b[2Jstep", 79, []string{"12:00:00 0007 what", "                next [2Jstep"}},
		"a number that two plans carry": {
			"0009-a-long-name-of-a-plan", "begins", 40, []string{"12:00:00 0009-a-long-name-of-a-plan", "         begins"},
		},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			got := recordLines(lifecycle.Event{At: noon, Key: c.key, Text: c.text}, name, c.width, term.Info{})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 999 * time.Millisecond: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s",
		2*time.Hour + 5*time.Minute: "2h05m", 76 * time.Hour: "3d04h",
	} {
		if got := elapsed(d); got != want {
			t.Errorf("elapsed(%s) = %s, want %s", d, got, want)
		}
	}
	n := func(i int64) *int64 { return &i }
	usd := func(f float64) *float64 { return &f }
	for _, c := range []struct {
		spent        lifecycle.Spent
		tokens, cost string
	}{
		{lifecycle.Spent{}, "", ""},
		{lifecycle.Spent{MoreUSD: true, MoreTokens: true}, "", "$?"},
		{lifecycle.Spent{Tokens: n(0), USD: usd(0)}, "0 tokens", "$0.00"},
		{lifecycle.Spent{Tokens: n(999), USD: usd(0.001), MoreUSD: true}, "999 tokens", "<$0.01+"},
		{lifecycle.Spent{Tokens: n(999_949), USD: usd(12.345)}, "999.9k tokens", "$12.35"},
		{lifecycle.Spent{Tokens: n(1_250_000), MoreTokens: true, USD: usd(0), Free: true}, "1.2M+ tokens", ""},
	} {
		if tokens(c.spent) != c.tokens || cost(c.spent) != c.cost {
			t.Errorf("%+v: %q, %q", c.spent, tokens(c.spent), cost(c.spent))
		}
	}
	if got := strings.Join(wrap("aaaaaaaaaa bb", 4), "|"); got != "aaaa|aaaa|aa|bb" && got != "aaaa|aaaa|aa b|b" {
		t.Errorf("wrap: %q", got)
	}
}
