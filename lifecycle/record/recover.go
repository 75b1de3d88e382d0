package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tendril/internal/git"
	"tendril/internal/proc"
)

// childLimit is how long a git process of a dead owner is waited for; it ends by itself, its input being closed.
const childLimit = 10 * time.Second

// Recover finishes, or takes back, a step that a crash cut off. It reports whether there was one. A *BusyError says that
// it has to wait.
func Recover(ctx context.Context, repo *git.Repo, runtime string) (done bool, err error) {
	release, err := takeTurn(ctx, runtime)
	if err != nil {
		return false, err
	}
	defer release()
	r := Recorder{Repo: repo, Runtime: runtime}
	return r.recoverStep(ctx)
}

// recoverStep is Recover for one whose turn it is.
func (r *Recorder) recoverStep(ctx context.Context) (bool, error) {
	j, err := readJournal(r.Runtime)
	if err != nil {
		return false, err
	}
	if j != nil {
		if err := r.awaitOwner(ctx, j); err != nil {
			return false, err
		}
	}
	if err := r.dropLocks(ctx, j); err != nil || j == nil {
		return false, err
	}
	tip, err := tipOf(ctx, r.Repo, j.Ref)
	if err != nil {
		return false, err
	}
	switch {
	case tip == j.Old:
		err = r.goOn(ctx, j)
	default:
		var made bool
		if made, err = contains(ctx, r.Repo, tip, j.New); err == nil && made {
			err = r.tidyMade(ctx, j)
		} else if err == nil {
			err = r.goBack(ctx, j, tip)
		}
	}
	if errors.Is(err, errLost) {
		return r.recoverStep(ctx) // a person was quicker: the branch says now what to do
	}
	return err == nil, err
}

// awaitOwner sees to it that nobody works on the step any more: neither the process that wrote the journal nor its git.
func (r *Recorder) awaitOwner(ctx context.Context, j *journal) error {
	self, err := proc.Self()
	if err != nil {
		return fmt.Errorf("identify this process: %w", err)
	}
	if j.Owner != self && j.Owner.Alive() {
		return &BusyError{Why: fmt.Sprintf("the process %d is recording", j.Owner.PID)}
	}
	for end := time.Now().Add(childLimit); j.Child.Alive(); {
		if time.Now().After(end) {
			return &BusyError{Why: fmt.Sprintf("the git process %d of an interrupted step does not end", j.Child.PID)}
		}
		if err := pause(ctx, lockPause); err != nil {
			return err
		}
	}
	return nil
}

// contains reports whether commit is, or is an ancestor of, tip.
func contains(ctx context.Context, repo *git.Repo, tip, commit string) (bool, error) {
	if tip == "" {
		return false, nil
	}
	_, err := repo.Run(ctx, "merge-base", "--is-ancestor", commit, tip)
	if code, failed := git.ExitCode(err); failed && code == 1 {
		return false, nil
	}
	return err == nil, err
}

// dropLocks removes the locks that are provably ours and dead: an index.lock by its content, the ref's by the commit in it,
// HEAD's by its identity in the journal. No others.
func (r *Recorder) dropLocks(ctx context.Context, j *journal) error {
	checkouts, err := r.Repo.Checkouts(ctx)
	if err != nil {
		return err
	}
	for _, c := range checkouts {
		if err := dropDeadLock(c); err != nil {
			return err
		}
		if j == nil {
			// Without a journal nothing of a step is in the working tree, so nothing of a person's can be among its files.
			(&spot{Checkout: c}).dropFiles()
		}
	}
	if j == nil {
		return nil
	}
	for _, s := range j.Spots {
		// The owner may be this very process, after a step that failed.
		lock := filepath.Join(s.GitDir, "index.lock")
		data, err := os.ReadFile(lock)
		if err != nil {
			continue // none, as a rule
		}
		if owner, ours := lockOwner(string(data)); ours && owner == j.Owner {
			if err := removeIfThere(lock); err != nil {
				return err
			}
		}
	}
	return j.dropGitLocks(r.Repo)
}

