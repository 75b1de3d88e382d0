package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"path"

	"tendril/lifecycle/record"
	"tendril/plans"
)

// Taken is a plan that this clone took over from another one.
type Taken struct {
	Key plans.Key `json:"key"`
	// From is the runner that had it, Status where the plan stands.
	From   string       `json:"from"`
	Status plans.Status `json:"status"`
	// Commit is the commit that says so; empty where there was nothing to change.
	Commit string `json:"commit"`
	// Head is the commit that the work goes on from; empty where it begins at the base again.
	Head string `json:"head,omitempty"`
	// Behind, when set, is why the local plans branch does not follow the remote's.
	Behind string `json:"-"`
}

// Take gives this clone the claim of a plan whose clone is gone. It is a person's word, and recorded as theirs: if the other
// clone lives, it stops its agent the next time it looks, and what it did since it last pushed goes no further.
func (p *Project) Take(ctx context.Context, actor Actor, name string) (Taken, error) {
	t, err := p.truth(ctx)
	if err != nil {
		return Taken{}, err
	}
	if t.remote == nil {
		return Taken{}, errors.New("there is no other clone to take a plan from: sync is not set\n  see tendril help clones")
	}
	if err := p.freshen(ctx); err != nil {
		return Taken{}, err
	}
	cfg, history, err := p.atTip(ctx)
	if err != nil {
		return Taken{}, err
	}
	snap, _, err := p.survey(ctx)
	if err != nil {
		return Taken{}, err
	}
	work, err := p.bringWork(ctx, snap, name)
	if err != nil {
		return Taken{}, err
	}
	var out Taken
	build := func(ctx context.Context, tip string) (*record.Draft, error) {
		set, effective, err := p.readAt(ctx, cfg, history, tip)
		if err != nil {
			return nil, err
		}
		entry, err := set.Find(name)
		if err != nil {
			return nil, err
		}
		if entry.Err != nil {
			return nil, entry.Err
		}
		status := effective[entry.Key].Status
		if err := mayTake(snap, entry, status); err != nil {
			return nil, err
		}
		rec := cloneRecord(entry.Key, entry.Record)
		out = Taken{Key: entry.Key, From: rec.Runner, Status: status}
		if out.Head, err = p.takeBranch(ctx, work, rec, status); err != nil {
			return nil, err
		}
		rec.Runner, rec.Clone, rec.Head = cfg.Runner, snap.clone, out.Head
		if out.Head == "" {
			rec.Base = startOf(snap, rec.Base)
		}
		data, err := rec.Marshal()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Key, err)
		}
		who := actor.ident()
		return &record.Draft{
			Message: fmt.Sprintf("%s: taken over\n\nFrom %s by %s.\n", entry.Key, out.From, cfg.Runner), Author: who, Committer: who, Sign: actor.Sign,
			Edits: []record.Edit{{Path: path.Join(cfg.Plans, string(entry.Key), plans.RecordFile), Data: data}},
		}, nil
	}
	res, err := p.commitPatiently(ctx, cfg, build)
	if err != nil {
		return Taken{}, signHint(actor, err)
	}
	out.Commit, out.Behind = res.Commit, res.Behind
	return out, nil
}

// broughtWork is the work of a plan as it was looked for at the remote: its head, and whether that is here now.
type broughtWork struct {
	remote, head string
	here         bool
}

// bringWork fetches the work of a plan that may be taken. A commit is built while nobody else in this clone may talk to the
// remote, so this comes before.
func (p *Project) bringWork(ctx context.Context, snap *snapshot, name string) (broughtWork, error) {
	entry, err := snap.set.Find(name)
	if err != nil {
		return broughtWork{}, err
	}
	if entry.Err != nil {
		return broughtWork{}, entry.Err
	}
	if err := mayTake(snap, entry, snap.effective[entry.Key].Status); err != nil {
		return broughtWork{}, err
	}
	work := broughtWork{remote: snap.remote.Name, head: entry.Record.Head}
	if work.head != "" {
		work.here, err = snap.remote.Bring(ctx, work.head, publicNames(entry.Record)...)
	}
	return work, err
}

// startOf is the base as it stands now, for work that begins again.
func startOf(snap *snapshot, base plans.RecordBase) plans.RecordBase {
	if tip := snap.heads[base.Ref]; tip != "" {
		base.Commit = tip
	}
	return base
}

// mayTake refuses what is no other clone's, or has ended.
func mayTake(snap *snapshot, entry *plans.Entry, status plans.Status) error {
	switch status {
	case plans.Draft, plans.Icebox, plans.Approved:
		return fmt.Errorf("%s is %s: no clone has it\n  tendril run takes what is approved", entry.Key, status)
	case plans.Merged, plans.Rejected:
		return fmt.Errorf("%s is %s: there is nothing to take over", entry.Key, status)
	}
	if entry.Record == nil || snap.heldElsewhere(entry, status) == "" {
		return fmt.Errorf("%s is this clone's own: there is nothing to take over\n  tendril run goes on with it", entry.Key)
	}
	return nil
}

// takeBranch makes the plan's branch here where its work is. A plan that waits for a person, or was accepted, is nothing
// without it.
func (p *Project) takeBranch(ctx context.Context, work broughtWork, rec *plans.Record, status plans.Status) (string, error) {
	if rec.Head != work.head {
		return "", fmt.Errorf("%s: the clone of %s pushed other work just now, so it lives\n  tendril take %s takes it all the same", rec.Key, rec.Runner, rec.Key)
	}
	if work.here {
		made, err := p.makeBranch(ctx, rec)
		if err != nil {
			return "", err
		}
		if made {
			return rec.Head, nil
		}
	}
	if rec.Head != "" {
		if here, err := p.Repo.Run(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads/"+rec.Key.Branch()); err != nil || here != "" {
			if err == nil {
				err = fmt.Errorf("%s: this clone has a branch %s of its own, at %.10s\n  look at it, and rename it: git branch -m %s OTHER-NAME", rec.Key, rec.Key.Branch(), here, rec.Key.Branch())
			}
			return "", err
		}
	}
	switch status {
	case plans.Executing, plans.Verifying, plans.Failed:
		// The work of the other clone was never pushed: it begins at the base again.
		return "", nil
	}
	return "", fmt.Errorf("%s is %s, and its work (%.10s) is not at %s: only the clone of %s has it\n  without that clone: tendril draft %s, then approve it again",
		rec.Key, status, rec.Head, work.remote, rec.Runner, rec.Key)
}
