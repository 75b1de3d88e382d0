package verify

import (
	"context"
	"fmt"
	"os"

	"tendril/plans"
	"tendril/worktree"
)

// runVariable marks what belongs to an agent's run: a check that an agent starts is ended with its run.
const runVariable = "TENDRIL_RUN"

// try runs the checks on the files as they are.
func (r *run) try(ctx context.Context) (Result, error) {
	if id := os.Getenv(runVariable); id != "" {
		r.Env = append(append([]string{}, r.Env...), runVariable+"="+id)
	}
	t := &tally{run: r}
	if r.Only == "" || builtin(r.Only) {
		if err := t.tryBuiltIn(ctx); err != nil {
			return Result{}, err
		}
	}
	for i, c := range r.Checks {
		if r.Only != "" && r.Only != c.Name {
			continue
		}
		if why, err := t.leaveOut(c); err != nil {
			return Result{}, err
		} else if why != "" && r.Only == "" {
			t.ran = append(t.ran, plans.CheckResult{Name: c.Name, Command: c.Run, Result: plans.ResultSkipped, Required: c.Required, Tail: why})
			continue
		}
		r.Log("check %s", c.Name)
		o, err := r.runOne(ctx, c, r.spec(i, c))
		if err != nil {
			return Result{}, err
		}
		t.add(o)
	}
	res := t.result()
	res.Verification.Commit = ""
	return res, nil
}

// tryBuiltIn looks at what would be committed.
func (t *tally) tryBuiltIn(ctx context.Context) error {
	tree, left, err := t.Workspace.Tree(ctx, worktree.Leftovers{Redact: t.redact, Private: t.Private})
	if err != nil {
		return err
	}
	from, err := worktree.MergeBase(ctx, t.Workspace.Repo, t.Base, left.Head)
	if err != nil {
		return err
	}
	files, err := worktree.Files(ctx, t.Workspace.Repo, from, tree)
	if err != nil {
		return fmt.Errorf("what changed: %w", err)
	}
	t.head, t.diff = left.Head, &worktree.DiffResult{Files: files, From: from, To: tree}
	return t.builtIn(ctx, left)
}

func builtin(name string) bool {
	switch name {
	case CheckChanges, CheckScope, CheckMarkers, CheckSecrets, CheckBinaries:
		return true
	}
	return false
}
