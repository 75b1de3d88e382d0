package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/crash"
	"tendril/internal/git"
	"tendril/internal/proc"
	"tendril/plans"
)

const (
	// stepLimit bounds the time that git may hold the ref for us.
	stepLimit = 2 * time.Minute
	// stepTries and stepPatience bound how often a step is prepared again because a person's git touched something
	// meanwhile: so many times at least, and for so long.
	stepTries    = 3
	stepPatience = 3 * time.Second
)

// errLost says that the branch is not at the old commit any more.
var errLost = errors.New("the branch moved meanwhile")

// errAgain says that what was prepared no longer fits: prepare again.
var errAgain = errors.New("something was touched meanwhile")

// step moves one branch from a commit to another and brings along every worktree that has it checked out.
type step struct {
	repo     *git.Repo
	runtime  string
	ref      string // at the end of all symbolic refs
	old, new string
	plansDir string
	splice   Splice
	strict   bool
	careful  bool     // strict, but for what Tendril writes
	resumed  *journal // of the process that began it and died; nil for a new step
	reflog   string
	by       git.Ident
	now      func() time.Time
	log      func(string, ...any)

	changes []git.TreeChange
	going   map[string]git.TreeChange // those of the changes that remove a path
	self    proc.Identity
	spots   []*spot
	journal *journal
	batch   *git.Batch // of the caller; nil makes one

	// beforePlacing, when set, runs once the ref is held: tests have a person act at that moment.
	beforePlacing func()
	// doors are index locks that are held already, by git directory, and stay so when the step fails.
	doors map[string]*indexLock
}

// isPlan reports whether path is a plan.md.
func (st *step) isPlan(p string) bool {
	if st.plansDir == "" {
		return false
	}
	folder, name := path.Split(p)
	rest, below := strings.CutPrefix(folder, strings.Trim(st.plansDir, "/")+"/")
	if !below || name != "plan.md" {
		return false
	}
	_, err := plans.ParseKey(strings.TrimSuffix(rest, "/"))
	return err == nil
}

// run does the step. Errors: errLost, *BusyError, *InTheWayError; then nothing was changed.
func (st *step) run(ctx context.Context) (Result, error) {
	var err error
	if st.self, err = proc.Self(); err != nil {
		return Result{}, fmt.Errorf("identify this process: %w", err)
	}
	if st.changes == nil {
		changes, err := st.repo.TreeDiff(ctx, st.old, st.new)
		if err != nil {
			return Result{}, err
		}
		st.setChanges(changes)
	}
	b := st.batch
	if b == nil {
		if b, err = st.repo.Batch(ctx); err != nil {
			return Result{}, err
		}
		defer func() { _ = b.Close() }() // a reader
	}
	end := time.Now().Add(stepPatience) // not the recorder's clock, which may stand still
	for tries := 1; ; tries++ {
		err = st.try(ctx, b)
		if !errors.Is(err, errAgain) || tries >= stepTries && time.Now().After(end) {
			break
		}
		if err := pause(ctx, lockPause/2); err != nil {
			return Result{}, err
		}
	}
	if errors.Is(err, errAgain) {
		err = &BusyError{Why: "a git command is at work there (" + err.Error() + ")", Worktree: st.where()}
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Tip: st.new, Commit: st.new, Left: st.left()}, nil
}

func (st *step) setChanges(changes []git.TreeChange) {
	st.changes, st.going = changes, map[string]git.TreeChange{}
	for _, c := range changes {
		if !c.New.There() {
			st.going[c.Path] = c
		}
	}
}

// where is the first worktree concerned.
func (st *step) where() string {
	if len(st.spots) == 0 {
		return ""
	}
	return st.spots[0].Path
}

// try prepares everything, takes the locks, and makes the step if nothing was touched between.
func (st *step) try(ctx context.Context, b *git.Batch) error {
	if err := st.prepare(ctx, b); err != nil {
		st.dropPrepared()
		return err
	}
	crash.At(pointPrepared)
	// A context that ends must not take the ref away in the middle: a step is short, and is finished or taken back.
	tx, err := st.holder().RefTransaction(context.WithoutCancel(ctx), st.reflog, st.by, stepLimit)
	if err != nil {
		st.dropPrepared()
		return err
	}
	err = st.underLock(ctx, tx)
	if err != nil {
		err = errors.Join(err, tx.Close())
	}
	return err
}

