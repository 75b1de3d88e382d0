package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

func TestCostsOnATerminal(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	usd := func(v float64) *float64 { return &v }
	run := func(key plans.Key, status plans.Status, cost *float64) lifecycle.Expense {
		e := lifecycle.Expense{Key: key, Title: "T", Status: status, CostRow: plans.CostRow{Run: string(key), Started: now, USD: cost, Seconds: usd(754)}}
		if status == plans.Merged {
			e.Merged = now
		}
		return e
	}
	all := []lifecycle.Expense{
		run("0001-a-plan", plans.Merged, usd(2)), run("0001-a-plan", plans.Merged, nil), run("0002-another-plan", plans.Failed, usd(0.004)),
		run("0003-third", plans.InReview, nil),
	}
	report := lifecycle.ReportCosts(all, lifecycle.ByPlan, time.Time{}, now)
	for width, want := range map[int]string{
		80: `PLAN STATE USD RUNS UNKNOWN TIME
0001-a-plan merged 2.00+ 2 1 25m8s #################?
0002-another-plan failed 0.0040 1 12m34s #
0003-third in-review unknown 1 1 12m34s ?

all $2.00 in 4 runs, of which 2 of unknown cost: the sum is
incomplete
merged $2.00 in 2 runs, of which 1 of unknown cost
failed, rejected <$0.01 in one run
open unknown (one run)
USD per merged plan 2.00 over 1 plan; at least, since some of it is unknown
`,
		38: `PLAN STATE USD
0001-a-plan merged 2.00+
0002-another-plan failed 0.0040
0003-third in-review unknown
`,
	} {
		var out bytes.Buffer
		f := NewFactory(IO{Out: &out, Err: &out, Env: func(string) string { return "" }, Term: term.Info{OutTTY: true, Width: width}}, Version{})
		if err := (costsOptions{f: f}).print(report); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for line := range strings.Lines(out.String()) {
			if len([]rune(strings.TrimRight(line, " \n"))) > width {
				t.Errorf("wider than %d: %q", width, line)
			}
			got.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
		}
		if have := got.String(); !strings.HasPrefix(have, want) {
			t.Errorf("%d columns (-want +got)\n%s", width, cmp.Diff(want, have))
		}
	}
}

func TestSinceWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "7d": "2026-11-23T12:00:00Z", "2w": "2026-11-16T12:00:00Z", "24h": "2026-11-29T12:00:00Z",
		"2026-11-01": "2026-11-01T00:00:00Z", "d": "error", "-1d": "error", "7": "error", "7y": "error", "soon": "error",
	} {
		got := "error"
		if at, err := sinceTime(in, now); err == nil {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
