package plans

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const costsHead = "run,unit,candidate,round,attempt,agent,model,started,seconds,input,cache_read,cache_write,output,reasoning,usd,source,outcome\n"

func TestCosts(t *testing.T) {
	t.Parallel()
	sec, zero, usd, in := 12.5, int64(0), 0.0, int64(123456789)
	rows := []CostRow{
		{
			Run: "r-1", Unit: "ExecutePlan", Candidate: "claude-opus", Round: 1, Attempt: 2, Agent: "claude", Model: "opus, the big one",
			Started: time.Date(2026, 11, 30, 12, 0, 5, 0, time.FixedZone("", 3600)), Seconds: &sec, Input: &in, CacheRead: &zero, USD: &usd,
			Source: "reported", Outcome: "ok",
		},
		{Run: "r-2"},
	}
	want := costsHead + `r-1,ExecutePlan,claude-opus,1,2,claude,"opus, the big one",2026-11-30T11:00:05Z,12.5,123456789,0,,,,0,reported,ok` + "\nr-2,,,,,,,,,,,,,,,,\n"
	got, err := MarshalCosts(rows)
	if err != nil || string(got) != want {
		t.Fatalf("got %v\n%s\nwant\n%s", err, got, want)
	}
	for _, src := range []string{want, "\xef\xbb\xbf" + strings.ReplaceAll(want, "\n", "\r\n")} {
		back, err := ParseCosts("c", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		rows[0].Started = rows[0].Started.UTC()
		if diff := cmp.Diff(rows, back); diff != "" {
			t.Error(diff)
		}
	}
	if back, err := ParseCosts("c", []byte(want)); err != nil || back[1].USD != nil || *back[0].USD != 0 {
		t.Error("unknown and zero are mixed up")
	}
}

func TestAppendCost(t *testing.T) {
	t.Parallel()
	one, two := 1.0, 2.0
	first, err := AppendCost(nil, CostRow{Run: "a", USD: &one})
	if err != nil {
		t.Fatal(err)
	}
	second, err := AppendCost(first, CostRow{Run: "b", USD: &one})
	if err != nil {
		t.Fatal(err)
	}
	again, err := AppendCost(second, CostRow{Run: "a", USD: &two})
	if err != nil {
		t.Fatal(err)
	}
	if want := costsHead + "a,,,,,,,,,,,,,,2,,\nb,,,,,,,,,,,,,,1,,\n"; string(again) != want {
		t.Errorf("got\n%s\nwant\n%s", again, want)
	}
	// Both sides of a merge wrote the run.
	rows, err := ParseCosts("c", append(second, []byte("a,,,,,,,,,,,,,,2,,\n")...))
	if err != nil || len(rows) != 2 || *rows[0].USD != 2 {
		t.Errorf("got %v, %v", rows, err)
	}
	if _, err := AppendCost([]byte("nonsense\n"), CostRow{Run: "a"}); err == nil {
		t.Error("a broken file is appended to")
	}
}

func TestCostsRefuse(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"other header":   "run,cost\na,1\n",
		"columns":        costsHead + "a,b\n",
		"no run":         costsHead + ",,,,,,,,,,,,,,1,,\n",
		"comma decimals": costsHead + "a,,,,,,,,,,,,,,\"1,5\",,\n",
		"negative":       costsHead + "a,,,,,,,,,-5,,,,,,,\n",
		"not a number":   costsHead + "a,,,,,,,,,,,,,,NaN,,\n",
		"infinite":       costsHead + "a,,,,,,,,,,,,,,+Inf,,\n",
		"date":           costsHead + "a,,,,,,,yesterday,,,,,,,,,\n",
		"quotes":         costsHead + "a,\"b,,,\n",
		"conflict":       costsHead + "<<<<<<< a\na,,,,,,,,,,,,,,,,\n",
		"not UTF-8":      costsHead + "a\xff,,,,,,,,,,,,,,,,\n",
	} {
		rows, err := ParseCosts("c", []byte(src))
		var bad *SyntaxError
		if !errors.As(err, &bad) || rows != nil || !strings.HasPrefix(err.Error(), "c:") {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	nan, minus := math.NaN(), int64(-1)
	for name, row := range map[string]CostRow{"no run": {}, "nan": {Run: "a", USD: &nan}, "negative": {Run: "a", Output: &minus}, "round": {Run: "a", Round: -1}} {
		if out, err := MarshalCosts([]CostRow{row}); err == nil {
			t.Errorf("%s is written as %q", name, out)
		}
	}
}

func TestCostsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Ptr(rapid.Float64Range(0, 1e15), true)
		tokens := rapid.Ptr(rapid.Int64Range(0, math.MaxInt64), true)
		words := rapid.String()
		row := CostRow{
			Run: "r" + words.Draw(t, "run"), Unit: words.Draw(t, "unit"), Model: words.Draw(t, "model"), Outcome: words.Draw(t, "outcome"),
			Round: rapid.IntRange(0, 99).Draw(t, "round"), Seconds: number.Draw(t, "seconds"), USD: number.Draw(t, "usd"),
			Input: tokens.Draw(t, "input"), Reasoning: tokens.Draw(t, "reasoning"), Started: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "started"), 0).UTC(),
		}
		out, err := MarshalCosts([]CostRow{row})
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseCosts("c", out)
		if err != nil || len(back) != 1 {
			t.Fatalf("%q: %v, %v", out, back, err)
		}
		got := back[0]
		row.Run, row.Unit, row.Model, row.Outcome = got.Run, got.Unit, got.Model, got.Outcome
		if !cmp.Equal(row, got) {
			t.Fatal(cmp.Diff(row, got))
		}
		again, err := MarshalCosts(back)
		if err != nil || string(again) != string(out) {
			t.Fatalf("%q, then %q (%v)", out, again, err)
		}
	})
}
