package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// minRuns is the smallest number of measured runs of each side.
const minRuns = 5

// benchCase is one comparison.
type benchCase struct {
	// name is how it is asked for, about what it compares.
	name, about string
	// target is the ratio that Tendril's side may have at most.
	target float64
	// prepare makes both sides below a new, empty folder; it is not measured.
	prepare func(ctx context.Context, s setting) (ours, theirs side, err error)
}

// setting is what a case is made from.
type setting struct {
	// dir is a new folder on the file system to measure on.
	dir string
	// files is the size of the repositories.
	files int
}

// side is one of the two: run is measured, run after run with a rising number; before, where it is not nil, makes the
// run ready and is not measured.
type side struct {
	name        string
	before, run func(ctx context.Context, i int) error
}

// result is what a case came to. Times are medians.
type result struct {
	Case   string        `json:"case"`
	Ours   time.Duration `json:"ours_ns"`
	Theirs time.Duration `json:"theirs_ns"`
	Ratio  float64       `json:"ratio"`
	Target float64       `json:"target"`
	Runs   int           `json:"runs"`
	// OursAll and TheirsAll are all measured times, in the order of the runs.
	OursAll   []time.Duration `json:"ours_all_ns"`
	TheirsAll []time.Duration `json:"theirs_all_ns"`
}

// measure runs both sides alternately, after one run of each that does not count (caches, first-time files), and the
// other one first in every second round, so that neither always finds the other's dirty pages.
func measure(ctx context.Context, c benchCase, ours, theirs side, runs int, now func() time.Time) (result, error) {
	res := result{Case: c.name, Target: c.target, Runs: runs}
	for i := range runs + 1 {
		order := []struct {
			side side
			into *[]time.Duration
		}{{ours, &res.OursAll}, {theirs, &res.TheirsAll}}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, o := range order {
			took, err := once(ctx, o.side, i, now)
			if err != nil {
				return res, fmt.Errorf("%s, %s, run %d: %w", c.name, o.side.name, i, err)
			}
			if i > 0 {
				*o.into = append(*o.into, took)
			}
		}
	}
	res.Ours, res.Theirs = median(res.OursAll), median(res.TheirsAll)
	if res.Theirs > 0 {
		res.Ratio = float64(res.Ours) / float64(res.Theirs)
	}
	return res, nil
}

func once(ctx context.Context, s side, i int, now func() time.Time) (time.Duration, error) {
	if s.before != nil {
		if err := s.before(ctx, i); err != nil {
			return 0, err
		}
	}
	// What the run before left is not this one's cost.
	runtime.GC()
	start := now()
	err := s.run(ctx, i)
	return now().Sub(start), err
}

// median is the middle one; of an even number the mean of the two in the middle; 0 of none.
func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}
