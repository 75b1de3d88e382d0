package record

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/git"
	"tendril/internal/proc"
)

const (
	lookName = "look.json"
	// lookAfter is when a git command that was under way during a step has surely ended its work on the index; lookLimit
	// is the age from which on an old entry in an index is taken for a person's own doing.
	lookAfter = time.Second
	lookLimit = time.Minute
)

// lookAgain is a step that is made and has to be looked at once more: a git command that read the index before it and
// locks it afterwards writes the old entries back, and a worktree that was just changing to the branch has the old files.
type lookAgain struct {
	Ref      string     `json:"ref"`
	Old      string     `json:"old"`
	New      string     `json:"new"`
	PlansDir string     `json:"plans_dir"`
	At       time.Time  `json:"at"`
	Spots    []lookSpot `json:"worktrees"`
}

// lookSpot is a worktree of the step, and the checksum of the index that the step left there.
type lookSpot struct {
	GitDir string `json:"git_dir"`
	Index  string `json:"index"`
}

// add notes a worktree as it is now.
func (l *lookAgain) add(c git.Checkout, format string) {
	// Without a checksum the index is looked into.
	sum, _ := git.IndexChecksum(filepath.Join(c.GitDir, "index"), format)
	l.Spots = append(l.Spots, lookSpot{GitDir: c.GitDir, Index: sum})
}

func (l *lookAgain) write(runtime string) error {
	data, err := json.Marshal(l)
	if err == nil {
		err = replaceFile(filepath.Join(runtime, lookName), data, false)
	}
	if err != nil {
		return fmt.Errorf("note what to look at again: %w", err)
	}
	return nil
}

// readLook returns what is to be looked at; nil for nothing. What cannot be read is nothing: it only helps.
func readLook(runtime string) *lookAgain {
	data, err := os.ReadFile(filepath.Join(runtime, lookName))
	if err != nil {
		return nil
	}
	l := &lookAgain{}
	if json.Unmarshal(data, l) != nil {
		return nil
	}
	return l
}

// Settle looks once more at the last step, waiting until a second has gone by since: a git command of a person that read
// the index before the step and wrote it afterwards puts old entries back, and these are mended. It reports whether
// something was. Commit does the same, without waiting, before it begins.
func (r *Recorder) Settle(ctx context.Context) (bool, error) {
	l := readLook(r.Runtime)
	if l == nil {
		return false, nil
	}
	if wait := lookAfter - r.clock().Sub(l.At); wait > 0 && wait <= lookAfter {
		if err := pause(ctx, wait); err != nil {
			return false, err
		}
	}
	release, err := takeTurn(ctx, r.Runtime)
	if err != nil {
		return false, err
	}
	defer release()
	if _, err := r.recoverStep(ctx); err != nil {
		return false, err
	}
	return r.look(ctx)
}

// look does it, for one whose turn it is.
func (r *Recorder) look(ctx context.Context) (bool, error) {
	l := readLook(r.Runtime)
	if l == nil {
		return false, nil
	}
	drop := func() error { return removeIfThere(filepath.Join(r.Runtime, lookName)) }
	age := r.clock().Sub(l.At)
	if age > lookLimit || age < -lookLimit {
		return false, drop()
	}
	checkouts, err := r.Repo.Checkouts(ctx)
	if err != nil {
		return false, err
	}
	var changed []git.Checkout
	for _, c := range checkouts {
		if c.Ref == l.Ref && c.Path != "" && !l.asLeft(c, r.Repo.Format) {
			changed = append(changed, c)
		}
	}
	mended := false
	if len(changed) > 0 {
		if mended, err = r.mend(ctx, l, changed); err != nil {
			return mended, err
		}
	}
	if age >= lookAfter {
		return mended, drop()
	}
	return mended, nil
}

// asLeft reports whether a worktree's index is still the one that the step wrote.
func (l *lookAgain) asLeft(c git.Checkout, format string) bool {
	i := slices.IndexFunc(l.Spots, func(s lookSpot) bool { return s.GitDir == c.GitDir })
	if i < 0 || strings.Trim(l.Spots[i].Index, "0") == "" {
		return false
	}
	sum, err := git.IndexChecksum(filepath.Join(c.GitDir, "index"), format)
	return err == nil && sum == l.Spots[i].Index
}

// mend compares worktrees with the step and sets right what is stale in them.
func (r *Recorder) mend(ctx context.Context, l *lookAgain, checkouts []git.Checkout) (bool, error) {
	tip, err := tipOf(ctx, r.Repo, l.Ref)
	if err != nil {
		return false, err
	}
	if made, err := contains(ctx, r.Repo, tip, l.New); err != nil || !made {
		return false, err // a person moved the branch away from it
	}
	b, err := r.Repo.Batch(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = b.Close() }() // a reader
	st := r.step(l.Ref, l.Old, l.New)
	st.plansDir = l.PlansDir
	if st.self, err = proc.Self(); err != nil {
		return false, fmt.Errorf("identify this process: %w", err)
	}
	all, err := r.Repo.TreeDiff(ctx, l.Old, l.New)
	if err != nil {
		return false, err
	}
	var still []git.TreeChange
	for _, c := range all {
		// What the branch has otherwise by now is no business of that step.
		same, err := committedBy(b, tip, c.Path, c.New)
		if err != nil {
			return false, err
		}
		if same {
			still = append(still, c)
		}
	}
	st.setChanges(still)
	mended := false
	for _, c := range checkouts {
		known := slices.ContainsFunc(l.Spots, func(s lookSpot) bool { return s.GitDir == c.GitDir })
		did, err := st.mendSpot(ctx, c, b, !known)
		if err != nil {
			return mended, err
		}
		mended = mended || did
	}
	return mended, nil
}

// mendSpot sets right one worktree. A newcomer came to the branch while the step was made: its clean old files follow too.
func (st *step) mendSpot(ctx context.Context, c git.Checkout, b *git.Batch, newcomer bool) (bool, error) {
	s, err := openSpot(ctx, st.repo, c)
	if err != nil || s == nil {
		return false, err
	}
	defer s.dropFiles()
	if err := s.look(ctx, st, b); err != nil {
		return false, err
	}
	stale := false
	for _, it := range s.items {
		it.verdict = decideAgain(it.seen)
		if newcomer && !s.gone && untouched(it.seen) {
			it.verdict = decide(it.seen)
		}
		stale = stale || it.verdict.index == take
		if it.verdict.index == take {
			st.log("%s in %s: a git command put the entry of before %.10s back; mended", it.Path, s.Path, st.new)
		}
	}
	if !stale {
		return false, nil
	}
	if err := s.prepareFiles(ctx); err != nil {
		return false, err
	}
	lock, err := lockIndex(ctx, c, lockText(st.self, st.new))
	if err != nil {
		return false, err
	}
	defer func() {
		if err := lock.release(); err != nil {
			st.log("%v", err)
		}
	}()
	if same, err := s.stamp.Same(); err != nil || !same {
		return false, err // touched again: the next look sees it
	}
	if err := s.placeAll(st); err != nil {
		return false, err
	}
	if err := s.nextIndex(ctx); err != nil {
		return false, err
	}
	return true, s.swapIndex()
}

// untouched reports whether index and working tree are the old side's.
func untouched(s seen) bool {
	if !s.had {
		return s.index == indexAbsent && s.work == workAbsent
	}
	return s.index == indexOld && s.work == workOld
}

// clock is the time by the recorder's clock.
func (r *Recorder) clock() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}
