package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"tendril/lifecycle/deliver"
	"tendril/lifecycle/gate"
	"tendril/plans"
)

// decided is what is to be done for one plan, with what it was decided on.
type decided struct {
	entry  *plans.Entry
	facts  Facts
	action Action
	// approval and acceptance are the gates, where they were passed and matter now.
	approval   *gate.Passage
	acceptance *gate.Passage
	delivery   deliver.Decision
	// gateDue is true while it was not asked who approved the plan.
	gateDue bool
	// conflict are the files in which an accepted plan conflicts with its base.
	conflict []string
}

// decider turns a snapshot into what is next for each plan.
type decider struct {
	p        *Project
	snap     *snapshot
	progress func(plans.Key, plans.Status) *progress
	only     map[plans.Key]bool
	now      time.Time
	// everyGate asks who approved each plan, not only those that would start.
	everyGate bool
	// live tells the cost of runs under way, where somebody listens to them.
	live liveCost
	// parks says until when agents are not asked.
	parks map[string]time.Time
}

// decide says what is next for each plan, in the order of the set.
func (d *decider) decide(ctx context.Context) ([]decided, error) {
	d.snap.day, d.parks = d.dayPurse(), parks(d.snap.runs, d.now)
	all := make([]decided, 0, len(d.snap.set.Entries))
	for _, entry := range d.snap.set.Entries {
		one, err := d.gather(ctx, entry)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	waits, err := d.admit(ctx, all)
	if err != nil {
		return nil, err
	}
	turns := d.turns(all)
	for i := range all {
		one := &all[i]
		if w, ok := waits[one.entry.Key]; ok && one.facts.Wait == nil {
			one.facts.Wait = &w
		}
		if first := turns[d.baseOf(one)]; first != "" && one.facts.Status == plans.Accepted && one.entry.Key != first && one.facts.Wait == nil {
			one.facts.Wait = &Wait{For: string(first) + ", which goes into the base first"}
		}
		one.action = Next(one.facts)
		// A stop is carried out by whatever engine runs: who asks for it cannot have one of their own beside it.
		if stops := one.facts.StopAsked && atWork(one.facts.Status); !stops && !d.concerns(one.entry.Key) {
			one.action = Action{Kind: Rest}
		}
	}
	return all, nil
}

// admit says which plans wait for others. Who approved a plan is a walk through the history: it is asked of those that
// would start now, and of the others only where everything is to be shown.
func (d *decider) admit(ctx context.Context, all []decided) (map[plans.Key]Wait, error) {
	for {
		contenders := make([]Contender, len(all))
		for i := range all {
			contenders[i] = d.contender(all[i])
		}
		waits := Admit(contenders, limitsOf(d.snap.cfg))
		asked := false
		for i := range all {
			one := &all[i]
			_, waiting := waits[one.entry.Key]
			if !one.gateDue || (waiting || !contenders[i].Starts) && !d.everyGate {
				continue
			}
			asked, one.gateDue = true, false
			if err := d.gatherApproval(ctx, one); err != nil {
				return nil, err
			}
		}
		if !asked {
			return waits, nil
		}
	}
}

// gather collects the facts of one plan.
func (d *decider) gather(ctx context.Context, entry *plans.Entry) (decided, error) {
	one := decided{entry: entry}
	if entry.Err != nil {
		one.facts.Problem = firstLine(entry.Err.Error())
		return one, nil
	}
	if entry.RecordErr != nil {
		one.facts.Problem = firstLine(entry.RecordErr.Error())
		return one, nil
	}
	if err := d.snap.damaged[entry.Key]; err != nil {
		one.facts.Problem = "a run of it cannot be read; once no agent works on it, delete the run's folder: " + firstLine(err.Error())
		return one, nil
	}
	effective := d.snap.effective[entry.Key]
	if one.facts.Elsewhere = d.snap.heldElsewhere(entry, effective.Status); one.facts.Elsewhere != "" {
		d.gatherElsewhere(&one, effective.Status)
		return one, nil
	}
	pr := d.progress(entry.Key, effective.Status)
	f := &one.facts
	f.Written, f.Status = effective.Status, pr.status()
	f.Verdict, f.Kept = pr.verdict, pr.kept
	f.Workspace = d.snap.trees[entry.Key]
	f.StopAsked = d.p.stopAsked(entry.Key)
	f.Held = d.p.holdWords(entry.Key)
	f.Max = d.maxAttempts(entry.Plan)
	d.gatherRuns(f, entry, pr)
	d.gatherBranch(f, entry, pr)
	f.Workspace = f.Workspace || d.branchLeft(f, entry, pr)
	f.Wait = d.parkedBy(entry.Plan, f.Status)
	if pr.retryAt.After(d.now) {
		f.Wait = &Wait{For: "another try after: " + pr.trouble}
	}
	var err error
	switch f.Status {
	case plans.Approved:
		d.gatherStart(&one)
		one.gateDue = true
	case plans.ChangesRequested:
		d.gatherStart(&one)
	case plans.Accepted:
		err = d.gatherAcceptance(ctx, &one, pr)
	}
	if one.facts.Refusal == "" {
		d.gatherBudget(ctx, &one)
	}
	return one, err
}

func (d *decider) maxAttempts(p *plans.Plan) int {
	if p.MaxAttempts != nil {
		return *p.MaxAttempts
	}
	return d.snap.cfg.MaxAttempts
}

// currentRecord is the plan's record as it is now: what is not written yet, else what the branch has, else nil.
func currentRecord(entry *plans.Entry, pr *progress) *plans.Record {
	if pr.record != nil {
		return pr.record
	}
	return entry.Record
}

func (d *decider) gatherRuns(f *Facts, entry *plans.Entry, pr *progress) {
	rec := currentRecord(entry, pr)
	round := 0
	if rec != nil {
		round = rec.Round
	}
	runs := ofRound(d.snap.runs[entry.Key], round)
	f.Spent = spentOf(runs)
	if d.snap.remote != nil {
		f.Spent += spentElsewhere(rec, runs)
	}
	f.Words = len(wordsFor(waitingWords(d.snap.said[entry.Key], d.snap.runs[entry.Key]), runs))
	if stray := strayOf(d.snap.runs[entry.Key], round); stray != "" {
		f.Run = RunFact{ID: stray, Alive: true, Stray: true}
		return
	}
	if len(runs) == 0 {
		return
	}
	newest := runs[len(runs)-1]
	f.Run = RunFact{
		ID: newest.spec.Run, Alive: newest.alive(), Collected: collected(rec, pr, newest.spec.Run),
		Beside: newest.spec.Beside, Attached: newest.spec.Attached(),
	}
	if f.Run.Collected {
		f.Run.Idle = idle(newest, runs, rec)
	}
	if f.Run.Collected && pr.run == newest.spec.Run {
		f.Run.Fatal = pr.fatal
	}
}

// parkedBy is what a plan waits for whose agent met a limit; nil where nothing new would start for it now.
func (d *decider) parkedBy(plan *plans.Plan, status plans.Status) *Wait {
	if status != plans.Approved && status != plans.ChangesRequested && status != plans.Executing {
		return nil
	}
	agent, err := d.p.agentFor(d.snap, plan)
	if err != nil || d.parks[agent.Name].IsZero() {
		return nil
	}
	return parkWait(agent.Name, d.parks[agent.Name], d.now)
}

// collected says whether what a run did is in the plan's branch and record.
func collected(rec *plans.Record, pr *progress, run string) bool {
	if pr.run == run {
		return true
	}
	if rec == nil {
		return false
	}
	for _, a := range rec.Attempts {
		if a.Run == run {
			return true
		}
	}
	return false
}

// gatherBranch says whether the plan's branch is where Tendril left it.
func (d *decider) gatherBranch(f *Facts, entry *plans.Entry, pr *progress) {
	rec := currentRecord(entry, pr)
	if rec == nil || rec.Head == "" || rec.Branch == "" {
		return
	}
	head, there := d.snap.heads[rec.Branch]
	f.BranchMoved = there && head != rec.Head
}

// branchLeft says whether a merged plan's branch was not deleted yet.
func (d *decider) branchLeft(f *Facts, entry *plans.Entry, pr *progress) bool {
	rec := currentRecord(entry, pr)
	if f.Status != plans.Merged || rec == nil || rec.Branch == "" {
		return false
	}
	_, there := d.snap.heads[rec.Branch]
	return there
}

func (d *decider) gatherApproval(ctx context.Context, one *decided) error {
	passage, err := gate.Approval(ctx, d.p.Repo, d.snap.tip, one.entry.Plan, gateRules(d.snap.cfg))
	if refusal := refused(err); refusal != "" {
		one.facts.Refusal = refusal
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: gate 1: %w", one.entry.Key, err)
	}
	run, claimed, err := d.p.ledger().Claimed(one.entry.Key, passage.Commit)
	if err != nil {
		return fmt.Errorf("%s: %w", one.entry.Key, err)
	}
	if claimed {
		one.facts.Refusal = fmt.Sprintf("this approval already started run %s; to run it again take it back (tendril draft %s) and approve it anew", run, one.entry.Key)
		return nil
	}
	one.approval = &passage
	return d.take(ctx, one, passage)
}

// gatherStart finds what keeps a round from starting beside other plans: the agent, the base, trust.
func (d *decider) gatherStart(one *decided) {
	f := &one.facts
	if f.Wait != nil {
		return
	}
	if d.snap.untrusted != "" {
		f.Wait = &Wait{For: d.snap.untrusted}
		return
	}
	agent, err := d.p.agentFor(d.snap, one.entry.Plan)
	if err != nil {
		f.Refusal = oneLine(err.Error())
		return
	}
	if _, err := exec.LookPath(agent.Agent.Command[0]); err != nil {
		f.Refusal = fmt.Sprintf("agent %s: %s is not on PATH here; %s, or name another agent", agent.Name, agent.Agent.Command[0], installing(agent.Agent))
		return
	}
	base := baseBranch(d.snap.cfg, one.entry)
	if _, ok := d.snap.heads[base]; !ok {
		f.Refusal = fmt.Sprintf("its base branch %s is not %s", base, d.snap.where())
		return
	}
	f.Refusal = d.dependencyProblem(one.entry)
}

// dependencyProblem says what is wrong with a plan's depends_on: an unknown plan, or a cycle.
func (d *decider) dependencyProblem(entry *plans.Entry) string {
	for _, ref := range entry.Plan.DependsOn {
		if _, err := d.snap.set.Find(ref); err != nil {
			return "depends_on: " + firstLine(err.Error())
		}
	}
	if cycle := FindCycle(entry.Key, d.dependencies); cycle != nil {
		return "depends_on goes round in a circle: " + joinKeys(cycle, " → ")
	}
	return ""
}

// dependencies are the keys that a plan waits for; what cannot be found is left out.
func (d *decider) dependencies(key plans.Key) []plans.Key {
	entry := entryOf(d.snap.set, key)
	if entry == nil || entry.Plan == nil {
		return nil
	}
	var keys []plans.Key
	for _, ref := range entry.Plan.DependsOn {
		if dep, err := d.snap.set.Find(ref); err == nil {
			keys = append(keys, dep.Key)
		}
	}
	return keys
}

// contender is a plan as Admit sees it.
func (d *decider) contender(one decided) Contender {
	c := Contender{
		Key: one.entry.Key, Status: one.facts.Status, DependsOn: d.dependencies(one.entry.Key), Elsewhere: one.facts.Elsewhere != "",
	}
	if one.entry.Plan == nil {
		return c
	}
	c.Priority, c.Scope = one.entry.Plan.Priority, one.entry.Plan.Scope
	if agent, err := d.p.agentFor(d.snap, one.entry.Plan); err == nil {
		c.Agent = agent.Name
	}
	starts := one.facts.Status == plans.Approved || one.facts.Status == plans.ChangesRequested
	c.Starts = starts && one.facts.Problem == "" && one.facts.Refusal == "" && one.facts.Wait == nil &&
		one.facts.Elsewhere == "" && d.concerns(one.entry.Key)
	return c
}

// refused is a gate's refusal in one line, or empty where err is something else.
func refused(err error) string {
	var r *gate.Refusal
	var m *gate.Moved
	switch {
	case errors.As(err, &r), errors.As(err, &m):
		return oneLine(err.Error())
	default:
		return ""
	}
}

// baseOf is the base branch that a plan goes back to, as its record has it.
func (d *decider) baseOf(one *decided) string {
	if one.entry.Plan == nil {
		return ""
	}
	if rec := currentRecord(one.entry, d.progress(one.entry.Key, one.facts.Written)); rec != nil {
		return rec.Base.Ref
	}
	return ""
}
