package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"

	"tendril/lifecycle/record"
	"tendril/plans"
)

// sharing is what an engine knows of its talk with the remote that has the truth. Talking takes as long as the remote takes:
// it never holds up a turn.
type sharing struct {
	// writing are the plans of which something is under way to the remote, with what it came to once that is known.
	writing map[plans.Key]bool
	changes []Change
	snap    *snapshot
	begun   time.Time
	// held are actions that ended while their plan was being written.
	held []finished
	// notBefore is when writing is tried again, nextFetch when the remote is asked again; fails counts troubles in a row.
	notBefore, nextFetch time.Time
	fails                int
	// lastLooks counts the questions before run --once ends: others may push all the time.
	lastLooks int

	mu     sync.Mutex
	result *writeResult
	said   string
}

type writeResult struct {
	out written
	err error
}

// fetchEvery is how many polls lie between two questions to the remote.
const fetchEvery = 3

// The pauses behind a talk that did not work: doubling from the first to the longest.
const (
	firstRetry   = time.Second
	longestRetry = time.Minute
	// onceTries is how often run --once tries to write before it gives up.
	onceTries = 3
	// mostLastLooks bounds how often run --once goes on because the remote moved just before it would have ended.
	mostLastLooks = 5
	// politeRest is the least time between two pushes of one engine: another clone's turn.
	politeRest, longestRest = 150 * time.Millisecond, 3 * time.Second
)

// fetchFirst asks the remote before the first look. An engine that has seen the branch before goes on without an answer.
func (e *Engine) fetchFirst(ctx context.Context) error {
	err := e.p.freshen(ctx)
	if err == nil {
		return e.followRemote(ctx)
	}
	t, truthErr := e.p.truth(ctx)
	if truthErr != nil || !t.fetched || !record.RemoteTrouble(err) {
		return errors.Join(err, truthErr)
	}
	e.sayOnce(EventWaiting, oneLine(err.Error())+"; what this clone has claimed goes on, nothing new is begun until the remote answers")
	return nil
}

// fetchLater asks the remote beside the turns, when it is time.
func (e *Engine) fetchLater(ctx context.Context, snap *snapshot) {
	if snap.remote == nil || e.p.Now().Before(e.share.nextFetch) {
		return
	}
	if e.jobs.watch(ctx, "", "fetch", func(ctx context.Context) error { return e.fetchNow(ctx, snap) }) {
		e.share.nextFetch = e.p.Now().Add(fetchEvery * e.opt.Poll)
	}
}

func (e *Engine) fetchNow(ctx context.Context, snap *snapshot) error {
	_, err := e.p.remote(snap.remote.Name).Refresh(ctx)
	if err == nil {
		err = e.followRemote(ctx)
	}
	if err != nil && ctx.Err() == nil {
		e.sayOnce(EventWaiting, oneLine(err.Error()))
	}
	return err
}

// movedMeanwhile asks the remote once more before run --once ends: another clone may have left something to do.
func (e *Engine) movedMeanwhile(ctx context.Context, snap *snapshot) bool {
	if snap.remote == nil || e.share.lastLooks >= mostLastLooks || e.fetchNow(ctx, snap) != nil {
		return false
	}
	e.share.lastLooks++
	tip, err := e.p.Tip(ctx)
	if err == nil && tip == snap.tip && len(snap.missing) > 0 {
		now, err := e.look(ctx)
		return err == nil && len(now.missing) < len(snap.missing)
	}
	return err == nil && tip != snap.tip
}

// followRemote brings the local plans branch along, and says what keeps it.
func (e *Engine) followRemote(ctx context.Context) error {
	cfg, t, err := e.p.syncConfig(ctx)
	if err != nil || t.remote == nil {
		return err
	}
	followed, err := e.p.follow(ctx, t, cfg)
	if err != nil {
		return err
	}
	e.sayOnce(EventLeft, followed.Behind)
	e.tellLeft(followed.Left)
	return nil
}

