package lifecycle

import (
	"context"
	"slices"
	"sync"
	"time"

	"tendril/plans"
)

// jobs owns every goroutine of an engine: at most one a plan, and one that waits for each run.
type jobs struct {
	wg   sync.WaitGroup
	wake chan struct{}

	mu       sync.Mutex
	active   map[plans.Key]*job
	watching map[string]plans.Key
	done     []finished
}

// job is an action under way.
type job struct {
	kind   Kind
	cancel context.CancelFunc
}

// finished is what an action came to: apply changes the plan's progress, on the engine's own goroutine.
type finished struct {
	key  plans.Key
	kind Kind
	// progress is what the action was started from.
	progress *progress
	apply    func(*progress)
	err      error
	// took is how long it took.
	took time.Duration
	// dropped is true where the action was cancelled because the plan went another way.
	dropped bool
}

func newJobs() *jobs {
	return &jobs{wake: make(chan struct{}, 1), active: map[plans.Key]*job{}, watching: map[string]plans.Key{}}
}

// start runs an action of a plan; do gives what is to be changed in the plan's progress.
func (j *jobs) start(ctx context.Context, key plans.Key, kind Kind, pr *progress, do func(context.Context) (func(*progress), error)) {
	ctx, cancel := context.WithCancel(ctx)
	j.mu.Lock()
	j.active[key] = &job{kind: kind, cancel: cancel}
	j.mu.Unlock()
	j.wg.Go(func() {
		defer cancel()
		began := time.Now()
		apply, err := do(ctx)
		took := time.Since(began)
		j.mu.Lock()
		j.done = append(j.done, finished{key: key, kind: kind, progress: pr, apply: apply, err: err, took: took, dropped: ctx.Err() != nil})
		j.mu.Unlock()
		j.signal()
	})
}

// watch waits for a run beside whatever the plan does; the end of it only wakes the engine up. It says false, and begins
// nothing, where one of that name is waited for already: its end wakes the engine up too.
func (j *jobs) watch(ctx context.Context, key plans.Key, run string, wait func(context.Context) error) bool {
	j.mu.Lock()
	_, already := j.watching[run]
	if !already {
		j.watching[run] = key
	}
	j.mu.Unlock()
	if already {
		return false
	}
	j.wg.Go(func() {
		// How the run ended is read from its folder by whoever looks next.
		_ = wait(ctx)
		j.mu.Lock()
		delete(j.watching, run)
		j.mu.Unlock()
		j.signal()
	})
	return true
}

// under returns the action of a plan that is under way.
func (j *jobs) under(key plans.Key) (Kind, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a, ok := j.active[key]; ok {
		return a.kind, true
	}
	return "", false
}

// kindOf is the kind of a plan's action that is under way; empty where there is none.
func (j *jobs) kindOf(key plans.Key) Kind {
	kind, _ := j.under(key)
	return kind
}

// anyOf says whether an action of one of these kinds is under way.
func (j *jobs) anyOf(kinds ...Kind) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, a := range j.active {
		if slices.Contains(kinds, a.kind) {
			return true
		}
	}
	return false
}

// cancel ends the action of a plan that is under way; what it comes to is dropped.
func (j *jobs) cancel(key plans.Key) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a, ok := j.active[key]; ok {
		a.cancel()
	}
}

// take returns the actions that ended since the last call.
func (j *jobs) take() []finished {
	j.mu.Lock()
	defer j.mu.Unlock()
	done := j.done
	j.done = nil
	// Until what an action came to is taken in, its plan has an action under way: nothing is started on an older look.
	for _, f := range done {
		delete(j.active, f.key)
	}
	return done
}

func (j *jobs) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.active) == 0 && len(j.watching) == 0 && len(j.done) == 0
}

func (j *jobs) signal() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// wait returns when every goroutine ended.
func (j *jobs) wait() { j.wg.Wait() }
