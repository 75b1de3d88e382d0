package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tendril/plans"
)

// View is what status, list, board and interfaces show: every plan with what it waits for.
type View struct {
	// Branch is the plans branch, Tip where it stands, Dir the plans folder on it.
	Branch string `json:"branch"`
	Tip    string `json:"tip"`
	Dir    string `json:"dir"`
	// Engine is true while an engine works in this clone.
	Engine bool `json:"engine"`
	// Sync is the remote that has the truth, where one has.
	Sync *SyncView `json:"sync,omitempty"`
	// Day is what is left of budget_per_day, where that is set.
	Day *Purse `json:"budget_per_day,omitempty"`
	// Plans are in the order of their numbers.
	Plans []Row `json:"plans"`
	// Order is the order of accepting what waits in which the fewest conflict, where some do.
	Order []plans.Key `json:"merge_order,omitempty"`
	// Notes say what concerns no single plan: what is not trusted, what was committed on another branch.
	Notes []string `json:"notes,omitempty"`
}

// Row is one plan as it stands.
type Row struct {
	Key   plans.Key `json:"key"`
	Title string    `json:"title"`
	// Status counts; File is what plan.md says, where that is something else.
	Status plans.Status `json:"status"`
	File   string       `json:"file_status,omitempty"`
	// Priority, DependsOn and Scope are the plan's.
	Priority  int      `json:"priority"`
	DependsOn []string `json:"depends_on,omitempty"`
	Scope     []string `json:"scope,omitempty"`
	// Skip are the checks that the plan leaves out, each with its reason.
	Skip map[string]string `json:"skip,omitempty"`
	// Conflicts are the branches that its work does not merge with by itself; Overlaps are, before it begins, the open plans
	// whose scope overlaps.
	Conflicts []Clash     `json:"conflicts,omitempty"`
	Overlaps  []plans.Key `json:"overlaps,omitempty"`
	// Problem: the plan cannot be read or is wrong. Refusal: its gate does not count. Waits: what it waits for.
	Problem string `json:"problem,omitempty"`
	Refusal string `json:"refusal,omitempty"`
	Waits   string `json:"waits,omitempty"`
	// Held is who keeps engines from it: a person sits in its worktree. Words counts what was said and is not heard yet.
	Held  string `json:"held,omitempty"`
	Words int    `json:"words,omitempty"`
	// Cost is what its runs cost until now; nil where there was none.
	Cost *PlanCost `json:"cost,omitempty"`
	// Budget is what is left for its runs, where it has a budget.
	Budget *Purse `json:"budget,omitempty"`
	// Ignored is the newest status change that did not count, and why.
	Ignored string `json:"ignored,omitempty"`
	// Runner is the clone that has the plan, where several share one queue; Elsewhere is true where that is another one.
	Runner    string `json:"runner,omitempty"`
	Elsewhere bool   `json:"elsewhere,omitempty"`
	// Reason and Detail are why it failed, or what stands in the way of its delivery.
	Reason plans.Reason `json:"reason,omitempty"`
	Detail string       `json:"detail,omitempty"`
	// Round and Attempt count from 1; Max is how many attempts a round has.
	Round   int `json:"round,omitempty"`
	Attempt int `json:"attempt,omitempty"`
	Max     int `json:"max_attempts,omitempty"`
	// Run is the newest run; Alive is true while its agent works.
	Run   string `json:"run,omitempty"`
	Agent string `json:"agent,omitempty"`
	Alive bool   `json:"alive,omitempty"`
	// Since is when the present status began, as far as it was recorded.
	Since *time.Time `json:"since,omitempty"`
	// Branch, Base and Head are of the work.
	Branch string `json:"branch,omitempty"`
	Base   string `json:"base,omitempty"`
	Head   string `json:"head,omitempty"`
	// Uncommitted is a status that lies in a working copy and was not committed: it starts nothing.
	Uncommitted string `json:"uncommitted,omitempty"`
	// Next is what a person can do now, in the words of a command.
	Next string `json:"next,omitempty"`
}

// View looks at everything once.
func (p *Project) View(ctx context.Context) (*View, error) {
	snap, all, err := p.survey(ctx)
	if err != nil {
		return nil, err
	}
	engine, err := p.EngineRuns()
	if err != nil {
		return nil, err
	}
	copies, err := p.workingCopies(ctx)
	if err != nil {
		return nil, err
	}
	v := &View{Branch: p.branchName(), Tip: snap.tip, Dir: snap.cfg.Plans, Engine: engine}
	if v.Sync, err = p.syncView(ctx, snap); err != nil {
		return nil, err
	}
	v.Notes = v.Sync.Notes()
	if v.Day = snap.day; v.Day != nil {
		v.Notes = append(v.Notes, dayNote(v.Day))
	}
	seen := p.foresee(ctx, snap, all)
	v.Order, v.Notes = seen.order, append(v.Notes, joinNotes(seen)...)
	for _, one := range all {
		row := p.row(snap, one)
		row.Conflicts, row.Overlaps = seen.clashes[row.Key], seen.overlaps[row.Key]
		row.Cost = p.costHere(ctx, snap, one)
		row.Uncommitted = uncommitted(copies, entryOf(snap.here, row.Key), p.Repo.Format)
		v.Plans = append(v.Plans, row)
	}
	if snap.untrusted != "" {
		v.Notes = append(v.Notes, "nothing new starts: it waits for "+snap.untrusted)
	}
	v.Notes = append(v.Notes, p.orphanNotes(snap)...)
	elsewhere, err := p.approvedElsewhere(ctx, snap)
	v.Notes = append(v.Notes, elsewhere...)
	return v, err
}