func (e *Engine) tellLeft(list []record.Left) {
	for _, left := range list {
		e.tell("", EventLeft, "left as it was: %s in %s (%s)", left.Path, left.Worktree, left.Why)
	}
}

// sayOnce tells what concerns the remote, unless it was the last thing told of it; nothing forgets that.
func (e *Engine) sayOnce(kind, text string) {
	e.share.mu.Lock()
	again := e.share.said == text
	e.share.said = text
	e.share.mu.Unlock()
	if !again && text != "" {
		e.tell("", kind, "%s", text)
	}
}

// flushRemote begins to write changes to the remote, beside the turns. What it comes to is taken in by a later one.
func (e *Engine) flushRemote(ctx context.Context, snap *snapshot, changes []Change) {
	s := &e.share
	if s.writing != nil || e.p.Now().Before(s.notBefore) {
		return
	}
	history, notes := e.shots.history, e.notes
	begun := e.jobs.watch(ctx, "", "write", func(ctx context.Context) error {
		out, err := e.p.write(ctx, snap.cfg, history, changes, notes)
		s.mu.Lock()
		s.result = &writeResult{out, err}
		s.mu.Unlock()
		return err
	})
	if !begun {
		return // the one before has told what it came to, and is about to end: the next turn comes with that
	}
	s.writing, s.changes, s.snap, s.begun = map[plans.Key]bool{}, changes, snap, e.p.Now()
	for _, c := range changes {
		s.writing[c.Key] = true
	}
}

// takeWritten takes in what writing to the remote came to.
func (e *Engine) takeWritten(ctx context.Context) error {
	s := &e.share
	s.mu.Lock()
	res := s.result
	s.result = nil
	s.mu.Unlock()
	if res == nil {
		return nil
	}
	changes, snap := s.changes, s.snap
	s.writing, s.changes, s.snap = nil, nil, nil
	now := e.p.Now()
	s.notBefore = now.Add(min(max(now.Sub(s.begun), politeRest), longestRest))
	if !record.RemoteTrouble(res.err) {
		s.fails = 0
		_, err := e.wrote(ctx, snap, changes, res.out, res.err)
		if err == nil {
			e.sayOnce(EventLeft, res.out.result.Behind)
		}
		return err
	}
	s.fails++
	s.notBefore = now.Add(min(firstRetry<<min(s.fails-1, 10), longestRetry))
	if e.opt.Once && s.fails >= onceTries {
		return &givenUp{res.err}
	}
	e.sayOnce(EventWaiting, "written later: "+oneLine(res.err.Error()))
	return nil
}

// givenUp ends run --once where the remote does not take what is to be written.
type givenUp struct{ err error }

func (e *givenUp) Error() string {
	return "not written, and not lost: the next run takes it up again: " + e.err.Error()
}
func (e *givenUp) Unwrap() error { return e.err }

// withdraw ends what is under way here for plans that another clone has: it was quicker, or took them over.
func (e *Engine) withdraw(all []decided) {
	for _, one := range all {
		key := one.entry.Key
		pr := e.progress[key]
		if one.facts.Elsewhere == "" || pr == nil || e.share.writing[key] {
			continue
		}
		kind, busy := e.jobs.under(key)
		if kind == Halt || !busy && !pr.unwritten() {
			continue
		}
		e.tell(key, EventProblem, "%s has the plan: what was under way here is left", one.facts.Elsewhere)
		e.jobs.cancel(key)
		delete(e.progress, key)
	}
}

// finishedNow are the actions whose end can be taken in: those of a plan that is being written wait.
func (e *Engine) finishedNow() []finished {
	var now []finished
	all := append(e.share.held, e.jobs.take()...)
	e.share.held = nil
	for _, f := range all {
		if e.share.writing[f.key] {
			e.share.held = append(e.share.held, f)
			continue
		}
		now = append(now, f)
	}
	return now
}
