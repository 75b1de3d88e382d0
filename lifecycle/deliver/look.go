package deliver

import (
	"context"
	"errors"
	"fmt"

	"tendril/internal/git"
	"tendril/plans"
)

// Ask is what Look has to be told of an accepted plan.
type Ask struct {
	Key plans.Key
	// AcceptedHead is the head that gate 2 was passed for, BranchHead where the plan's branch stands (empty: it is gone),
	// BaseTip where the base branch stands (empty: it is gone). All commits here are full ids.
	AcceptedHead, BranchHead, BaseTip string
	// RecordedBase is the base commit that the accepted head was verified on.
	RecordedBase string
	// DeliveringHead is the recorded merge of both; empty: none. Checked is what the checks said of it.
	DeliveringHead string
	Checked        Verdict
	// MovedBy is who moved the branch since the acceptance, where anybody did.
	MovedBy Mover
	// PlansDir is the folder of the plans.
	PlansDir string
}

// Look finds out what Decide has to know. It reads and makes objects, and moves nothing.
func Look(ctx context.Context, repo *git.Repo, a Ask) (Input, error) {
	in := Input{
		AcceptedHead: a.AcceptedHead, BranchHead: a.BranchHead, RecordedBase: a.RecordedBase, BaseTip: a.BaseTip,
		DeliveringHead: a.DeliveringHead, Checked: a.Checked, MovedBy: a.MovedBy,
	}
	if a.AcceptedHead == "" || a.BaseTip == "" {
		return in, nil
	}
	if ok, err := exists(ctx, repo, a.AcceptedHead); err != nil || !ok {
		if err == nil {
			err = fmt.Errorf("the accepted commit %s is not in this repository\n  fetch it, or accept again what is there", a.AcceptedHead)
		}
		return in, err
	}
	var err error
	if in.InBase, err = delivered(ctx, repo, a); err != nil || in.InBase || a.BranchHead == "" {
		return in, err
	}
	if in.Lost, err = lostSince(ctx, repo, a, a.RecordedBase); err != nil || len(in.Lost.Commits) > 0 {
		return in, err
	}
	verifiedOn := a.RecordedBase
	if a.BranchHead != a.AcceptedHead {
		var bases []string
		if bases, in.Automatic, err = automatic(ctx, repo, a); err != nil {
			return in, err
		}
		for _, base := range bases {
			if in.Lost, err = lostSince(ctx, repo, a, base); err != nil || len(in.Lost.Commits) > 0 {
				return in, err
			}
		}
		in.Times = len(bases)
		if !in.Automatic {
			in.InBase, err = holds(ctx, repo, a.BaseTip, a.AcceptedHead)
			return in, err
		}
		verifiedOn = bases[0]
		if a.BranchHead == a.DeliveringHead {
			in.DeliveringBase = bases[0]
		}
	}
	err = wouldDiffer(ctx, repo, a, verifiedOn, &in)
	if conflict := (*ConflictError)(nil); errors.As(err, &conflict) {
		in.MovedBase, in.Conflict, in.ConflictPaths = true, true, conflict.Paths
		in.InBase, err = byPatch(ctx, repo, a.AcceptedHead, a.BaseTip)
	}
	return in, err
}

// delivered tells whether what was accepted is in the base already, by itself or by a commit that says so.
func delivered(ctx context.Context, repo *git.Repo, a Ask) (bool, error) {
	if ok, err := InBase(ctx, repo, a.AcceptedHead, a.BaseTip); err != nil || ok {
		return ok, err
	}
	id, err := FindDelivered(ctx, repo, a.Key, a.AcceptedHead, a.BaseTip)
	return id != "", err
}

// automatic tells whether the branch stands on a merge of the accepted head with commits of the base by git alone, and
// returns those, newest first.
func automatic(ctx context.Context, repo *git.Repo, a Ask) ([]string, bool, error) {
	bases, ok, err := integrated(ctx, repo, a.BranchHead, a.AcceptedHead)
	if err == nil && ok {
		ok, err = allIn(ctx, repo, bases, a.BaseTip)
	}
	return bases, ok, err
}

// wouldDiffer notes whether merging the branch into the base gives the base something that was not verified: the base
// moved from the one that the branch was verified on, or the merge differs from the branch, outside bookkeeping. The
// second alone would do; the first holds when a recorded base is wrong. Where it gives the base nothing at all, somebody
// has brought the work in in another way.
func wouldDiffer(ctx context.Context, repo *git.Repo, a Ask, verifiedOn string, in *Input) error {
	tree, err := mergeTree(ctx, repo, a.BaseTip, a.BranchHead, a.BaseTip)
	if err != nil {
		return err
	}
	have, err := treeOf(ctx, repo, a.BaseTip)
	if in.InBase = err == nil && have == tree; err != nil || in.InBase {
		return err
	}
	if in.MovedBase, err = Moved(ctx, repo, a.BranchHead, tree, a.PlansDir); err != nil || in.MovedBase || verifiedOn == "" {
		return err
	}
	if ok, err := exists(ctx, repo, verifiedOn); err != nil || !ok {
		in.MovedBase = err == nil
		return err
	}
	in.MovedBase, err = Moved(ctx, repo, verifiedOn, a.BaseTip, a.PlansDir)
	return err
}

// exists tells whether a commit is there.
func exists(ctx context.Context, repo *git.Repo, commit string) (bool, error) {
	_, err := run(ctx, repo, "cat-file", "-e", commit+"^{commit}")
	if _, exited := git.ExitCode(err); exited {
		return false, nil
	}
	return err == nil, err
}
