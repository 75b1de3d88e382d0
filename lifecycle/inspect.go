package lifecycle

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"tendril/lifecycle/record"
	"tendril/lifecycle/verify"
	"tendril/plans"
	"tendril/runners"
	"tendril/worktree"
)

// Detail is one plan with everything that is known about it.
type Detail struct {
	Row
	// Text is plan.md on the plans branch.
	Text []byte
	// Record is nil before the first claim.
	Record *plans.Record
	// Verification is nil before the first one that was recorded.
	Verification *plans.Verification
	// Costs are the plan's runs.
	Costs []plans.CostRow
	// Summary is what the agent said it did.
	Summary []byte
	// Chain is the way from the approvals to what was delivered, oldest first.
	Chain []Link
}

// Show looks at one plan, named by key or number.
func (p *Project) Show(ctx context.Context, name string) (*Detail, error) {
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return nil, err
	}
	d := &Detail{Row: p.row(snap, one), Record: one.entry.Record}
	seen := p.foresee(ctx, snap, snap.all)
	d.Conflicts, d.Overlaps = seen.clashes[d.Key], seen.overlaps[d.Key]
	d.Cost = p.costHere(ctx, snap, one)
	if d.Chain, err = p.chain(ctx, snap, one); err != nil {
		return nil, err
	}
	folder := path.Join(snap.cfg.Plans, string(one.entry.Key))
	if d.Text, err = p.fileAt(ctx, snap.tip, path.Join(folder, plans.PlanFile)); err != nil {
		return nil, err
	}
	if d.Summary, err = p.fileAt(ctx, snap.tip, path.Join(folder, plans.SummaryFile)); err != nil {
		return nil, err
	}
	data, err := p.fileAt(ctx, snap.tip, path.Join(folder, plans.VerificationFile))
	if err != nil {
		return nil, err
	}
	if data != nil {
		if d.Verification, err = plans.ParseVerification(path.Join(folder, plans.VerificationFile), data); err != nil {
			return nil, err
		}
	}
	costs, err := p.fileAt(ctx, snap.tip, path.Join(folder, plans.CostsFile))
	if err != nil {
		return nil, err
	}
	if costs != nil {
		d.Costs, err = plans.ParseCosts(path.Join(folder, plans.CostsFile), costs)
	}
	return d, err
}

// find surveys everything and picks one plan.
func (p *Project) find(ctx context.Context, name string) (*snapshot, decided, error) {
	snap, all, err := p.survey(ctx)
	if err != nil {
		return nil, decided{}, err
	}
	entry, err := snap.set.Find(name)
	if err != nil {
		return nil, decided{}, err
	}
	for _, one := range all {
		if one.entry == entry {
			return snap, one, nil
		}
	}
	return nil, decided{}, fmt.Errorf("no plan %s", name)
}

// Diff is what a plan's branch changed since it left its base.
func (p *Project) Diff(ctx context.Context, name string) (*worktree.DiffResult, error) {
	if err := p.freshen(ctx); err != nil && !record.RemoteTrouble(err) {
		return nil, err
	}
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return nil, err
	}
	rec := one.entry.Record
	if rec == nil || rec.Base.Commit == "" {
		return nil, noWork(one)
	}
	head, there := snap.heads[rec.Branch]
	if !there || one.facts.Status == plans.Merged || one.facts.Elsewhere != "" {
		head = rec.Head
	}
	if head == "" {
		return nil, noWork(one)
	}
	if head == rec.Head {
		if err := p.bringHead(ctx, snap, rec); err != nil {
			return nil, err
		}
	}
	diff, err := worktree.Diff(ctx, p.Repo, rec.Base.Commit, head)
	if err != nil {
		return nil, p.diffFailed(ctx, err)
	}
	return diff, nil
}

// diffFailed says what a clone with a part of the history cannot show.
func (p *Project) diffFailed(ctx context.Context, err error) error {
	if shallow, asked := p.Repo.Run(ctx, "rev-parse", "--is-shallow-repository"); asked != nil || shallow != "true" {
		return err
	}
	return fmt.Errorf("the history is cut off in this clone (shallow), and the plan's base or head is not in it\n  git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'; changes.diff in the plan's folder has most of it")
}

