package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"tendril/lifecycle/record"
	"tendril/lifecycle/verify"
	"tendril/plans"
)

// Options say how an engine runs.
type Options struct {
	// Only limits the engine to these plans; none is all.
	Only []plans.Key
	// Once ends the engine when nothing more can move without a person.
	Once bool
	// Trust takes the commands of the configuration as they are.
	Trust bool
	// Poll is the longest time between two looks; zero is DefaultPoll.
	Poll time.Duration
	// Events is told what happens; never nil.
	Events func(Event)
	// Scenes, where set, is shown what is under way: after each look, when a check begins, and once a second where an agent
	// said something new. It is called from the engine's goroutine and should return at once.
	Scenes func(Scene)
}

// DefaultPoll makes up for events that were lost.
const DefaultPoll = 5 * time.Second

// Summary is what a run of the engine came to.
type Summary struct {
	// Failed are the plans that failed while it ran.
	Failed []plans.Key
	// Stuck are the plans that could not go on, and why; a person must look.
	Stuck map[plans.Key]string
}

// Engine compares what the branch says with what is there, and takes the next step of each plan, again and again. All its
// state is in git and in the runtime folder; what it holds in memory can be lost at any moment.
type Engine struct {
	p     *Project
	opt   Options
	shots *snapshotter

	progress map[plans.Key]*progress
	jobs     *jobs
	summary  Summary
	// busy is why the last writing had to wait, so that it is told once.
	busy string
	// queue is true where it was told that plans wait for a free place, until none does.
	queue bool
	// troubles counts looks in a row that failed.
	troubles int
	// notes are what the board says of plans whose gate does not count.
	notes map[plans.Key]string
	// snap is the last look, tip where the plans branch was then, or where this engine has written it since.
	snap *snapshot
	tip  string
	// share is the talk with a remote that has the truth.
	share sharing
	// scenes is nil where nobody watches.
	scenes *sceneKeeper
	// diary is the clone's log.
	diary *diary
	// ears hear the agents at work; alarms are the costs at which a run's budget is spent.
	ears   *listeners
	alarms map[string]float64
}

// NewEngine makes an engine for the project.
func (p *Project) NewEngine(opt Options) *Engine {
	if opt.Poll == 0 {
		opt.Poll = DefaultPoll
	}
	return &Engine{
		p: p, opt: opt,
		progress: map[plans.Key]*progress{}, jobs: newJobs(), summary: Summary{Stuck: map[plans.Key]string{}},
	}
}

// Run works until ctx ends, or with Once until nothing more can move without a person. Agents that are at work when ctx
// ends go on; the next engine takes them up. One engine runs in a clone: a second one gets a *LockedError.
func (e *Engine) Run(ctx context.Context) (summary Summary, err error) {
	lock, err := e.p.lockEngine()
	if err != nil {
		return e.summary, err
	}
	defer lock.release()
	if e.p, err = e.p.fromMain(ctx); err != nil {
		return e.summary, err
	}
	if e.diary, err = e.p.openDiary(); err != nil {
		return e.summary, err
	}
	defer func() { e.diary.close(err) }()
	e.diary.log.Info("engine began", "once", e.opt.Once, "branch", e.p.branchName())
	// What the project held open ends with the process at the latest.
	defer func() { _ = e.p.Close() }()
	e.shots = newSnapshotter(e.p, e.opt.Trust)
	e.ears = newListeners(e.p.runs(), e.p.Now)
	e.scenes = e.newSceneKeeper()
	jobCtx, cancel := context.WithCancel(ctx)
	defer e.jobs.wait()
	defer cancel()
	if err := e.fetchFirst(ctx); err != nil {
		return e.summary, e.orGone(err)
	}
	if err := e.recover(ctx); err != nil {
		return e.summary, e.orGone(err)
	}
	watch, err := newWatcher(e.p)
	if err != nil {
		return e.summary, err
	}
	defer watch.close()
	for {
		idle, err := e.turn(jobCtx)
		if ctx.Err() != nil {
			return e.summary, nil
		}
		if err != nil {
			return e.summary, err
		}
		if idle && e.opt.Once {
			return e.summary, nil
		}
		e.rest(ctx, watch)
	}
}