// prepare looks at every worktree that has the branch and makes the contents to come. No lock is held.
func (st *step) prepare(ctx context.Context, b *git.Batch) error {
	checkouts, err := st.repo.Checkouts(ctx)
	if err != nil {
		return err
	}
	if err := busy(checkouts, st.ref, st.now()); err != nil {
		return err
	}
	st.spots = nil
	for _, c := range checkouts {
		if c.Ref != st.ref || c.Path == "" {
			continue
		}
		s, err := openSpot(ctx, st.repo, c)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		st.spots = append(st.spots, s)
		if err := s.look(ctx, st, b); err != nil {
			return err
		}
		if st.strict {
			paths, err := s.strangers(st, b)
			if err != nil {
				return err
			}
			if len(paths) > 0 {
				return &InTheWayError{Worktree: s.Path, Paths: paths}
			}
		}
		if err := s.settle(ctx, st, b); err != nil {
			return err
		}
	}
	return nil
}

// dropPrepared removes what prepare wrote.
func (st *step) dropPrepared() {
	for _, s := range st.spots {
		s.dropFiles()
	}
}

// dropFiles removes our own files from the git directory, locks aside.
func (s *spot) dropFiles() {
	for _, name := range []string{nextIndexName, joinName, sparseName, stepDirName, restoredName, lockDraftName} {
		// What stays is overwritten by the next step.
		_ = os.RemoveAll(filepath.Join(s.GitDir, name))
	}
}

// holder is the repository as seen from a worktree that has the branch, so that git writes that worktree's HEAD reflog too.
func (st *step) holder() *git.Repo {
	if len(st.spots) > 0 {
		return st.spots[0].repo
	}
	return st.repo.Pinned(st.repo.CommonDir, st.repo.CommonDir)
}

// underLock journals, locks, and makes the step. On an error everything is as before, or the journal is there to say how
// to get there.
func (st *step) underLock(ctx context.Context, tx *git.RefTransaction) error {
	if err := st.writeJournal(tx.PID()); err != nil {
		st.dropPrepared()
		return err
	}
	crash.At(pointJournalled)
	err := st.lockAll(ctx)
	if err == nil {
		err = st.hold(tx)
	}
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		return errors.Join(err, st.undo(ctx, tx))
	}
	if err := st.makeStep(ctx, tx); err != nil {
		if undone := st.undo(ctx, tx); !errors.Is(undone, errMade) {
			return errors.Join(err, undone)
		}
		st.log("the step was made all the same: %v", err)
	}
	crash.At(pointMoved)
	// The step is made: what follows is tidying, and what of it fails the next step does.
	for _, s := range st.spots {
		if err := s.lock.release(); err != nil {
			st.log("%v", err)
		}
		crash.At(pointUnlocked)
	}
	for _, s := range st.spots {
		s.clearUp(st.log)
		s.dropFiles()
	}
	if err := st.closeJournal(); err != nil {
		st.log("%v", err)
	}
	crash.At(pointDone)
	return nil
}

// lockAll takes every index.lock, and sees to it that what was prepared still fits.
func (st *step) lockAll(ctx context.Context) error {
	text := lockText(st.self, st.new)
	for _, s := range st.spots {
		if s.lock = st.doors[s.GitDir]; s.lock == nil {
			lock, err := lockIndex(ctx, s.Checkout, text)
			if err != nil {
				return err
			}
			s.lock = lock
		}
		crash.At(pointLocked)
		if fits, err := s.fits(); err != nil || !fits {
			return errors.Join(err, errAgain)
		}
	}
	now, err := st.repo.Checkouts(ctx)
	if err != nil {
		return err
	}
	if err := busy(now, st.ref, st.now()); err != nil {
		return err
	}
	for _, s := range st.spots {
		if !slices.Contains(now, s.Checkout) {
			return errAgain // it left the branch
		}
	}
	return nil
}

