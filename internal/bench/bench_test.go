package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   []time.Duration
		want time.Duration
	}{{nil, 0}, {[]time.Duration{3}, 3}, {[]time.Duration{9, 1, 2}, 2}, {[]time.Duration{4, 1, 2, 100}, 3}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.in, got, c.want)
		}
	}
}

// With a clock of our own a run takes exactly as long as the test says.
func TestMeasureAlternatesAndLeavesTheFirstOut(t *testing.T) {
	t.Parallel()
	clock := time.Unix(0, 0)
	var order []string
	timed := func(name string, d time.Duration) side {
		return side{
			name:   name,
			before: func(context.Context, int) error { clock = clock.Add(time.Hour); return nil },
			run: func(_ context.Context, i int) error {
				order = append(order, name)
				if i == 0 {
					clock = clock.Add(time.Minute) // cold caches
				}
				clock = clock.Add(d)
				return nil
			},
		}
	}
	res, err := measure(t.Context(), benchCase{name: "x", target: 0.7}, timed("a", 3), timed("b", 4), 5, func() time.Time { return clock })
	if err != nil || res.Ours != 3 || res.Theirs != 4 || res.Ratio != 0.75 || len(res.OursAll) != 5 {
		t.Errorf("%+v, %v", res, err)
	}
	if want := strings.Fields("a b b a a b b a a b b a"); !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	if over := overTarget([]result{res}); len(over) != 1 {
		t.Errorf("over the target: %v", over)
	}
}

func TestMeasureNamesTheSideThatFailed(t *testing.T) {
	t.Parallel()
	bad := side{name: "bad", run: func(context.Context, int) error { return errors.New("no") }}
	good := side{name: "good", run: func(context.Context, int) error { return nil }}
	_, err := measure(t.Context(), benchCase{name: "x"}, good, bad, 5, time.Now)
	if err == nil || err.Error() != "x, bad, run 0: no" {
		t.Error(err)
	}
}

func TestCallsThatAreWrong(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"-runs 2": "at least 5 runs", "nothing": "no case \"nothing\"; there are: state-change", "-x": "not defined"} {
		var out bytes.Buffer
		err := run(t.Context(), strings.Fields(args), &out, &out)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-list"}, &out, &out); err != nil || !strings.Contains(out.String(), "state-change") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// Every case runs on a small repository, so that none rots between measurements. Not parallel: it sets the environment.
func TestEveryCaseRuns(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-files", "50", "-runs", "5", "-dir", testkit.TempDir(t)}, &out, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, c := range cases() {
		if !strings.Contains(out.String(), c.name+" (50 files)") {
			t.Errorf("%s is missing:\n%s", c.name, out.String())
		}
	}
	if !strings.Contains(out.String(), "ratio ") || !strings.Contains(out.String(), "load ") {
		t.Errorf("no ratio, no load:\n%s", out.String())
	}
}
