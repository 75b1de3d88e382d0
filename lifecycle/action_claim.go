package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/git"
	"tendril/lifecycle/gate"
	"tendril/plans"
	"tendril/worktree"
)

// claim begins a round: the commit that says executing, with whose approval, from which base.
func (w *work) claim(ctx context.Context) (func(*progress), error) {
	rec := w.rec
	rec.Version, rec.Key, rec.Runner, rec.Clone, rec.Branch = plans.RecordVersion, w.key(), w.snap.cfg.Runner, w.snap.clone, w.key().Branch()
	rec.Round = w.nextRound()
	rec.Reason, rec.Detail, rec.Delivering, rec.Accepted, rec.Delivered = "", "", nil, nil, nil
	if passage := w.one.approval; passage != nil {
		rec.Approved = &plans.Approval{
			By: person(*passage), At: passage.At, Commit: passage.Commit, Text: passage.Text,
		}
		if err := w.freshStart(ctx, passage.Commit); err != nil {
			return nil, err
		}
	}
	if err := w.bringBranch(ctx); err != nil {
		return nil, err
	}
	if err := w.reviveBranch(ctx); err != nil {
		return nil, err
	}
	if err := w.setBase(ctx); err != nil {
		return nil, err
	}
	return func(pr *progress) {
		*pr = progress{base: pr.base, record: rec, due: true}
		pr.step(plans.Executing, w.now)
		w.say(EventClaimed, "round %d begins%s, from %s at %s", rec.Round, approvedBy(w.one.approval), rec.Base.Ref, short(rec.Base.Commit))
	}, nil
}

// nextRound is the round after the record's, and after that of every run that this clone knows: where the branch was set
// back, the record has forgotten rounds, and their runs must not be taken for those of a new one.
func (w *work) nextRound() int {
	last := w.rec.Round
	for _, r := range w.snap.runs[w.key()] {
		last = max(last, r.spec.Round)
	}
	return last + 1
}

// setBase records where the work starts: where the base stands, or for a branch that is continued where it left it.
func (w *work) setBase(ctx context.Context) error {
	rec, base := w.rec, baseBranch(w.snap.cfg, w.one.entry)
	tip := w.snap.heads[base]
	head, err := w.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads/"+rec.Branch)
	if err != nil {
		return fmt.Errorf("look for branch %s: %w", rec.Branch, err)
	}
	switch continued := head != ""; {
	case !continued:
		rec.Base, rec.Head = plans.RecordBase{Ref: base, Commit: tip}, ""
	case rec.Base.Commit == "" || rec.Base.Ref != base:
		fork, err := w.Repo.Run(ctx, "merge-base", tip, head)
		if err != nil {
			return fmt.Errorf("branch %s has nothing in common with %s\n  approve it with --fresh: %w", rec.Branch, base, err)
		}
		rec.Base, rec.Head = plans.RecordBase{Ref: base, Commit: fork}, head
	default:
		rec.Head = head
	}
	return nil
}

// FreshTrailer in an approval's message asks for a new branch; the old tip is kept under refs/tendril/old/.
const FreshTrailer = "Tendril-Fresh"

// freshStart puts the plan's branch away where the approval asks for it.
func (w *work) freshStart(ctx context.Context, approval string) error {
	asked, err := w.Repo.Run(ctx, "log", "-1", "--format=%(trailers:key="+FreshTrailer+",valueonly)", approval)
	if err != nil {
		return fmt.Errorf("read the approval %s: %w", short(approval), err)
	}
	tip, there := w.snap.heads[w.rec.Branch]
	if !strings.Contains(" "+strings.Join(strings.Fields(asked), " ")+" ", " "+string(w.key())+" ") || !there {
		return nil
	}
	m, err := w.manager(ctx, w.snap.cfg)
	if err != nil {
		return err
	}
	ws, found, err := m.Find(ctx, w.key())
	if lost := (*worktree.LostError)(nil); err != nil && !asError(err, &lost) {
		return err
	}
	if found && err == nil {
		if err := m.Remove(ctx, ws); err != nil {
			return err
		}
	}
	old := fmt.Sprintf("refs/tendril/old/%s/%s", w.key(), short(tip))
	script := fmt.Sprintf("start\nupdate %s %s\ndelete refs/heads/%s %s\nprepare\ncommit\n", old, tip, w.rec.Branch, tip)
	if _, err := w.Repo.Do(ctx, git.Call{Args: []string{"update-ref", "--stdin"}, Stdin: []byte(script)}); err != nil {
		return fmt.Errorf("put the old branch %s away: %w", w.rec.Branch, err)
	}
	w.rec.Base, w.rec.Head = plans.RecordBase{}, ""
	return nil
}

// person is who passed a gate, as the record names them.
func person(p gate.Passage) string { return fmt.Sprintf("%s <%s>", p.AuthorName, p.AuthorEmail) }

// approvedBy names the approver in an event; nothing where no approval began the round.
func approvedBy(p *gate.Passage) string {
	if p == nil {
		return ""
	}
	return ", approved by " + p.AuthorName
}