// dropGitLocks removes the locks that a git process of ours left behind when it was killed. That process must be gone.
func (j *journal) dropGitLocks(repo *git.Repo) error {
	ref := filepath.Join(repo.CommonDir, filepath.FromSlash(j.Ref)+".lock")
	if data, err := os.ReadFile(ref); err == nil && strings.TrimSpace(string(data)) == j.New {
		if err := removeIfThere(ref); err != nil {
			return fmt.Errorf("remove a lock of ours: %w", err)
		}
	}
	for _, l := range j.Locks {
		info, err := os.Lstat(l.Path)
		if err != nil || info.Size() != 0 || l.Inode == 0 || inodeOf(info) != l.Inode || !info.ModTime().Equal(l.Time) {
			continue
		}
		if err := removeIfThere(l.Path); err != nil {
			return fmt.Errorf("remove a lock of ours: %w", err)
		}
	}
	return nil
}

// goOn makes the step whose ref was not moved yet, from what is there by now.
func (r *Recorder) goOn(ctx context.Context, j *journal) error {
	for _, js := range j.Spots {
		s := spot{Checkout: git.Checkout{GitDir: js.GitDir, Path: js.Path}}
		for _, f := range js.Files {
			temp, held, err := heldContent(s.file(f.Path), f)
			if err == nil {
				err = s.dropHeld(f, temp, held, r.Runtime, r.logf())
			}
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
	}
	st := r.step(j.Ref, j.Old, j.New)
	st.plansDir, st.reflog, st.by, st.resumed = j.PlansDir, j.Reflog, j.By, j
	_, err := st.run(ctx)
	return err
}

// tidyMade is for a step whose ref was moved: files and indexes came before it, so only tidying is left; but an index
// that does not have it is mended.
func (r *Recorder) tidyMade(ctx context.Context, j *journal) error {
	for _, js := range j.Spots {
		s := spot{Checkout: git.Checkout{GitDir: js.GitDir, Path: js.Path}}
		for _, f := range js.Files {
			temp, held, err := heldContent(s.file(f.Path), f)
			if err == nil {
				err = s.dropHeld(f, temp, held, r.Runtime, r.logf())
			}
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		s.dropFiles()
	}
	l := lookAgain{Ref: j.Ref, Old: j.Old, New: j.New, PlansDir: j.PlansDir, At: r.clock()}
	for _, js := range j.Spots {
		l.Spots = append(l.Spots, lookSpot{GitDir: js.GitDir})
	}
	if err := l.write(r.Runtime); err != nil {
		return err
	}
	if err := dropJournal(r.Runtime); err != nil {
		return err
	}
	_, err := r.look(ctx)
	return err
}

// goBack is for a step that can never be made, the branch having moved elsewhere: what of it was done is taken back.
func (r *Recorder) goBack(ctx context.Context, j *journal, tip string) error {
	self, err := proc.Self()
	if err != nil {
		return fmt.Errorf("identify this process: %w", err)
	}
	for _, js := range j.Spots {
		c := git.Checkout{GitDir: js.GitDir, Path: js.Path}
		if _, err := os.Stat(filepath.Join(js.GitDir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
			continue // the worktree is gone
		}
		lock, err := lockIndex(ctx, c, lockText(self, j.New))
		if err != nil {
			return err
		}
		err = takeBack(ctx, r.Repo, js, tip, r.Runtime, r.logf())
		if err = errors.Join(err, lock.release()); err != nil {
			return fmt.Errorf("take back a step in %s: %w", js.Path, err)
		}
		(&spot{Checkout: c}).dropFiles()
	}
	return dropJournal(r.Runtime)
}

func dropJournal(runtime string) error {
	if err := removeIfThere(journalPath(runtime)); err != nil {
		return fmt.Errorf("drop the journal: %w", err)
	}
	return nil
}
