package lifecycle

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"tendril/internal/crash"
	"tendril/plans"
	"tendril/runners"
	"tendril/worktree"
)

// collect takes in what a run did: what it left is committed as the agent, its attempt goes into the record, its cost and
// words into the plan's folder.
func (w *work) collect(ctx context.Context) (func(*progress), error) {
	runs := w.runsFor(w.snap.cfg)
	run := w.one.facts.Run.ID
	outcome, err := runs.Finish(ctx, run)
	if err != nil {
		return nil, err
	}
	spec, err := runs.Spec(run)
	if err != nil {
		return nil, err
	}
	outcome.Usage = w.snap.prices.priced(spec.Agent.Name, outcome.Started, outcome)
	head, fatal, why, err := w.takeHead(ctx, spec, outcome)
	if err != nil {
		return nil, err
	}
	before := w.unwrittenRuns(spec)
	files, err := w.runFiles(ctx, outcome, before)
	if err != nil {
		return nil, err
	}
	for _, r := range before {
		w.rec.Attempts = append(w.rec.Attempts, w.attempt(r.spec, *r.outcome, ""))
	}
	w.rec.Attempts = append(w.rec.Attempts, w.attempt(spec, outcome, head))
	status := w.one.facts.Status
	// The head of a plan in review stays what was verified: so what a person changed since counts as moved.
	verified := status == plans.InReview || status == plans.Failed
	if head != "" && !verified {
		w.rec.Head = head
	}
	if fatal != "" {
		w.rec.Detail = why
	}
	w.say(EventEnded, "%s: %s", turnWords(spec), cmp.Or(why, outcomeWords(outcome)+refusedWords(outcome.Denied)))
	rec, words, endedWell := w.rec, w.one.facts.Words, endedWell(ofRound(w.snap.runs[w.key()], spec.Round))
	return func(pr *progress) {
		pr.record, pr.run, pr.fatal = rec, run, fatal
		if !verified {
			pr.verdict, pr.head = VerdictNone, head
		}
		for name, data := range files {
			pr.put(name, data)
		}
		switch {
		case status == plans.Verifying:
		case status != plans.Executing:
			// A person moved the plan: what the run cost is still written down.
			pr.due = true
		case fatal != "":
		case words > 0:
			// What a person said is the next turn; checking what it changes would be in vain.
		case spec.Attached() && (head != spec.Commit || endedWell), !spec.Attached() && outcome.Result == runners.OK:
			pr.step(plans.Verifying, w.now)
		}
	}, nil
}

// unwrittenRuns are the ended runs of a round before spec that the record does not have: they were taken in by an engine
// that died before it wrote that down, after it had started the next one.
func (w *work) unwrittenRuns(spec runners.Spec) []runInfo {
	var lost []runInfo
	for _, r := range ofRound(w.snap.runs[w.key()], spec.Round) {
		if r.spec.Run != spec.Run && r.outcome != nil && !collected(w.rec, &w.prior, r.spec.Run) {
			lost = append(lost, r)
		}
	}
	return lost
}

// attempt is a run as the record has it.
func (w *work) attempt(s runners.Spec, o runners.Outcome, head string) plans.Attempt {
	return plans.Attempt{
		Round: s.Round, Attempt: s.Attempt, Candidate: s.Candidate, Run: s.Run, Host: w.snap.cfg.Runner,
		Agent: s.Agent.Name, Model: o.Model, Session: o.Session, Started: o.Started,
		Seconds: o.Seconds, Outcome: string(o.Result), Head: head, Turn: turnKind(s),
	}
}

// takeHead commits what the agent left and returns the branch's head, and why no other attempt would help, as a reason and
// in words. Where the worktree is lost, what the agent said of its end says nothing: its folder was taken from it.
func (w *work) takeHead(ctx context.Context, spec runners.Spec, o runners.Outcome) (head string, fatal plans.Reason, why string, err error) {
	ws, err := w.workspace(ctx)
	if lost := (*worktree.LostError)(nil); asError(err, &lost) {
		return "", plans.WorktreeLost, firstLine(lost.Error()), nil
	}
	if err != nil {
		return "", "", "", err
	}
	left, err := ws.CommitLeftovers(ctx, worktree.Leftovers{
		Ident: agentIdent(w.key(), w.now), Message: fmt.Sprintf("%s: work of round %d, attempt %d\n\nTendril-Run: %s\n", w.key(), spec.Round, spec.Attempt, o.Run),
		Private: w.private(),
	})
	if err != nil {
		return "", "", "", err
	}
	crash.At(crashCollected)
	if spec.Attached() {
		// However a person leaves, it says nothing about another attempt.
		return left.Head, "", "", nil
	}
	if fatal = fatalReason(o); fatal != "" {
		why = outcomeWords(o)
	}
	return left.Head, fatal, why, nil
}

