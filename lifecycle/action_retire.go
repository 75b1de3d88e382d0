package lifecycle

import (
	"context"
	"fmt"

	"tendril/internal/crash"
	"tendril/internal/git"
	"tendril/lifecycle/deliver"
	"tendril/plans"
	"tendril/worktree"
)

// retire clears away what an ended plan needs no more: the worktree, unless something in it is not committed, and for a
// merged plan its branch, once what it delivered is proved to be in the base.
func (w *work) retire(ctx context.Context) (func(*progress), error) {
	m, err := w.manager(ctx, w.snap.cfg)
	if err != nil {
		return nil, err
	}
	ws, found, err := m.Find(ctx, w.key())
	if lost := (*worktree.LostError)(nil); asError(err, &lost) {
		if err := m.Forget(ctx, string(w.key())); err != nil {
			return nil, err
		}
		w.say(EventCleared, "its worktree was gone already (%s)", lost.Why)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if found {
		kept, err := w.removeWorktree(ctx, m, ws)
		if err != nil || kept != nil {
			return kept, err
		}
	}
	if w.one.facts.Status == plans.Merged {
		return w.deleteBranch(ctx)
	}
	return nil, nil
}

// removeWorktree removes the plan's worktree. A rejected plan's leftovers are committed to its branch, which stays; a
// worktree with anything else in it is kept, and said once.
func (w *work) removeWorktree(ctx context.Context, m *worktree.Manager, ws *worktree.Workspace) (func(*progress), error) {
	if w.one.facts.Status == plans.Rejected {
		_, err := ws.CommitLeftovers(ctx, worktree.Leftovers{
			Ident: agentIdent(w.key(), w.now), Message: fmt.Sprintf("%s: left when the plan was rejected\n", w.key()), Private: w.private(),
		})
		if err != nil {
			return nil, err
		}
	}
	err := m.Remove(ctx, ws)
	if dirty := (*worktree.DirtyError)(nil); asError(err, &dirty) {
		return func(pr *progress) {
			pr.kept = oneLine(dirty.Error())
			w.say(EventLeft, "%s", pr.kept)
		}, nil
	}
	if err != nil {
		return nil, err
	}
	crash.At(crashRetired)
	w.say(EventCleared, "worktree removed")
	return nil, nil
}

// deleteBranch deletes a merged plan's branch where its head is in the base; else it says why it stays.
func (w *work) deleteBranch(ctx context.Context) (func(*progress), error) {
	head, there := w.snap.heads[w.rec.Branch]
	if !there {
		return nil, nil
	}
	delivered := ""
	if d := w.rec.Delivered; d != nil {
		delivered = d.Commit
	}
	inBase, err := deliver.Contained(ctx, w.Repo, head, delivered, w.snap.heads[w.rec.Base.Ref])
	if err != nil {
		return nil, err
	}
	if !inBase {
		return func(pr *progress) {
			pr.kept = "branch " + w.rec.Branch + " has commits that are not in " + w.rec.Base.Ref
			w.say(EventLeft, "%s", pr.kept)
		}, nil
	}
	id := identOf(w.snap.cfg)
	_, err = w.Repo.Do(ctx, git.Call{
		Args: []string{"update-ref", "-m", "tendril: delivered", "-d", "refs/heads/" + w.rec.Branch, head}, Env: id.CommitterEnv(),
	})
	if err != nil {
		return nil, err
	}
	crash.At(crashUnbranched)
	w.unpublish(ctx)
	w.say(EventCleared, "branch %s deleted: it is in %s", w.rec.Branch, w.rec.Base.Ref)
	return nil, nil
}