// survey is a look with what would be next, as an engine without a past would decide it.
func (p *Project) survey(ctx context.Context) (*snapshot, []decided, error) {
	snap, err := newSnapshotter(p, false).look(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := &decider{p: p, snap: snap, now: p.Now(), everyGate: true, progress: func(_ plans.Key, written plans.Status) *progress {
		return &progress{base: written}
	}}
	all, err := d.decide(ctx)
	snap.all = all
	return snap, all, err
}

// row is one plan as it stands.
func (p *Project) row(snap *snapshot, one decided) Row {
	r := Row{Key: one.entry.Key, Title: string(one.entry.Key), Status: one.facts.Status, Problem: one.facts.Problem, Refusal: one.facts.Refusal}
	r.Budget = one.facts.Budget
	r.Held, r.Words = one.facts.Held, len(waitingWords(snap.said[r.Key], snap.runs[r.Key]))
	if w := one.facts.Wait; w != nil {
		r.Waits = w.For
	}
	if plan := one.entry.Plan; plan != nil {
		r.Title, r.Priority, r.DependsOn, r.Scope, r.Skip = plan.Title, plan.Priority, plan.DependsOn, plan.Scope, plan.Skip
		if agent, err := p.agentFor(snap, plan); err == nil {
			r.Agent = agent.Name
		}
		if plan.Status != r.Status && r.Problem == "" {
			r.File = string(plan.Status)
		}
	}
	if ignored, ok := snap.effective[r.Key].Ignored(); ok {
		r.Ignored = fmt.Sprintf("%s -> %s by %s (%s): %s", ignored.From, ignored.To, ignored.Author, short(ignored.Commit), ignored.Why)
	}
	if rec := one.entry.Record; rec != nil {
		if snap.remote != nil {
			r.Runner, r.Elsewhere = rec.Runner, one.facts.Elsewhere != ""
		}
		r.Reason, r.Detail, r.Round, r.Branch, r.Base, r.Head = rec.Reason, rec.Detail, rec.Round, rec.Branch, rec.Base.Commit, rec.Head
		if !rec.StateSince.IsZero() {
			since := rec.StateSince
			r.Since = &since
		}
	}
	if atWork(r.Status) {
		r.Max = one.facts.Max
		if runs := ofRound(snap.runs[r.Key], r.Round); len(runs) > 0 {
			newest := runs[len(runs)-1]
			r.Run, r.Attempt, r.Alive, r.Agent = newest.spec.Run, newest.spec.Attempt, newest.alive(), newest.spec.Agent.Name
		}
	}
	r.Next = nextForPerson(r)
	return r
}

// nextForPerson is what a person can do about a plan now; empty where it is not their turn.
func nextForPerson(r Row) string {
	switch {
	case r.Problem != "":
		return "tendril edit " + string(r.Key)
	case r.Status == plans.Draft:
		return "tendril approve " + string(r.Key)
	case r.Status == plans.InReview && strings.HasPrefix(r.Detail, unverifiedWord):
		return "tendril diff " + string(r.Key) + ", then tendril accept --unverified " + string(r.Key)
	case r.Status == plans.InReview:
		return "tendril diff " + string(r.Key) + ", then tendril accept " + string(r.Key)
	case r.Status == plans.Failed:
		return "tendril show " + string(r.Key) + ", then tendril approve " + string(r.Key)
	default:
		return ""
	}
}

// uncommitted is the status that a working copy of the plan has and the branch has not.
func uncommitted(copies []workingCopy, entry *plans.Entry, format string) string {
	if entry == nil || entry.Plan == nil {
		return ""
	}
	for _, c := range copies {
		text, _, err := c.read(entry, format)
		if err != nil || text == nil {
			continue
		}
		if status, err := plans.StatusOf(text); err == nil && status != entry.Plan.Status {
			return string(status)
		}
	}
	return ""
}

// approvedElsewhere names gates that were committed on the branch where the person stands, which is not the plans branch:
// they start nothing.
func (p *Project) approvedElsewhere(ctx context.Context, snap *snapshot) ([]string, error) {
	ref, err := p.Repo.Run(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil || ref == p.Ref || strings.HasPrefix(ref, "refs/heads/tendril/") {
		// A plan's own branch carries the approval that it was made from; a detached HEAD names no branch on which somebody could have meant to approve.
		return nil, nil
	}
	tip, err := p.Repo.Run(ctx, "rev-parse", "--verify", "--quiet", ref)
	if err != nil {
		return nil, nil
	}
	there, err := p.reader.Read(ctx, tip, snap.cfg.Plans)
	if wrong := (*plans.SyntaxError)(nil); errors.As(err, &wrong) {
		// What that branch has in the folder's place is no plan.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, e := range there.Entries {
		if e.Plan == nil || !isGate(e.Plan.Status) {
			continue
		}
		if here := entryOf(snap.set, e.Key); here == nil || here.Plan == nil || here.Plan.Status != e.Plan.Status && snap.effective[e.Key].Status != plans.Merged {
			notes = append(notes, fmt.Sprintf("%s is %s on %s, which is not the plans branch (%s): it counts once it is committed there",
				e.Key, e.Plan.Status, branchName(ref), p.branchName()))
		}
	}
	return notes, nil
}

func isGate(s plans.Status) bool { return s == plans.Approved || s == plans.Accepted }
