package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"tendril/lifecycle/deliver"
	"tendril/lifecycle/gate"
	"tendril/plans"
)

// gatherAcceptance finds who accepted which head, and the next step towards the base.
func (d *decider) gatherAcceptance(ctx context.Context, one *decided, pr *progress) error {
	rec := currentRecord(one.entry, pr)
	if rec == nil || rec.Head == "" {
		one.facts.Refusal = "accepted, but nothing was verified"
		return nil
	}
	passage, err := gate.Acceptance(ctx, d.p.Repo, d.snap.tip, one.entry.Plan, gateRules(d.snap.cfg))
	if refusal := refused(err); refusal != "" {
		one.facts.Refusal = refusal
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: gate 2: %w", one.entry.Key, err)
	}
	one.acceptance = &passage
	if gone := d.goneForDelivery(rec); gone != "" {
		one.facts.Refusal = gone
		return nil
	}
	in, err := d.deliveryInput(ctx, one, rec, passage.Head, pr)
	if err != nil {
		return err
	}
	one.delivery = deliver.Decide(in)
	one.facts.Delivery = one.delivery.Step
	if in.ConflictPaths != nil {
		one.conflict = in.ConflictPaths
	}
	return nil
}

// goneForDelivery says which branch that a delivery needs is not here, and what brings it back; nothing where all are.
func (d *decider) goneForDelivery(rec *plans.Record) string {
	head := rec.Head
	if rec.Delivering != nil {
		head = rec.Delivering.Head
	}
	if _, here := d.snap.heads[rec.Base.Ref]; !here {
		return fmt.Sprintf("the branch %s, where it should go in, is not here", rec.Base.Ref)
	}
	if _, here := d.snap.heads[rec.Branch]; !here {
		return fmt.Sprintf("its branch is not here; git branch %s %s brings it back", rec.Branch, short(head))
	}
	return ""
}

// deliveryInput collects what deliver.Decide may know.
func (d *decider) deliveryInput(ctx context.Context, one *decided, rec *plans.Record, accepted string, pr *progress) (deliver.Input, error) {
	ask := deliver.Ask{
		Key: one.entry.Key, AcceptedHead: accepted, BranchHead: d.snap.heads[rec.Branch], BaseTip: d.snap.heads[rec.Base.Ref],
		RecordedBase: rec.Base.Commit, PlansDir: d.snap.cfg.Plans,
	}
	if rec.Delivering != nil {
		ask.DeliveringHead = rec.Delivering.Head
		if pr.head == ask.DeliveringHead {
			ask.Checked = deliveryVerdict(pr.verdict)
		}
	}
	var err error
	if ask.BranchHead != "" && ask.BranchHead != accepted && ask.BranchHead != ask.DeliveringHead {
		if ask.MovedBy, err = d.movedBy(ctx, accepted, ask.BranchHead, ask.BaseTip); err != nil {
			return deliver.Input{}, fmt.Errorf("%s: %w", one.entry.Key, err)
		}
	}
	in, err := deliver.Look(ctx, d.p.Repo, ask)
	if err != nil {
		return in, fmt.Errorf("%s: %w", one.entry.Key, err)
	}
	return in, nil
}

func deliveryVerdict(v Verdict) deliver.Verdict {
	switch v {
	case VerdictPassed, VerdictUnverified:
		return deliver.Passed
	case VerdictFailed, VerdictNoChanges:
		return deliver.Failed
	default:
		return deliver.Unchecked
	}
}

// movedBy says whose commits lie between the accepted head and where the branch stands. What the base has already is
// nobody's move: a merge of the base brings along what the agents of other plans did.
func (d *decider) movedBy(ctx context.Context, accepted, head, base string) (deliver.Mover, error) {
	args := []string{"log", "--format=%ce%n%ae", accepted + ".." + head}
	if base != "" {
		args = append(args, "^"+base)
	}
	out, err := d.p.Repo.Run(ctx, args...)
	if err != nil {
		return deliver.Unknown, err
	}
	if strings.Contains(out, gate.AgentSuffix) {
		return deliver.Agent, nil
	}
	return deliver.Person, nil
}

// turns says which accepted plan may take its next step into each base: they go in one at a time.
func (d *decider) turns(all []decided) map[string]plans.Key {
	var waiting []deliver.Waiting
	for _, one := range all {
		f := one.facts
		if f.Status != plans.Accepted || f.Refusal != "" || f.Problem != "" || f.Wait != nil || f.Delivery == deliver.Nothing || !d.concerns(one.entry.Key) {
			continue
		}
		rec := currentRecord(one.entry, d.progress(one.entry.Key, f.Written))
		waiting = append(waiting, deliver.Waiting{
			Key: one.entry.Key, Priority: one.entry.Plan.Priority, Base: rec.Base.Ref, UnderWay: rec.Delivering != nil,
		})
	}
	turns := map[string]plans.Key{}
	for _, w := range deliver.Order(waiting) {
		if _, taken := turns[w.Base]; !taken {
			turns[w.Base] = w.Key
		}
	}
	return turns
}

// concerns says whether this engine may touch the plan.
func (d *decider) concerns(key plans.Key) bool { return d.only == nil || d.only[key] }
