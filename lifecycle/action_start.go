package lifecycle

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"tendril/internal/config"
	"tendril/internal/crash"
	"tendril/plans"
	"tendril/promptware"
	"tendril/runners"
	"tendril/worktree"
)

// start starts the next attempt: worktree, setup, prompt, agent.
func (w *work) start(ctx context.Context) (func(*progress), error) {
	plan, err := w.approvedPlan(ctx)
	if err != nil {
		return nil, err
	}
	ws, err := w.ensureWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.setup(ctx, ws); err != nil {
		return nil, err
	}
	spec, err := w.spec(ctx, plan, ws)
	if err != nil {
		return nil, err
	}
	if err := w.claimApproval(spec.Run); err != nil {
		return nil, err
	}
	crash.At(crashClaimed)
	if err := w.runsFor(w.snap.cfg).Start(ctx, spec); err != nil {
		return nil, err
	}
	crash.At(crashStarted)
	w.run = spec.Run
	if !spec.Beside {
		w.say(EventStarted, "attempt %d of %d: %s", spec.Attempt, w.one.facts.Max, agentWords(spec))
	}
	if len(spec.Said) > 0 {
		w.say(EventStarted, "%s, takes what was said: %s", agentWords(spec), wordLine(spec.Said))
	}
	return func(pr *progress) { pr.verdict, pr.feedback, pr.verification = VerdictNone, nil, nil }, nil
}

// claimApproval writes down that the approval started an execution, before anything is started for it.
func (w *work) claimApproval(run string) error {
	if w.rec.Approved == nil {
		return nil
	}
	_, claimed, err := w.ledger().Claimed(w.key(), w.rec.Approved.Commit)
	if err != nil || claimed {
		return err
	}
	return w.ledger().Claim(w.key(), w.rec.Approved.Commit, run)
}

// turnWords names a run as events do.
func turnWords(s runners.Spec) string {
	switch turnKind(s) {
	case plans.TurnAttach:
		return "attached session"
	case plans.TurnSay:
		return fmt.Sprintf("attempt %d, a turn beside it", s.Attempt)
	default:
		return fmt.Sprintf("attempt %d", s.Attempt)
	}
}

// agentWords is an agent as events name it.
func agentWords(s runners.Spec) string {
	words := s.Agent.Name
	if s.Model != "" {
		words += ":" + s.Model
	}
	if s.Session != "" {
		words += ", going on in its session"
	}
	return words
}

// spec describes the attempt that is next.
func (w *work) spec(ctx context.Context, plan *plans.Plan, ws *worktree.Workspace) (runners.Spec, error) {
	choice, err := w.agentFor(w.snap, plan)
	if err != nil {
		return runners.Spec{}, err
	}
	head, err := ws.Head(ctx)
	if err != nil {
		return runners.Spec{}, err
	}
	turn := w.turn(choice.Agent)
	prompt, err := w.prompt(ctx, plan, choice, turn)
	if err != nil {
		return runners.Spec{}, err
	}
	cfg, before, attempt := w.snap.cfg, turn.before, turn.attempt
	spec := runners.Spec{
		Run: runID(w.key(), w.rec.Round, attempt, w.NewID()), Key: string(w.key()), Unit: promptware.ExecutePlan,
		Round: w.rec.Round, Attempt: attempt, Nth: nextRun(w.snap.runs[w.key()]), Beside: turn.beside, Said: turn.words, Agent: choice.Agent, Model: choice.Model, Effort: choice.Effort,
		Autonomy: cfg.Autonomy, Args: cfg.Agents[choice.Name].Args,
		Dir: ws.Path, Commit: head, Branch: ws.Branch, Slot: ws.Slot,
		Prompt: prompt, Feedback: turn.feedback, Script: script(plan, attempt),
		TimeLimit: time.Duration(cfg.TimeLimit), Stall: time.Duration(cfg.Stall),
	}
	if goesOn(before, choice.Agent) {
		spec.Session, spec.SessionUsage = before.outcome.Session, before.outcome.SessionUsage
	}
	return spec, nil
}

// goesOn says whether the next run goes on with the session of the one before. One that is full has no room for another
// word: the work goes on in a fresh one, whose prompt carries what matters.
func goesOn(before *runInfo, agent runners.Agent) bool {
	if before == nil || before.outcome == nil || before.outcome.Session == "" || !agent.CanResume() {
		return false
	}
	return before.outcome.Err == nil || before.outcome.Err.Kind != runners.KindContext
}

// turn is what the next run of a plan is about.
type turn struct {
	// attempt is its number; beside is true where it is a turn beside the attempts, which then has the number of the last.
	attempt int
	beside  bool
	// words are what people said, feedback what failed, before the run whose session it goes on with.
	words    []runners.Word
	feedback []byte
	before   *runInfo
}