// private are the ignored files of a worktree that were never the agent's to commit: what was copied in.
func (w *work) private() []string {
	var out []string
	for _, name := range w.snap.cfg.Copy {
		out = append(out, path.Clean(name))
	}
	return out
}

// fatalReason is why another attempt would not help; empty where it might.
func fatalReason(o runners.Outcome) plans.Reason {
	switch {
	case o.Result == runners.Timeout:
		return plans.Time
	case o.Result == runners.Stalled:
		return plans.Stalled
	case o.Result == runners.Stopped && o.Stop == stopBudget:
		return plans.Budget
	case o.Result == runners.Stopped && o.Stop != stopEngine:
		return plans.Stopped
	case o.Err != nil && (o.Err.Kind == runners.KindStart || o.Err.Kind == runners.KindLogin):
		return plans.Agent
	default:
		return ""
	}
}

// outcomeWords says in one line how a run ended.
func outcomeWords(o runners.Outcome) string {
	result := string(o.Result)
	if o.Result == runners.Stopped && o.Stop != "" {
		result = o.Stop
	}
	words := result
	// A lost run that wrote nothing gave no sign of how long it lived.
	if o.Result != runners.Lost || o.Seconds > 0 {
		words += " after " + time.Duration(o.Seconds*float64(time.Second)).Round(100*time.Millisecond).String()
	}
	switch {
	case o.Err == nil || o.Result == runners.Stopped:
		return words
	case o.Err.Kind == runners.KindOther:
		return words + ": " + oneLine(o.Err.Message)
	default:
		return words + ": " + oneLine(o.Err.Error())
	}
}

// runFiles are the files of the plan's folder that a run changes; those of before get their rows too.
func (w *work) runFiles(ctx context.Context, o runners.Outcome, before []runInfo) (map[string][]byte, error) {
	folder := path.Join(w.snap.cfg.Plans, string(w.key()))
	existing, ok := w.prior.files[plans.CostsFile]
	if !ok {
		var err error
		if existing, err = w.fileAt(ctx, w.snap.tip, path.Join(folder, plans.CostsFile)); err != nil {
			return nil, err
		}
	}
	costs := existing
	for _, r := range append(before[:len(before):len(before)], runInfo{spec: w.specOf(o.Run), outcome: &o}) {
		var err error
		if costs, err = plans.AppendCost(costs, costRow(*r.outcome, r.spec)); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", w.key(), plans.CostsFile, err)
		}
	}
	files := map[string][]byte{plans.CostsFile: costs}
	if s := strings.TrimSpace(o.Summary); s != "" {
		files[plans.SummaryFile] = []byte(s + "\n")
	}
	if len(o.Memory) > 0 {
		files[plans.MemoryFile] = memoryPage(o.Memory)
	}
	return files, nil
}

// specOf is what a run was started with, as the last look saw it.
func (w *work) specOf(run string) runners.Spec {
	for _, r := range w.snap.runs[w.key()] {
		if r.spec.Run == run {
			return r.spec
		}
	}
	return runners.Spec{Run: run}
}

// costRow is a run's row in costs.csv; what is not known stays empty.
func costRow(o runners.Outcome, s runners.Spec) plans.CostRow {
	seconds := &o.Seconds
	if s.Attached() && o.Recovered {
		seconds = nil // nobody saw the end
	}
	source := o.Usage.Source
	if o.Usage.USD == nil {
		source = runners.CostUnknown
	}
	return plans.CostRow{
		Run: o.Run, Unit: s.Unit, Candidate: s.Candidate, Round: s.Round, Attempt: s.Attempt, Agent: s.Agent.Name, Model: o.Model,
		Started: o.Started, Seconds: seconds, Input: o.Usage.Input, CacheRead: o.Usage.CacheRead, CacheWrite: o.Usage.CacheWrite,
		Output: o.Usage.Output, Reasoning: o.Usage.Reasoning, USD: o.Usage.USD, Source: string(source), Outcome: string(o.Result),
	}
}

// memoryPage puts an agent's notes on one page, for review with the diff.
func memoryPage(notes []runners.Note) []byte {
	var b strings.Builder
	for i, n := range notes {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n", strings.TrimSuffix(n.Name, ".md"), strings.TrimSpace(n.Text))
	}
	return []byte(b.String())
}
