package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/lifecycle/record"
)

const (
	benchPlan   = "plans/0001-bench/plan.md"
	benchRecord = "plans/0001-bench/record.yaml"
)

// stateChange compares a change of a plan's state by the recorder, working tree and index brought along, with the same
// two files committed by git.
func stateChange() benchCase {
	return benchCase{
		name:    "state-change",
		about:   "a plan's state by the recorder, against git commit --only of the same files",
		target:  0.7,
		prepare: prepareStateChange,
	}
}

func prepareStateChange(ctx context.Context, s setting) (ours, theirs side, err error) {
	bare, err := source(ctx, s.dir, s.files, map[string]string{benchPlan: planText(0), benchRecord: recordText(0)})
	if err != nil {
		return ours, theirs, err
	}
	mine, plain := filepath.Join(s.dir, "tendril"), filepath.Join(s.dir, "git")
	for _, dir := range []string{mine, plain} {
		if err := checkout(ctx, bare, dir); err != nil {
			return ours, theirs, err
		}
	}
	repo, err := git.Open(ctx, mine)
	if err != nil {
		return ours, theirs, err
	}
	runtime, err := config.EnsureRuntime(repo)
	if err != nil {
		return ours, theirs, err
	}
	r := &record.Recorder{Repo: repo, Runtime: runtime, Ref: "refs/heads/" + branch, PlansDir: "plans", Now: time.Now}
	ours = side{name: "recorder", run: func(ctx context.Context, i int) error { return recordState(ctx, r, mine, i+1) }}
	theirs = side{name: "git commit --only", run: func(ctx context.Context, i int) error { return commitState(ctx, plain, i+1) }}
	return ours, theirs, nil
}

// recordState lets the recorder make the change, and asks for it in the working tree.
func recordState(ctx context.Context, r *record.Recorder, dir string, i int) error {
	who := git.Ident{Name: "Tendril", Email: "tendril@localhost", When: time.Now()}
	res, err := r.Commit(ctx, func(context.Context, string) (*record.Draft, error) {
		return &record.Draft{
			Message: fmt.Sprintf("tendril: change %d\n", i), Author: who, Committer: who,
			Edits: []record.Edit{{Path: benchPlan, Data: []byte(planText(i))}, {Path: benchRecord, Data: []byte(recordText(i))}},
		}, nil
	})
	if err != nil {
		return err
	}
	if res.Commit == "" || len(res.Left) > 0 {
		return fmt.Errorf("nothing was recorded, or something left behind: %+v", res)
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(benchPlan)))
	if err == nil && string(text) != planText(i) {
		err = errors.New("the working tree was not brought along")
	}
	return err
}

// commitState makes the same change by hand.
func commitState(ctx context.Context, dir string, i int) error {
	for path, text := range map[string]string{benchPlan: planText(i), benchRecord: recordText(i)} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err := gitIn(ctx, dir, "commit", "--quiet", "--only", "--message", fmt.Sprintf("change %d", i), "--", benchPlan, benchRecord)
	return err
}

// planText is the plan in its i-th state; the length of the file changes with it.
func planText(i int) string {
	states := []string{"approved", "executing", "verifying", "in-review"}
	return fmt.Sprintf("---\ntitle: A plan to measure with\nstatus: %s\n---\n## Problem\nNone.\n", states[i%len(states)])
}

func recordText(i int) string {
	return fmt.Sprintf("# written by tendril\nversion: 1\nkey: 0001-bench\nround: %d\n", i+1)
}
