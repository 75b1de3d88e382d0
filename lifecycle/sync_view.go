package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tendril/lifecycle/record"
	"tendril/plans"
)

// SyncView is what this clone knows of the remote that has the truth.
type SyncView struct {
	// Remote and Branch name it, Tip is where the branch stands there as far as this clone has seen; empty before the first
	// time.
	Remote string `json:"remote"`
	Branch string `json:"branch"`
	Tip    string `json:"tip,omitempty"`
	// Reached is when the remote last answered (within a minute); null where it never did.
	Reached *time.Time `json:"reached"`
	// Trouble is what is wrong with it, since Since; Mend what to do.
	Trouble string     `json:"trouble,omitempty"`
	Mend    string     `json:"mend,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	// Ahead counts the commits of the local branch that the remote has not, Behind those of the remote that the local
	// branch has not.
	Ahead  int `json:"ahead"`
	Behind int `json:"behind"`
	// Unpushed are plans whose status was committed here and is not at the remote: it does not count yet.
	Unpushed []Unpushed `json:"unpushed,omitempty"`
	// Stays is why the local branch does not follow; only a sync tries it.
	Stays string `json:"stays,omitempty"`
}

// Unpushed is a status that a commit of this clone has and the remote has not.
type Unpushed struct {
	Key    plans.Key    `json:"key"`
	Status plans.Status `json:"status"`
}

// Sync asks the remote once, brings the local branch along where it can, and says what is not at the remote. With follow a
// remote branch that was set back or rewritten is taken as it stands there.
func (p *Project) Sync(ctx context.Context, follow bool) (*SyncView, error) {
	t, err := p.truth(ctx)
	if err != nil {
		return nil, err
	}
	if t.remote == nil {
		return nil, errors.New("this repository is not shared over a remote\n  set sync: origin in .tendril/config.yaml, commit it and push it; see tendril help clones")
	}
	if err := p.checkRemote(ctx, t.remote.Name); err != nil {
		return nil, err
	}
	if err := p.ensureRuntime(); err != nil {
		return nil, err
	}
	if follow {
		_, err = t.remote.Accept(ctx)
	} else {
		_, err = t.remote.Refresh(ctx)
	}
	if err != nil {
		return nil, err
	}
	cfg, t, err := p.syncConfig(ctx)
	if err != nil {
		return nil, err
	}
	followed, err := p.follow(ctx, t, cfg)
	if err != nil {
		return nil, err
	}
	snap, _, err := p.survey(ctx)
	if err != nil {
		return nil, err
	}
	v, err := p.syncView(ctx, snap)
	if err == nil {
		v.Stays = followed.Behind
	}
	return v, err
}

// syncView is what is known without asking the remote; nil where this clone has the truth.
func (p *Project) syncView(ctx context.Context, snap *snapshot) (*SyncView, error) {
	if snap.remote == nil {
		return nil, nil
	}
	v := &SyncView{Remote: snap.remote.Name, Branch: snap.remote.Branch}
	h, err := record.ReadHealth(p.Runtime)
	if err != nil {
		return nil, err
	}
	if h.Remote == v.Remote && h.Branch == v.Branch {
		v.Trouble, v.Mend = h.Trouble, h.Mend
		if !h.Reached.IsZero() {
			v.Reached = &h.Reached
		}
		if v.Trouble != "" {
			v.Since = &h.Since
		}
	}
	if v.Tip, err = snap.remote.Known(ctx); err != nil || v.Tip == "" || snap.local == "" || v.Tip == snap.local {
		return v, err
	}
	out, err := p.Repo.Run(ctx, "rev-list", "--left-right", "--count", snap.local+"..."+v.Tip)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", p.branchName(), v.Remote, err)
	}
	if _, err := fmt.Sscan(out, &v.Ahead, &v.Behind); err != nil {
		return nil, fmt.Errorf("compare %s with %s: git answered %q", p.branchName(), v.Remote, out)
	}
	if v.Ahead > 0 {
		v.Unpushed, err = p.unpushed(ctx, snap)
	}
	return v, err
}

// unpushed are the statuses that commits of this clone set and the remote does not have.
func (p *Project) unpushed(ctx context.Context, snap *snapshot) ([]Unpushed, error) {
	out, err := p.Repo.Run(ctx, "diff", "--name-only", "-z", "--no-renames", snap.tip+"..."+snap.local, "--", snap.cfg.Plans)
	if err != nil {
		return nil, fmt.Errorf("what is not pushed: %w", err)
	}
	here, err := p.reader.Read(ctx, snap.local, snap.cfg.Plans)
	if err != nil {
		return nil, err
	}
	var list []Unpushed
	for file := range strings.SplitSeq(out, "\x00") {
		for _, e := range here.Entries {
			if e.Plan == nil || e.Plan.Path != file {
				continue
			}
			if there := entryOf(snap.set, e.Key); there == nil || there.Plan == nil || there.Plan.Status != e.Plan.Status {
				list = append(list, Unpushed{Key: e.Key, Status: e.Plan.Status})
			}
		}
	}
	return list, nil
}

// Notes say for a person what is not as it should be with the remote.
func (v *SyncView) Notes() []string {
	if v == nil {
		return nil
	}
	var notes []string
	switch {
	case v.Trouble != "":
		since := ""
		if v.Since != nil {
			since = " since " + v.Since.Local().Format(time.DateTime)
		}
		notes = append(notes, fmt.Sprintf("%s%s%s", v.Trouble, since, prefixed("; ", v.Mend)))
	case v.Tip == "":
		notes = append(notes, fmt.Sprintf("%s of %s was never fetched: tendril sync", v.Branch, v.Remote))
	}
	for _, u := range v.Unpushed {
		notes = append(notes, fmt.Sprintf("%s is %s in a commit of yours that is not pushed yet: it counts once it is at %s", u.Key, u.Status, v.Remote))
	}
	switch {
	case v.Ahead > 0 && v.Behind > 0:
		notes = append(notes, fmt.Sprintf("%s has %d commits that %s has not, and lacks %d: git pull --rebase, then git push", v.Branch, v.Ahead, v.Remote, v.Behind))
	case v.Ahead > 0:
		notes = append(notes, fmt.Sprintf("%s has %d commits that are not at %s: git push", v.Branch, v.Ahead, v.Remote))
	case v.Behind > 0 && v.Stays != "":
		notes = append(notes, v.Stays)
	case v.Behind > 0:
		notes = append(notes, fmt.Sprintf("%s is %d commits behind %s: tendril sync brings it along, or says what is in the way", v.Branch, v.Behind, v.Remote))
	}
	return notes
}

// localPlans are the plans as this clone's own branch has them, which its working copies are to be compared with.
func (p *Project) localPlans(ctx context.Context, snap *snapshot) (*plans.Set, error) {
	if snap.remote == nil || snap.local == "" || snap.local == snap.tip {
		return snap.set, nil
	}
	return p.reader.Read(ctx, snap.local, snap.cfg.Plans)
}

// bringHead sees to it that the head of a plan that another clone worked on is here.
func (p *Project) bringHead(ctx context.Context, snap *snapshot, rec *plans.Record) error {
	if snap.remote == nil || rec.Head == "" {
		return nil
	}
	here, err := snap.remote.Bring(ctx, rec.Head, publicNames(rec)...)
	if err != nil {
		return err
	}
	if !here {
		return fmt.Errorf("the work of %s (%.10s) is not at %s: only the clone of %s has it", rec.Key, rec.Head, snap.remote.Name, rec.Runner)
	}
	return nil
}

// headsSeen are the heads under review as this clone had last seen them: what a person may have looked at.
func (p *Project) headsSeen(ctx context.Context) (map[plans.Key]string, error) {
	cfg, t, err := p.syncConfig(ctx)
	switch {
	case t.remote == nil:
		return nil, nil // what is wrong with the branch is said by who reads it next
	case !t.fetched:
		return map[plans.Key]string{}, nil // nothing of the remote was ever here
	case err != nil:
		return nil, err
	}
	set, err := p.reader.Read(ctx, t.tip, cfg.Plans)
	if err != nil {
		return nil, err
	}
	seen := map[plans.Key]string{}
	for _, e := range set.Entries {
		if e.Plan != nil && e.Plan.Status == plans.InReview && e.Record != nil {
			seen[e.Key] = e.Record.Head
		}
	}
	return seen, nil
}

// unseen refuses to accept a head that came in only with this command: nobody here can have looked at it.
func unseen(seen map[plans.Key]string, entry *plans.Entry) error {
	if seen == nil || entry.Record == nil || seen[entry.Key] == entry.Record.Head {
		return nil
	}
	return fmt.Errorf("%s: what is under review (%.10s) came in just now\n  look at it first: tendril diff %s, then tendril accept %s", entry.Key, entry.Record.Head, entry.Key, entry.Key)
}
