package lifecycle

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/plans"
	"tendril/runners"
	"tendril/worktree"
)

// work is one action under way: what it was decided on, and the record that it changes.
type work struct {
	*Project
	snap *snapshot
	one  decided
	// rec is the action's own copy of the record; what an action gives back puts it in place.
	rec *plans.Record
	// prior is what was known of the plan when the action began.
	prior progress
	now   time.Time
	// run is the run that the action is about; empty before the first.
	run  string
	tell func(key plans.Key, run, kind, format string, args ...any)
	// begins is told which check of a plan begins, and that it is the nth of so many.
	begins func(key plans.Key, name string, nth, of int)
}

func (w *work) key() plans.Key { return w.one.entry.Key }

func (w *work) say(kind, format string, args ...any) { w.tell(w.key(), w.run, kind, format, args...) }

// cloneRecord copies a record so that it can be changed; nil gives a new one.
func cloneRecord(key plans.Key, rec *plans.Record) *plans.Record {
	if rec == nil {
		return &plans.Record{Version: plans.RecordVersion, Key: key}
	}
	c := *rec
	c.Attempts = slices.Clone(rec.Attempts)
	c.Candidates = slices.Clone(rec.Candidates)
	return &c
}

// manager makes and finds worktrees.
func (p *Project) manager(ctx context.Context, cfg *config.Config) (*worktree.Manager, error) {
	root, err := p.roots.get(cfg.Worktrees, func() (string, error) { return worktree.ResolveRoot(ctx, p.Repo, cfg.Worktrees) })
	if err != nil {
		return nil, err
	}
	return &worktree.Manager{
		Repo: p.Repo, Root: root, Runtime: p.Runtime, SetupLimit: time.Duration(cfg.SetupLimit), Desk: runners.DeskFolder, Committer: identOf(cfg),
	}, nil
}

// workspace is the plan's worktree as it is; a *worktree.LostError where there is none.
func (w *work) workspace(ctx context.Context) (*worktree.Workspace, error) {
	m, err := w.manager(ctx, w.snap.cfg)
	if err != nil {
		return nil, err
	}
	ws, found, err := m.Find(ctx, w.key())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, &worktree.LostError{Path: path.Join(m.Root, string(w.key())), Why: "it is not there any more"}
	}
	return ws, nil
}

// ensureWorkspace is the plan's worktree, made where there is none.
func (w *work) ensureWorkspace(ctx context.Context) (*worktree.Workspace, error) {
	m, err := w.manager(ctx, w.snap.cfg)
	if err != nil {
		return nil, err
	}
	ws, err := m.Ensure(ctx, worktree.Want{Key: w.key(), Branch: w.rec.Branch, Base: w.rec.Base.Commit})
	if err != nil {
		return nil, err
	}
	for _, warning := range ws.Warnings {
		w.say(EventProblem, "%s", oneLine(warning))
	}
	return ws, nil
}

// approvedPlan is the plan as it was approved: a run goes on with the text it started with, whatever was edited since.
func (w *work) approvedPlan(ctx context.Context) (*plans.Plan, error) {
	now := w.one.entry.Plan
	if w.rec.Approved == nil || w.rec.Approved.Text == now.TextID {
		return now, nil
	}
	src, err := w.Repo.Object(ctx, w.rec.Approved.Commit+":"+now.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: read the text that was approved: %w", w.key(), err)
	}
	return plans.Parse(w.key(), now.Path, src.Data, w.Repo.Format)
}

// agentIdent is who the plan's agent commits as.
func agentIdent(key plans.Key, now time.Time) git.Ident {
	return git.Ident{Name: string(key) + " (agent)", Email: string(key) + "@agent.tendril.localhost", When: now}
}

// identOf is the identity that Tendril writes with, without a time.
func identOf(cfg *config.Config) git.Ident {
	return git.Ident{Name: cfg.Identity.Name, Email: cfg.Identity.Email}
}

// baseBranch is the branch that a plan starts from and goes back to.
func baseBranch(cfg *config.Config, entry *plans.Entry) string {
	if entry.Plan != nil && entry.Plan.Base != "" {
		return entry.Plan.Base
	}
	return cfg.Base
}
