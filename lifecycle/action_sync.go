package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tendril/internal/config"
	"tendril/internal/crash"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// publicNames are the branches of the remote on which a plan's work is found: a start from nothing cannot go on the branch
// of the work before it, which nothing is forced over.
func publicNames(rec *plans.Record) []string {
	return []string{rec.Key.Branch(), fmt.Sprintf("%s.round-%d", rec.Key.Branch(), rec.Round)}
}

// publications are the heads that go to the remote with changes: a result is looked at from any clone, and whoever takes a
// plan over goes on from there.
func (p *Project) publications(ctx context.Context, cfg *config.Config, remote *record.Remote, changes []Change) ([]record.Publish, error) {
	if remote == nil {
		return nil, nil
	}
	var out []record.Publish
	for _, c := range changes {
		if len(c.Steps) == 0 || c.Record == nil || c.Record.Head == "" || c.Steps[len(c.Steps)-1] == plans.Merged {
			continue
		}
		if _, err := p.Repo.Run(ctx, "cat-file", "-e", c.Record.Head+"^{commit}"); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			continue // it is gone from here: there is nothing to send, and the record says what it was
		}
		own, err := p.ownCommits(ctx, cfg, remote, c.Record.Head)
		if err != nil {
			return nil, err
		}
		if own == "" {
			out = append(out, record.Publish{Commit: c.Record.Head, Names: publicNames(c.Record)})
		}
	}
	return out, nil
}

// bringBranch makes the branch of a plan that another clone worked on before, from where that clone published it. Where it
// cannot be had, the work begins anew.
func (w *work) bringBranch(ctx context.Context) error {
	rec := w.rec
	if w.snap.remote == nil || rec.Head == "" {
		return nil
	}
	if _, here := w.snap.heads[rec.Branch]; here {
		return nil
	}
	made, err := w.branchFrom(ctx, w.snap.remote, rec)
	if err != nil {
		return err
	}
	if !made {
		w.say(EventProblem, "the work of the rounds before is not at %s: it begins anew", w.snap.remote.Name)
		rec.Base, rec.Head = plans.RecordBase{}, ""
	}
	return nil
}

// branchFrom makes a plan's local branch at its recorded head, fetched where need be. It says whether it is there now.
func (p *Project) branchFrom(ctx context.Context, remote *record.Remote, rec *plans.Record) (bool, error) {
	here, err := remote.Bring(ctx, rec.Head, publicNames(rec)...)
	if err != nil || !here {
		return false, err
	}
	return p.makeBranch(ctx, rec)
}

// makeBranch makes a plan's local branch at its recorded head, which is here. It says whether it is there now; a branch that
// stands elsewhere stays.
func (p *Project) makeBranch(ctx context.Context, rec *plans.Record) (bool, error) {
	ref := "refs/heads/" + rec.Key.Branch()
	if out, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", ref); err != nil || out != "" {
		return out == rec.Head, err
	}
	if _, err := p.Repo.Run(ctx, "update-ref", "-m", "tendril: taken over", ref, rec.Head, strings.Repeat("0", len(rec.Head))); err != nil {
		return false, fmt.Errorf("make the branch %s: %w", rec.Key.Branch(), err)
	}
	return true, nil
}

// mergeAtRemote moves the base at the remote to the merge of itself and the verified head; the local base follows.
func (w *work) mergeAtRemote(ctx context.Context) (func(*progress), error) {
	rec, remote := w.rec, w.snap.remote
	// No push before this one has shown that the acceptance is there.
	if there, err := remote.Holds(ctx, w.snap.tip); err != nil || !there {
		if err != nil {
			return nil, err
		}
		return w.notDelivered(fmt.Sprintf("%s of %s does not have what says here that it is accepted", remote.Branch, remote.Name)), nil
	}
	if own, err := w.ownCommits(ctx, w.snap.cfg, remote, w.one.delivery.Head); err != nil || own != "" {
		if err != nil {
			return nil, err
		}
		return w.notDelivered(fmt.Sprintf("it would bring commits of yours on %s to %s that are not there; push them first", own, remote.Name)), nil
	}
	base := w.snap.heads[rec.Base.Ref]
	built, err := w.buildDelivery(ctx, base)
	if err != nil {
		return nil, err
	}
	done, err := remote.Forward(ctx, rec.Base.Ref, base, built.Commit)
	if refused := (*record.RefusedError)(nil); errors.As(err, &refused) {
		return w.notDelivered(firstLine(refused.Error())), nil
	}
	if err != nil || !done {
		return nil, err // somebody was faster: the next look decides anew on what is there then
	}
	crash.At(crashDelivered)
	followed, err := w.bringBase(ctx, remote, w.snap.cfg, rec.Base.Ref)
	if err != nil && ctx.Err() == nil {
		followed.Behind = oneLine(err.Error())
	}
	if followed.Behind != "" {
		w.say(EventLeft, "it is in %s at %s; here %s", rec.Base.Ref, remote.Name, followed.Behind)
	}
	return w.delivered(ctx, built.Commit)
}

// notDelivered leaves the plan accepted and says what keeps it from going in.
func (w *work) notDelivered(detail string) func(*progress) {
	rec := w.rec
	told := rec.Reason == plans.DeliveryFailed && rec.Detail == detail
	rec.Reason, rec.Detail = plans.DeliveryFailed, detail
	return func(pr *progress) {
		pr.retryAt, pr.trouble, pr.stuck = w.now.Add(deliverPause), detail, true
		if !told {
			pr.record, pr.due = rec, true
			w.say(EventProblem, "not delivered: %s", detail)
		}
	}
}

// unpublish deletes at the remote what a merged plan's branch was published as, where it stands at the head that is in the
// base. What cannot be deleted is in nobody's way.
func (w *work) unpublish(ctx context.Context) {
	if w.snap.remote == nil || w.rec.Head == "" {
		return
	}
	for _, name := range publicNames(w.rec) {
		_ = w.snap.remote.Remove(ctx, name, w.rec.Head)
	}
}