// turn says what the next run is about.
func (w *work) turn(agent runners.Agent) turn {
	runs := ofRound(w.snap.runs[w.key()], w.rec.Round)
	t := turn{attempt: w.one.facts.Spent + 1, before: w.runBefore(agent)}
	t.words = wordsFor(waitingWords(w.snap.said[w.key()], w.snap.runs[w.key()]), runs)
	if len(t.words) > 0 && besideAttempts(runs) {
		t.attempt, t.beside = max(1, w.one.facts.Spent), true
	}
	t.feedback = w.feedback(t.before)
	return t
}

// runID names a run so that a person finds it: plan, round, attempt, and enough of a fresh id to be its own.
func runID(key plans.Key, round, attempt int, id string) string {
	return fmt.Sprintf("%s.%d-%d.%.8s", key, round, attempt, id)
}

// script is what the script agent runs: the plan's run blocks for this attempt.
func script(plan *plans.Plan, attempt int) []byte {
	var out bytes.Buffer
	for _, block := range plans.RunBlocks(plan.Body, attempt) {
		out.WriteString(block)
		if !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// runBefore is the newest ended run of the plan by the same agent since its approval, or nil.
func (w *work) runBefore(agent runners.Agent) *runInfo {
	runs := w.snap.runs[w.key()]
	for i := len(runs) - 1; i >= 0; i-- {
		r := runs[i]
		if r.outcome == nil || r.spec.Agent.Name != agent.Name {
			continue
		}
		if a := w.rec.Approved; a != nil && r.state.Started.Before(a.At) {
			return nil
		}
		return &r
	}
	return nil
}

// feedback is what the agent is told of what failed before: the checks' report, else how its last run of this round ended.
func (w *work) feedback(before *runInfo) []byte {
	if len(w.prior.feedback) > 0 {
		return w.prior.feedback
	}
	if before != nil && before.spec.Round == w.rec.Round && before.sessionLost() {
		// What that run was told is the next one's to hear.
		return []byte(runners.FeedbackIn(before.spec.Dir))
	}
	if before == nil || before.spec.Round != w.rec.Round || before.outcome.Err == nil || !before.ended() || before.spec.Attached() {
		return nil
	}
	return fmt.Appendf(nil, "The run before ended with an error: %s\n", before.outcome.Err.Message)
}

// prompt renders what the agent is told.
func (w *work) prompt(ctx context.Context, plan *plans.Plan, c agentChoice, t turn) ([]byte, error) {
	unit, err := w.unit(ctx, promptware.ExecutePlan)
	if err != nil {
		return nil, err
	}
	review, err := w.reviewWords(ctx)
	if err != nil {
		return nil, err
	}
	before := t.before
	in := promptware.PromptInput{
		Plan: plan, Round: w.rec.Round, Attempt: t.attempt, Beside: t.beside, Branch: w.rec.Branch, Base: w.rec.Base.Ref,
		Feedback: t.feedback, Review: review, Scope: plan.Scope, Autonomy: w.snap.cfg.Autonomy,
		Resumed: goesOn(before, c.Agent),
	}
	in.Interrupted = cutOff(before, w.rec.Round, t.feedback)
	for _, word := range t.words {
		in.Words = append(in.Words, word.Text)
	}
	if w.rec.Reason == plans.Conflict {
		in.Conflict = strings.Split(w.rec.Detail, ", ")
	}
	for _, check := range w.snap.cfg.Checks {
		if _, skipped := plan.Skip[check.Name]; !skipped {
			in.Checks = append(in.Checks, check.Name+": "+check.Run)
		}
	}
	return unit.Prompt(in)
}

// cutOff says whether the run before the next one ended before its agent did. A person who sat at the agent's program and
// changed nothing had interrupted it; once its round or its checks came to an end, there is nothing to go on with.
func cutOff(before *runInfo, round int, feedback []byte) bool {
	switch {
	case before == nil:
		return false
	case before.spec.Attached():
		return before.spec.Round == round && len(feedback) == 0
	default:
		return !before.ended()
	}
}

// unit is a unit of promptware, the plans branch's own where it has one.
func (w *work) unit(ctx context.Context, name string) (*promptware.Unit, error) {
	override, err := w.fileAt(ctx, w.snap.tip, path.Join(config.Dir, "promptware", name, "Program.md"))
	if err != nil {
		return nil, err
	}
	return promptware.Load(name, override)
}

// reviewWords is what the reviewer said about the round before this one; nil where nobody said anything.
func (w *work) reviewWords(ctx context.Context) ([]byte, error) {
	data, err := w.fileAt(ctx, w.snap.tip, path.Join(w.snap.cfg.Plans, string(w.key()), plans.ReviewFile))
	if err != nil || data == nil {
		return nil, err
	}
	rounds, err := plans.ParseReview(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", w.key(), plans.ReviewFile, err)
	}
	if n := len(rounds); n > 0 && rounds[n-1].Number == w.rec.Round-1 {
		return rounds[n-1].Text, nil
	}
	return nil, nil
}
