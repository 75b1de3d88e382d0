package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tendril/plans"
)

// haltOrphans ends the runs of plans that are not on the branch any more: the folder was deleted or renamed, so nothing
// there approves the work. What the agent left stays in its worktree.
func (e *Engine) haltOrphans(ctx context.Context, snap *snapshot) {
	for _, key := range snap.orphans() {
		if len(e.opt.Only) > 0 && !slices.Contains(e.opt.Only, key) {
			continue
		}
		for _, r := range snap.runs[key] {
			if !r.alive() {
				continue
			}
			e.jobs.watch(ctx, key, "halt "+r.spec.Run, func(ctx context.Context) error { return e.haltOrphan(ctx, snap, key, r.spec.Run) })
		}
	}
}

func (e *Engine) haltOrphan(ctx context.Context, snap *snapshot, key plans.Key, run string) error {
	runs := e.p.runsFor(snap.cfg)
	err := runs.Stop(ctx, run, stopPerson)
	if err == nil {
		_, err = runs.Wait(ctx, run)
	}
	if err != nil {
		if ctx.Err() == nil {
			e.tell(key, EventProblem, "its agent cannot be stopped: %s", err)
		}
		select { // the end of this wakes the engine up, which tries again
		case <-ctx.Done():
		case <-time.After(e.opt.Poll):
		}
		return err
	}
	e.tell(key, EventStopped, "the agent was stopped: the plan is not on the plans branch any more")
	return nil
}

// orphans are the plans that have a run or a worktree here and no folder on the branch, in order.
func (s *snapshot) orphans() []plans.Key {
	keys := map[plans.Key]bool{}
	for key, infos := range s.runs {
		// What ended and left no worktree is history.
		keys[key] = slices.ContainsFunc(infos, runInfo.alive)
	}
	for key := range s.trees {
		keys[key] = true
	}
	maps.DeleteFunc(keys, func(key plans.Key, here bool) bool {
		return !here || entryOf(s.set, key) != nil || entryOf(s.here, key) != nil
	})
	return slices.Sorted(maps.Keys(keys))
}

// orphanNotes say what is left here of plans that are not on the branch.
func (p *Project) orphanNotes(snap *snapshot) []string {
	var notes []string
	for _, key := range snap.orphans() {
		if slices.ContainsFunc(snap.runs[key], runInfo.alive) {
			notes = append(notes, fmt.Sprintf("%s is not on %s any more, and its agent still works: tendril run stops it", key, p.branchName()))
			continue
		}
		notes = append(notes, fmt.Sprintf("%s is not on %s any more; its worktree and its branch %s stay until you remove them (git worktree remove --force --force)",
			key, p.branchName(), key.Branch()))
	}
	return notes
}
