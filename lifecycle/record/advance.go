package record

import (
	"context"
	"errors"
	"fmt"

	"tendril/internal/git"
)

// Move is a branch to be moved to a commit that is built already.
type Move struct {
	// Ref is the branch's full name.
	Ref string
	// Old is where it must stand, New where it goes.
	Old, New string
	// Strict refuses the whole move when anything that it touches is changed, staged, untracked or ignored in a worktree
	// that has the branch checked out. Otherwise each path is decided by the table.
	Strict bool
	// Careful is Strict but for what Tendril writes: there the table decides. So the commits of others come in as a whole or
	// not at all, and a plan that only changed its status does not stand in their way.
	Careful bool
	// Reflog is the line in the reflog; By, when set, the identity there.
	Reflog string
	By     git.Ident
	// PlansDir is where plans live, if they do on this branch (see Recorder.PlansDir).
	PlansDir string
}

// Advance moves a branch, with the working trees that have it checked out. Errors: ErrMoved when it is not at Old (any
// more), *InTheWayError (Strict), *BusyError.
func Advance(ctx context.Context, repo *git.Repo, runtime string, m Move) (Result, error) {
	r := Recorder{Repo: repo, Runtime: runtime, Ref: m.Ref, PlansDir: m.PlansDir}
	release, err := takeTurn(ctx, runtime)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if err := r.ready(ctx); err != nil {
		return Result{}, err
	}
	ref, err := repo.ResolveRef(ctx, m.Ref)
	if err != nil {
		return Result{}, err
	}
	tip, err := tipOf(ctx, repo, ref)
	if err != nil {
		return Result{}, err
	}
	if tip != m.Old {
		return Result{Tip: tip}, fmt.Errorf("%s: %w: it is at %q, not at %s", m.Ref, ErrMoved, tip, m.Old)
	}
	if m.Old == m.New {
		return Result{Tip: tip}, nil
	}
	var res Result
	err = r.politely(ctx, func() error {
		st := r.step(ref, m.Old, m.New)
		st.strict, st.careful, st.reflog, st.by = m.Strict || m.Careful, m.Careful, m.Reflog, m.By
		res, err = st.run(ctx)
		return err
	})
	if errors.Is(err, errLost) {
		err = fmt.Errorf("%s: %w", m.Ref, ErrMoved)
	}
	return res, err
}
