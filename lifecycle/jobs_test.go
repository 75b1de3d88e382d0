package lifecycle

import (
	"context"
	"testing"
	"time"

	"tendril/plans"
)

// A write to the remote that cannot begin, since the one before has not quite ended, is not taken for one under way.
func TestAWriteThatDidNotBegin(t *testing.T) {
	t.Parallel()
	e := &Engine{p: &Project{Deps: Deps{Now: time.Now}}, jobs: newJobs()}
	end := make(chan struct{})
	wait := func(context.Context) error { <-end; return nil }
	if !e.jobs.watch(t.Context(), "", "write", wait) || e.jobs.watch(t.Context(), "", "write", wait) {
		t.Error("watch does not say whether it began")
	}
	e.shots = &snapshotter{}
	e.flushRemote(t.Context(), &snapshot{}, []Change{{Key: plans.Key("0001-a")}})
	if e.share.writing != nil {
		t.Errorf("taken for under way: %v", e.share.writing)
	}
	close(end)
	e.jobs.wait()
	if !e.jobs.idle() {
		t.Error("something is watched for ever")
	}
}