// hold makes git lock the ref at the old commit. From here on nobody moves it.
func (st *step) hold(tx *git.RefTransaction) error {
	err := tx.Prepare(st.ref, st.new, st.old)
	var refused *git.RefRefusedError
	if errors.As(err, &refused) {
		if strings.Contains(refused.Stderr, "but expected") || strings.Contains(refused.Stderr, "unable to resolve reference") {
			return errLost
		}
		return fmt.Errorf("%w: %s", errAgain, refused.Stderr) // its lock is held
	}
	if err != nil {
		return err
	}
	st.noteLocks()
	crash.At(pointHeld)
	if st.beforePlacing != nil {
		st.beforePlacing()
	}
	return nil
}

// makeStep brings working trees and indexes along, then moves the ref. In this order a person's `git commit` reads the
// old HEAD, and is refused by its own compare-and-swap, or the new HEAD and the new index; and after a crash between the
// two the file says a state too early, never one too late.
func (st *step) makeStep(ctx context.Context, tx *git.RefTransaction) error {
	for _, s := range st.spots {
		err := s.placeAll(st)
		var strangers *strangersError
		if errors.As(err, &strangers) {
			return &InTheWayError{Worktree: s.Path, Paths: strangers.paths}
		}
		if err != nil {
			return err
		}
	}
	for _, s := range st.spots {
		if err := s.nextIndex(ctx); err != nil {
			return err
		}
		crash.At(pointIndexing)
		if err := s.swapIndex(); err != nil {
			return err
		}
		crash.At(pointIndexed)
	}
	return tx.Commit()
}

// closeJournal says that the step is done, and what to look at once more.
func (st *step) closeJournal() error {
	l := lookAgain{Ref: st.ref, Old: st.old, New: st.new, PlansDir: st.plansDir, At: st.now()}
	for _, s := range st.spots {
		l.add(s.Checkout, st.repo.Format)
	}
	if len(l.Spots) > 0 {
		if err := l.write(st.runtime); err != nil {
			st.log("%v", err) // without it nothing is looked at again; the step itself is whole
		}
	}
	return dropJournal(st.runtime)
}

// left lists what was left as a person has it.
func (st *step) left() []Left {
	var left []Left
	for _, s := range st.spots {
		for _, it := range s.items {
			if it.verdict.why == "" {
				continue
			}
			left = append(left, Left{Worktree: s.Path, Path: it.Path, Why: it.verdict.why})
			st.log("%s in %s: %s", it.Path, s.Path, it.verdict.why)
		}
	}
	return left
}

// writeJournal makes the step known to whoever comes after a crash.
func (st *step) writeJournal(child int) error {
	st.journal = &journal{
		Version: journalVersion, Owner: st.self, At: st.now(), Ref: st.ref, Old: st.old, New: st.new,
		PlansDir: st.plansDir, Reflog: st.reflog, By: st.by,
	}
	// A child that has ended already holds nothing.
	st.journal.Child, _ = proc.Identify(child)
	for _, s := range st.spots {
		js := journalSpot{GitDir: s.GitDir, Path: s.Path}
		for _, it := range s.items {
			if it.verdict.index != keep {
				js.Index = append(js.Index, s.entryChange(it))
			}
			if it.verdict.work == keep {
				continue
			}
			js.Files = append(js.Files, journalFile{Path: it.Path, Old: it.Old, New: it.New, Temp: it.temp, Put: it.putHash, Was: it.wasHash})
		}
		st.journal.Spots = append(st.journal.Spots, js)
	}
	st.journal.inherit(st.resumed)
	return st.journal.write(st.runtime, true)
}

// noteLocks adds the lock files that git made for us, so that they can be told from a person's should git be killed.
func (st *step) noteLocks() {
	paths := []string{filepath.Join(st.repo.CommonDir, filepath.FromSlash(st.ref)+".lock")}
	for _, s := range st.spots {
		paths = append(paths, filepath.Join(s.GitDir, "HEAD.lock"))
	}
	if common := filepath.Join(st.repo.CommonDir, "HEAD.lock"); !slices.Contains(paths, common) {
		paths = append(paths, common)
	}
	for _, p := range paths {
		info, err := os.Lstat(p)
		if err != nil {
			continue
		}
		st.journal.Locks = append(st.journal.Locks, journalLock{Path: p, Inode: inodeOf(info), Time: info.ModTime()})
	}
	// Only a crash of git itself needs it, and the journal without it is whole.
	if err := st.journal.write(st.runtime, false); err != nil {
		st.log("%v", err)
	}
}

// removeIfThere is os.Remove for what may be gone.
func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
