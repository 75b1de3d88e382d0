package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"tendril/internal/config"
	"tendril/internal/crash"
	"tendril/internal/git"
	"tendril/lifecycle/record"
)

// doMove puts the commit of a move onto the default branch, with which it is done: in this clone by the recorder's protocol,
// or at the remote that has the truth, where both branches move at once. record.ErrMoved where somebody was quicker.
func (p *Project) doMove(ctx context.Context, actor Actor, m planMove) error {
	if m.Remote != "" {
		return p.pushMove(ctx, m)
	}
	_, err := record.Advance(ctx, p.Repo, p.Runtime, record.Move{
		Ref: m.Default, Old: m.Base, New: m.Code, Strict: true, PlansDir: m.Dir, By: actor.ident(),
		Reflog: "commit: move the plans to " + branchName(m.Target),
	})
	crash.At(crashMovedPlans)
	return err
}

// pushMove moves both branches of the remote, or none.
func (p *Project) pushMove(ctx context.Context, m planMove) error {
	own := git.PushRef{Ref: m.Target, Commit: m.Plans}
	if m.Layout == LayoutDefault {
		own = git.PushRef{Ref: m.Source, Expect: m.Plans} // deleted: who still writes there must notice
	}
	answers, err := p.Repo.PushTogether(ctx, m.Remote, git.PushRef{Ref: m.Default, Commit: m.Code, Expect: m.Base}, own)
	if err != nil {
		return err
	}
	crash.At(crashMovedPlans)
	var refused error
	for _, a := range answers {
		if a.Moved {
			return record.ErrMoved
		}
		if !a.Done && refused == nil {
			refused = &record.RefusedError{Remote: m.Remote, Branch: branchName(a.Ref), Words: a.Words}
		}
	}
	return refused
}

// finishMove does what follows from a move that is done. All of it can be done again.
func finishMove(ctx context.Context, clone *Project, m planMove, resumed bool) (PlansMoved, error) {
	out := PlansMoved{
		Layout: m.Layout, From: branchName(m.Source), To: branchName(m.Target), Commit: m.Code, Plans: m.Count, Resumed: resumed,
	}
	var err error
	if m.Layout == LayoutOwn {
		out.Began = m.Plans
		err = clone.makeOwnBranch(ctx, m)
	}
	if err != nil {
		return out, err
	}
	if err := clone.pointHere(ctx, m, &out); err != nil {
		return out, err
	}
	p, err := Open(ctx, clone.Repo, clone.Deps)
	if err != nil {
		return out, err
	}
	defer func() { _ = p.Close() }() // as above
	if err := p.freshen(ctx); err != nil {
		return out, err
	}
	if err := p.followMove(ctx, m, &out); err != nil {
		return out, err
	}
	if m.Trusted {
		if err := p.Trust(ctx); err != nil {
			return out, err
		}
	}
	if m.Layout == LayoutOwn {
		err = p.checkOutMoved(ctx, &out)
	} else {
		err = p.leaveOwnBranch(ctx, m, &out)
	}
	if err != nil {
		return out, err
	}
	return out, os.Remove(filepath.Join(clone.Runtime, movedFile))
}

// makeOwnBranch makes the new plans branch, unless it is there.
func (p *Project) makeOwnBranch(ctx context.Context, m planMove) error {
	if out, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", m.Target); err != nil || out != "" {
		return err
	}
	_, err := p.Repo.Run(ctx, "update-ref", "--create-reflog", "-m", "branch: plans moved here", m.Target, m.Plans, git.ZeroID(p.Repo.Format))
	if err != nil {
		return fmt.Errorf("make the branch %s: %w\n  tendril init --move-plans finishes what is begun", branchName(m.Target), err)
	}
	return nil
}

// pointHere makes the machine's own file name the new plans branch, where nothing else does or it names the old one.
func (p *Project) pointHere(ctx context.Context, m planMove, out *PlansMoved) error {
	if ref, err := config.PlansBranch(ctx, p.Repo); err == nil && ref == m.Target {
		return nil
	}
	file := config.MachineFile(p.Repo)
	src, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read %s: %w", file, err)
	}
	text, err := withBranch(src, branchName(m.Target), true)
	if err == nil {
		err = maybe.WriteFile(file, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write branch: %s into %s: %w\n  write it there, then tendril init --move-plans again", branchName(m.Target), file, err)
	}
	out.Machine = file
	return nil
}

// followMove brings the local default branch along with the remote's.
func (p *Project) followMove(ctx context.Context, m planMove, out *PlansMoved) error {
	if m.Remote == "" {
		return nil
	}
	cfg, _, err := p.syncConfig(ctx)
	if err != nil {
		return err
	}
	f, err := record.Follow(ctx, p.Repo, p.Runtime, record.Follower{Ref: m.Default, To: m.Code, PlansDir: m.Dir, By: identOf(cfg)})
	if f.Behind != "" {
		out.Left = append(out.Left, f.Behind)
	}
	return err
}

// checkOutMoved checks the new branch out beside the worktrees.
func (p *Project) checkOutMoved(ctx context.Context, out *PlansMoved) error {
	cfg, _, err := p.syncConfig(ctx)
	if err != nil {
		return err
	}
	s := &Survey{repo: p.Repo, deps: p.Deps, Config: cfg}
	var init Initialised
	err = s.checkOutOwn(ctx, p, &init)
	out.Checkout = init.Checkout
	return err
}

// leaveOwnBranch removes the old plans branch and its checkout beside the worktrees, where nothing goes with them: every
// commit is in the default branch, and nothing lies uncommitted.
func (p *Project) leaveOwnBranch(ctx context.Context, m planMove, out *PlansMoved) error {
	name := branchName(m.Source)
	tip, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", m.Source)
	if err != nil || tip == "" {
		return err
	}
	if _, err := p.Repo.Run(ctx, "merge-base", "--is-ancestor", tip, m.Code); err != nil {
		out.Left = append(out.Left, fmt.Sprintf("%s has commits that are not among the plans: git log %s --not %s", name, name, branchName(m.Target)))
		return nil
	}
	cfg, _, err := p.syncConfig(ctx)
	if err != nil {
		return err
	}
	place, err := (&Survey{repo: p.Repo, deps: p.Deps, Config: cfg}).ownPlace(ctx)
	if err != nil {
		return err
	}
	old := Project{Repo: p.Repo, Ref: m.Source}
	copies, err := old.workingCopies(ctx)
	if err != nil {
		return err
	}
	for _, c := range copies {
		gone := false
		if samePath(c.dir, place) && !samePath(p.Repo.Dir, c.dir) {
			_, err := p.Repo.Run(ctx, "worktree", "remove", "--", c.dir) // without force: git keeps what is not committed
			gone = err == nil
		}
		if !gone {
			out.Left = append(out.Left, fmt.Sprintf("%s is checked out in %s, and stays: git worktree remove %s && git branch -d %s", name, c.dir, c.dir, name))
			return nil
		}
	}
	if _, err := p.Repo.Run(ctx, "update-ref", "-d", m.Source, tip); err != nil {
		return fmt.Errorf("remove the branch %s: %w", name, err)
	}
	return nil
}

// samePath compares two folders as the system sees them.
func samePath(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
