package verify

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tendril/plans"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "a\n": "a\n", "a\na\na\nb\n": "a (3 times)\nb\n", "a\nb\na\n": "a\nb\na\n", "x\n\n\n\ny": "x\n\ny", "a\na": "a\na", "\n": "\n",
	} {
		if got := string(fold([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestEndOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789\n", 100)
	got := string(endOf([]byte(long), 200))
	if len(got) > 200 || !strings.HasPrefix(got, "[the first ") || !strings.HasSuffix(got, "left out]\n"+strings.Repeat("0123456789\n", strings.Count(got, "0123456789"))) {
		t.Errorf("%q", got)
	}
	if got := string(endOf([]byte("short"), 200)); got != "short" {
		t.Errorf("%q", got)
	}
}

func TestFeedbackIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "failures")
		var all []failure
		for i := range n {
			size := rapid.IntRange(0, 80<<10).Draw(t, "size")
			piece := rapid.SampledFrom([]string{"x", "line\n", "é\n", "日本", "a\nb\n", ""}).Draw(t, "piece")
			all = append(all, failure{
				name: fmt.Sprintf("check %d", i), command: strings.Repeat("c", rapid.IntRange(0, 5000).Draw(t, "command")), how: "exit code 1",
				output: []byte(strings.Repeat(piece, size/max(len(piece), 1)) + fmt.Sprintf("the end of %d", i)),
			})
		}
		got := feedback("0123456789abcdef", all)
		if len(got) > FeedbackLimit || !utf8.Valid(got) {
			t.Fatalf("%d bytes, valid %v", len(got), utf8.Valid(got))
		}
		for i := range n {
			if !strings.Contains(string(got), fmt.Sprintf("## check %d: exit code 1\n", i)) || !strings.Contains(string(got), fmt.Sprintf("the end of %d\n", i)) {
				t.Fatalf("check %d is not shown to its end:\n%.3000s", i, got)
			}
		}
	})
}

func TestTheSameFailureIsSaid(t *testing.T) {
	t.Parallel()
	first := feedback("0123456789abcdef", []failure{{name: "test", how: "exit code 1", output: []byte("FAIL x 0.31s at 0xc000a1\n")}})
	same := feedback("fedcba9876543210", []failure{{name: "test", how: "exit code 1", output: []byte("FAIL x 1.02s at 0xc0ffee\n")}})
	other := feedback("fedcba9876543210", []failure{{name: "test", how: "exit code 1", output: []byte("FAIL y 0.31s\n")}})
	said := SaidAgain(same)
	if !SameFailure(first, same) || !SameFailure(first, said) || SameFailure(first, other) || SameFailure(nil, nil) {
		t.Error("wrong")
	}
	if !strings.HasPrefix(string(said), sameAgain) || string(SaidAgain(said)) != string(said) || len(SaidAgain(make([]byte, FeedbackLimit))) > FeedbackLimit {
		t.Errorf("%s", said)
	}
}

func TestFailedCasesComeBeforeTheOutput(t *testing.T) {
	t.Parallel()
	f := failure{name: "test", command: "make", how: "exit code 1", output: []byte(strings.Repeat("noise\nother\n", 9000)), failed: 300}
	for i := range 200 {
		f.cases = append(f.cases, plans.Case{Name: fmt.Sprintf("T%d", i), File: "a.go", Line: i + 1, Message: strings.Repeat("m", 300)})
	}
	got := string(feedback("", []failure{f, {name: "lint", how: "exit code 2", output: []byte("bad")}}))
	if !strings.Contains(got, "## test: exit code 1\ncommand: make\n- a.go:1: T0: mmm") || !strings.Contains(got, " more\n\nthe end of its output:\n[the first ") ||
		!strings.HasSuffix(got, "## lint: exit code 2\nbad\n") || len(got) > FeedbackLimit {
		t.Errorf("%d bytes\n%.400s", len(got), got)
	}
}
