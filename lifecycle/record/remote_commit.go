package record

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tendril/internal/crash"
	"tendril/internal/git"
)

const (
	// pushTries is how often a commit is built anew because somebody else's was quicker. The pauses between are short: who
	// has just pushed leaves the field for a while (Engine), so that the slower clone gets its turn.
	pushTries    = 12
	pushPause    = 40 * time.Millisecond
	longestPause = 2 * time.Second
)

// commitRemote is Commit where the remote's branch is the truth: the commit is built from objects on what is known of it,
// and pushed; where the remote moved meanwhile it is fetched and built again. Then the local branch follows if it can.
func (r *Recorder) commitRemote(ctx context.Context, build Build) (Result, error) {
	u := r.Remote
	release, err := u.turn(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if h, err := ReadHealth(u.Runtime); err == nil && h.Trouble != "" && !h.Push {
		// The last talk was cut off, perhaps behind a push that went through: first see what is there.
		if _, err := u.refresh(ctx); err != nil {
			return Result{}, u.health(ctx, err, false)
		}
	}
	for try := range pushTries {
		res, moved, err := r.tryPush(ctx, build)
		if err != nil {
			return Result{}, u.health(ctx, err, true)
		}
		if !moved {
			if res.Commit != "" {
				err = u.health(ctx, nil, true)
			}
			return res, err
		}
		// The pause comes before the look: what was seen must be as new as can be when it is pushed on.
		if err := pause(ctx, pushWait(try)); err != nil {
			return Result{}, err
		}
		if _, err := u.refresh(ctx); err != nil {
			return Result{}, u.health(ctx, err, false)
		}
	}
	return Result{}, &BusyError{Why: fmt.Sprintf("%s moves at %s again and again%s", u.Branch, u.Name, r.twoPlaces(ctx))}
}

// pushWait is the pause behind the nth refusal: growing, and never the same in two clones.
func pushWait(n int) time.Duration {
	most := min(pushPause<<min(n, 8), longestPause)
	return rand.N(most)
}

// tryPush builds a commit on what is known of the remote's branch, and pushes it; moved when that is not what is there.
func (r *Recorder) tryPush(ctx context.Context, build Build) (res Result, moved bool, err error) {
	u := r.Remote
	tip, err := u.Known(ctx)
	if err != nil {
		return Result{}, false, err
	}
	if tip == "" {
		if _, err := u.refresh(ctx); err != nil {
			return Result{}, false, err
		}
		if tip, err = u.Known(ctx); err != nil {
			return Result{}, false, err
		}
	}
	draft, err := build(ctx, tip)
	if err != nil || draft == nil {
		return Result{Tip: tip}, false, err
	}
	commit, err := r.makeOn(ctx, tip, draft)
	if err != nil || commit == "" {
		return Result{Tip: tip}, false, err
	}
	crash.At(pointPushing)
	if moved, err := u.push(ctx, git.PushRef{Ref: headsPrefix + u.Branch, Commit: commit, Expect: tip}, draft.Publish); err != nil || moved {
		return Result{Tip: tip}, moved, err
	}
	crash.At(pointPushed)
	if err := u.noted(ctx, u.Branch, commit); err != nil {
		return Result{}, false, err
	}
	res = Result{Tip: commit, Commit: commit}
	// What keeps the local branch from following is no matter of the commit: it is in.
	follow, err := Follow(ctx, r.Repo, r.Runtime, Follower{Ref: r.Ref, To: commit, PlansDir: r.PlansDir, By: draft.Committer})
	if err != nil {
		r.logf()("%v", err)
	}
	res.Left, res.Behind = follow.Left, follow.Behind
	return res, false, ctx.Err()
}

// makeOn builds a draft's commit on a tip.
func (r *Recorder) makeOn(ctx context.Context, tip string, draft *Draft) (string, error) {
	b, err := r.Repo.Batch(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = b.Close() }() // a reader
	at, err := b.Get(tip)
	if err != nil {
		return "", fmt.Errorf("read the tip of %s: %w", r.Remote.Branch, err)
	}
	commit, _, err := r.make(ctx, b, at, draft)
	return commit, err
}

// twoPlaces names a remote that is fetched from one place and pushed to another: there no push ever fits.
func (r *Recorder) twoPlaces(ctx context.Context) string {
	from, err := r.Repo.Run(ctx, "remote", "get-url", r.Remote.Name)
	if err != nil {
		return ""
	}
	to, err := r.Repo.Run(ctx, "remote", "get-url", "--push", r.Remote.Name)
	if err != nil || from == to {
		return ""
	}
	return fmt.Sprintf(" (it is fetched from %s and pushed to %s)", from, to)
}

// Follower says which local branch shall follow, and where to.
type Follower struct {
	// Ref is the branch's full name, To the remote's commit.
	Ref, To  string
	PlansDir string
	// By is who the reflog names.
	By git.Ident
}

// Followed is what became of it.
type Followed struct {
	// Left are paths in working trees that were left as a person has them.
	Left []Left
	// Behind, when set, is why the branch stays where it is, in one line: a person has to do something.
	Behind string
}

// Follow fast-forwards a local branch to a commit of the remote, with the working trees that have it checked out. A branch
// that is not there, or has commits of its own, stays. Files of a person's that are in the way keep it back as a whole;
// only what Tendril writes is decided path by path. Errors: *BusyError, git's.
func Follow(ctx context.Context, repo *git.Repo, runtime string, f Follower) (Followed, error) {
	tip, err := tipOf(ctx, repo, f.Ref)
	if err != nil || tip == "" || tip == f.To {
		return Followed{}, err
	}
	behind, err := contains(ctx, repo, f.To, tip)
	if err != nil {
		return Followed{}, err
	}
	if !behind {
		ahead, err := contains(ctx, repo, tip, f.To)
		if err != nil || ahead {
			return Followed{}, err // all there is at the remote is in it
		}
		return Followed{Behind: fmt.Sprintf("%s has commits of yours beside the remote's: git pull --rebase", shortRef(f.Ref))}, nil
	}
	res, err := Advance(ctx, repo, runtime, Move{
		Ref: f.Ref, Old: tip, New: f.To, Careful: true, Reflog: "tendril: fast-forward to the remote", By: f.By, PlansDir: f.PlansDir,
	})
	inTheWay, busy := (*InTheWayError)(nil), (*BusyError)(nil)
	switch {
	case errors.As(err, &inTheWay), errors.As(err, &busy):
		return Followed{Behind: shortRef(f.Ref) + " does not follow the remote: " + firstLine(err.Error())}, nil
	case errors.Is(err, ErrMoved):
		return Followed{}, nil // the next look sees what is there
	case err != nil:
		return Followed{}, err
	}
	crash.At(pointFollowed)
	return Followed{Left: res.Left}, nil
}

func firstLine(s string) string { return subjectOf(s) }