// recover finishes what a crash left half done.
func (e *Engine) recover(ctx context.Context) error {
	cfg, _, err := e.p.atTip(ctx)
	if err != nil {
		return err
	}
	verify.EndLeft(ctx, e.p.Repo.CommonDir)
	done, err := e.p.recover(ctx, cfg)
	if busy := (*record.BusyError)(nil); errors.As(err, &busy) {
		// The first commit tries again.
		e.tell("", EventWaiting, "%s", oneLine(busy.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	if done {
		e.tell("", EventProblem, "finished a step that was cut off")
	}
	return nil
}

// turn looks once, starts what is next for each plan and writes what is due. It is idle when nothing is under way and
// nothing more can move without a person.
func (e *Engine) turn(ctx context.Context) (idle bool, err error) {
	if err := e.takeWritten(ctx); err != nil {
		return false, e.tolerate(ctx, err)
	}
	e.applyFinished()
	snap, err := e.look(ctx)
	if err != nil {
		return false, e.tolerate(ctx, err)
	}
	e.snap, e.tip = snap, snap.tip
	e.diary.saw(snap)
	e.ears.attend(e.metered(snap))
	e.ears.hear(ctx)
	all, err := e.decide(ctx, snap)
	if err != nil {
		return false, e.tolerate(ctx, err)
	}
	e.alarms = alarms(all, e.ears.cost)
	e.withdraw(all)
	e.fetchLater(ctx, snap)
	e.notes = boardNotes(snap, all)
	e.tidyWords(snap, all)
	moving := e.dispatch(ctx, snap, all)
	e.scenes.looked(snap, all, e.jobs.kindOf, func(key plans.Key) *progress { return e.progress[key] })
	e.haltOrphans(ctx, snap)
	wrote, err := e.flush(ctx, snap)
	if err != nil {
		return false, e.tolerate(ctx, err)
	}
	e.troubles = 0
	idle = !moving && !wrote && e.jobs.idle() && !e.anyUnwritten()
	return idle && !(e.opt.Once && e.movedMeanwhile(ctx, snap)), nil
}

// tolerate lets the engine live through what may pass (a lock held, a repository in the middle of something); with Once
// it ends it after a few tries.
func (e *Engine) tolerate(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	if gone := e.orGone(nil); gone != nil {
		return gone
	}
	if e.snap == nil {
		// What was wrong from the beginning does not pass.
		return err
	}
	if gave := (*givenUp)(nil); errors.As(err, &gave) {
		return err
	}
	e.troubles++
	e.diary.trouble(err)
	if e.opt.Once && e.troubles > mostTroubles {
		return err
	}
	e.tell("", EventProblem, "%s", err)
	return nil
}

// orGone is err, or that the repository is not there any more, which explains any.
func (e *Engine) orGone(err error) error {
	if _, gone := os.Stat(e.p.Repo.CommonDir); errors.Is(gone, fs.ErrNotExist) {
		return fmt.Errorf("the repository is gone: %s", e.p.Repo.CommonDir)
	}
	return err
}

// mostTroubles is how many looks in a row may fail before run --once gives up.
const mostTroubles = 5

func (e *Engine) anyUnwritten() bool {
	for _, pr := range e.progress {
		if pr.unwritten() {
			return true
		}
	}
	return false
}

// rest waits until a job ends, the branch or the plans folder changes, the poll is due, or ctx ends.
func (e *Engine) rest(ctx context.Context, w *watcher) {
	timer := time.NewTimer(e.pause())
	defer timer.Stop()
	w.refresh()
	w.knows(e.tip)
	began := e.scenes.wakes()
	peeks, stop := e.ears.wakes()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.jobs.wake:
			return
		case <-w.dirty:
			return
		case <-timer.C:
			return
		case <-began:
			e.scenes.tell()
		case <-peeks:
			if news := e.ears.hear(ctx); !news {
				continue
			}
			e.scenes.tell()
			if e.ears.reached(e.alarms) {
				return
			}
		}
	}
}

// pause is how long to wait at most: the poll, or less where a step becomes ripe or a retry is due before.
func (e *Engine) pause() time.Duration {
	now, pause := e.p.Now(), e.opt.Poll
	for _, pr := range e.progress {
		if len(pr.steps) > 0 {
			pause = min(pause, max(0, writeAfter-now.Sub(pr.since)))
		}
		if !pr.retryAt.IsZero() && pr.retryAt.After(now) {
			pause = min(pause, pr.retryAt.Sub(now))
		}
		if pr.due {
			pause = min(pause, busyPause)
		}
	}
	if next := e.share.nextFetch; !next.IsZero() {
		pause = min(pause, max(next.Sub(now), 0))
	}
	return max(pause, 10*time.Millisecond)
}

// busyPause is how soon writing is tried again while a person's git command holds it up.
const busyPause = 500 * time.Millisecond

func (e *Engine) tell(key plans.Key, kind, format string, args ...any) {
	e.tellOf(key, e.diary.runOf(key), kind, format, args...)
}

// tellOf tells what happened, of a run.
func (e *Engine) tellOf(key plans.Key, run, kind, format string, args ...any) {
	event := Event{At: e.p.Now(), Key: key, Run: run, Kind: kind, Text: fmt.Sprintf(format, args...)}
	e.diary.event(event)
	e.opt.Events(event)
}

// tellOnce tells what is the same as the last word about this plan only once.
func (e *Engine) tellOnce(pr *progress, key plans.Key, kind, text string) {
	if said := kind + text; pr.said != said {
		pr.said = said
		e.tell(key, kind, "%s", text)
	}
}