// noWork says that nothing was done for a plan yet, and what starts it.
func noWork(one decided) error {
	hint := cmp.Or(startHint(one), "\n  tendril show "+string(one.entry.Key)+" says what is known of it")
	return fmt.Errorf("%s has no work yet: it is %s%s", one.entry.Key, one.facts.Status, hint)
}

// noWorktree says that a plan is not worked on in this clone, and what there is instead.
func noWorktree(one decided) error {
	hint := startHint(one)
	switch {
	case hint != "":
	case one.facts.Status == plans.Merged:
		hint = fmt.Sprintf("\n  its work went into its base: tendril diff %s", one.entry.Key)
	case one.entry.Record != nil && one.entry.Record.Branch != "":
		hint = "\n  its work is on the branch " + one.entry.Record.Branch + ": git worktree add DIR " + one.entry.Record.Branch
	default:
		hint = "\n  tendril show " + string(one.entry.Key) + " says what is known of it"
	}
	return fmt.Errorf("%s has no worktree here: it is %s%s", one.entry.Key, one.facts.Status, hint)
}

// startHint is what starts a plan, as the second line of a message.
func startHint(one decided) string {
	switch one.facts.Status {
	case plans.Draft, plans.Icebox:
		return fmt.Sprintf("\n  tendril approve %s, then tendril run", one.entry.Key)
	case plans.Approved, plans.ChangesRequested:
		return "\n  tendril run works on it"
	default:
		return ""
	}
}

// WorktreePath is where a plan is worked on.
func (p *Project) WorktreePath(ctx context.Context, name string) (string, error) {
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return "", err
	}
	m, err := p.manager(ctx, snap.cfg)
	if err != nil {
		return "", err
	}
	ws, found, err := m.Find(ctx, one.entry.Key)
	if err != nil {
		return "", err
	}
	if !found {
		return "", noWorktree(one)
	}
	return ws.Path, nil
}

// eventWords is an agent's event as a person reads it; nothing for what only counts.
func eventWords(e runners.Event) string {
	switch e.Type {
	case runners.EventText:
		return e.Text
	case runners.EventTool:
		return "→ " + joinNonEmpty(" ", e.Name, firstLine(e.Target))
	case runners.EventError:
		return "! " + joinNonEmpty(": ", string(e.Kind), oneLine(e.Message))
	default:
		return ""
	}
}

// RunState is how far a run is.
func (p *Project) RunState(run string) (runners.RunState, error) { return p.runs().State(run) }

// TryChecks runs a plan's checks on the files as they lie in its worktree, for whoever works there: it proves nothing, and
// nothing is committed. check names one of them; empty runs all.
func (p *Project) TryChecks(ctx context.Context, name, check string, log func(string, ...any)) (verify.Result, error) {
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return verify.Result{}, err
	}
	if one.entry.Plan == nil || one.entry.Record == nil {
		return verify.Result{}, noWork(one)
	}
	m, err := p.manager(ctx, snap.cfg)
	if err != nil {
		return verify.Result{}, err
	}
	ws, found, err := m.Find(ctx, one.entry.Key)
	if err != nil {
		return verify.Result{}, err
	}
	if !found {
		return verify.Result{}, noWorktree(one)
	}
	in := verify.Input{
		Workspace: ws, Base: one.entry.Record.Base.Commit, Plan: one.entry.Plan, Checks: checksOf(snap.cfg),
		Timeout: snap.cfg.CheckTimeout.Std(), Agent: agentIdent(one.entry.Key, p.Now()), PlansDir: snap.cfg.Plans,
		LogDir: filepath.Join(p.Runtime, "checks", string(one.entry.Key), "try"), Secrets: secretValues(os.Environ()),
		Only: check, Try: true, Log: log,
	}
	return verify.Run(ctx, in)
}
