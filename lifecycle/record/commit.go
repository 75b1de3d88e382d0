package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tendril/internal/crash"
	"tendril/internal/git"
	"tendril/internal/proc"
)

const (
	// commitTries is how often a draft is built anew because the branch moved before it was in.
	// From openTries on the indexes are locked before the draft is built: whoever commits without a pause is kept out for
	// that long, else a slow machine would never get a commit in.
	commitTries = 10
	openTries   = 2
	// politePause and politeLimit: what a person's git does in a moment (the message of a commit that is being made) is
	// waited for; what takes longer is the caller's to come back for.
	politePause = 25 * time.Millisecond
	politeLimit = 500 * time.Millisecond
)

// Commit adds one commit to the branch. It finishes or takes back an interrupted step first. A draft that changes nothing
// is nothing to do. Errors: *BusyError when it has to wait for a person, ErrMoved when the branch kept moving,
// *git.PathError for an edit that does not fit the tree, what build returned, or what git said. Where a remote has the
// truth, also those that RemoteTrouble knows.
func (r *Recorder) Commit(ctx context.Context, build Build) (Result, error) {
	if r.Remote != nil {
		return r.commitRemote(ctx, build)
	}
	release, err := takeTurn(ctx, r.Runtime)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if err := r.ready(ctx); err != nil {
		return Result{}, err
	}
	ref, err := r.Repo.ResolveRef(ctx, r.Ref)
	if err != nil {
		return Result{}, err
	}
	for tries := 1; tries <= commitTries; tries++ {
		res, err := r.tryCommit(ctx, ref, build, tries > openTries)
		if !errors.Is(err, errLost) {
			return res, err
		}
		if err := pause(ctx, lockPause/4); err != nil {
			return Result{}, err
		}
	}
	return Result{}, fmt.Errorf("%s: %w again and again", r.Ref, ErrMoved)
}

// ready finishes what was begun before.
func (r *Recorder) ready(ctx context.Context) error {
	if _, err := r.recoverStep(ctx); err != nil {
		return err
	}
	_, err := r.look(ctx)
	return err
}

// tryCommit builds a draft against the tip as it is now and tries to bring it in; errLost when the branch moved.
func (r *Recorder) tryCommit(ctx context.Context, ref string, build Build, closed bool) (Result, error) {
	doors := map[string]*indexLock{}
	if closed {
		var err error
		if doors, err = r.closeDoors(ctx, ref); err != nil {
			return Result{}, err
		}
		defer r.openDoors(doors)
	}
	b, err := r.Repo.Batch(ctx)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = b.Close() }() // a reader
	tip, err := b.Get(ref)
	if errors.Is(err, git.ErrNoObject) {
		return Result{}, fmt.Errorf("%s has no commit yet\n  make a first commit on it, or name another branch in the configuration", shortRef(ref))
	}
	if err != nil {
		return Result{}, err
	}
	if err := r.waitPolitely(ctx, ref); err != nil {
		return Result{}, err
	}
	draft, err := build(ctx, tip.ID)
	if err != nil || draft == nil {
		return Result{Tip: tip.ID}, err
	}
	commit, changes, err := r.make(ctx, b, tip, draft)
	if err != nil || commit == "" {
		return Result{Tip: tip.ID}, err
	}
	crash.At(pointBuilt)
	st := r.step(ref, tip.ID, commit)
	st.doors, st.batch = doors, b
	st.setChanges(changes)
	st.reflog, st.by = subjectOf(draft.Message), draft.Committer
	var res Result
	err = r.politely(ctx, func() error {
		res, err = st.run(ctx)
		return err
	})
	return res, err
}

// closeDoors locks every index whose worktree has the branch checked out, by git directory.
func (r *Recorder) closeDoors(ctx context.Context, ref string) (map[string]*indexLock, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, fmt.Errorf("identify this process: %w", err)
	}
	checkouts, err := r.Repo.Checkouts(ctx)
	if err != nil {
		return nil, err
	}
	doors := map[string]*indexLock{}
	for _, c := range checkouts {
		if c.Ref != ref || c.Path == "" {
			continue
		}
		lock, err := lockIndex(ctx, c, lockText(self, "next"))
		if err != nil {
			r.openDoors(doors)
			return nil, err
		}
		doors[c.GitDir] = lock
	}
	return doors, nil
}

func (r *Recorder) openDoors(doors map[string]*indexLock) {
	for _, lock := range doors {
		if err := lock.release(); err != nil {
			r.logf()("%v", err)
		}
	}
}

// step is a step with all that the recorder knows.
func (r *Recorder) step(ref, from, to string) *step {
	st := &step{
		repo: r.Repo, runtime: r.Runtime, ref: ref, old: from, new: to, plansDir: r.PlansDir, splice: r.Splice,
		now: r.clock, log: r.logf(),
	}
	if st.splice == nil {
		st.splice = SpliceStatus
	}
	return st
}

func (r *Recorder) logf() func(string, ...any) {
	if r.Log == nil {
		return func(string, ...any) {}
	}
	return r.Log
}

// waitPolitely waits a moment for a person's git; it is done again when the locks are held.
func (r *Recorder) waitPolitely(ctx context.Context, ref string) error {
	return r.politely(ctx, func() error {
		checkouts, err := r.Repo.Checkouts(ctx)
		if err != nil {
			return err
		}
		return busy(checkouts, ref, r.clock())
	})
}

// politely tries until it is not in a person's way any more, for a moment.
func (r *Recorder) politely(ctx context.Context, try func() error) error {
	for end := time.Now().Add(politeLimit); ; {
		err := try()
		var wait *BusyError
		if !errors.As(err, &wait) || time.Now().After(end) {
			return err
		}
		if err := pause(ctx, politePause); err != nil {
			return err
		}
	}
}

// make builds the commit from objects; empty when it would change nothing.
func (r *Recorder) make(ctx context.Context, b *git.Batch, tip git.Object, d *Draft) (string, []git.TreeChange, error) {
	edits := make([]git.FileEdit, len(d.Edits))
	for i, e := range d.Edits {
		if err := git.CheckPath(e.Path); err != nil {
			return "", nil, err
		}
		edits[i] = git.FileEdit{Path: e.Path, Data: e.Data, Delete: e.Delete}
	}
	editor := git.TreeEditor{Batch: b, Format: r.Repo.Format}
	made, err := editor.Apply(tip.ID, edits)
	if err != nil || len(made.Changes) == 0 {
		return "", nil, err
	}
	if err := r.Repo.WriteObjects(ctx, made.Objects); err != nil {
		return "", nil, err
	}
	args := []string{"commit-tree", made.ID, "-p", tip.ID, "-F", "-"}
	if d.Sign {
		args = append(args, "-S")
	}
	out, err := r.Repo.Do(ctx, git.Call{
		Args: args, Stdin: []byte(strings.TrimRight(d.Message, "\n") + "\n"),
		Env: append(d.Author.AuthorEnv(), d.Committer.CommitterEnv()...),
	})
	return strings.TrimSpace(string(out)), made.Changes, err
}

// subjectOf is the first line of a message.
func subjectOf(message string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return first
}
