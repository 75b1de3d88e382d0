package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"tendril/plans"
	"tendril/runners"
	"tendril/worktree"
)

// Terminal is where a person sits.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// Attached is what came of a person's session with a plan's agent.
type Attached struct {
	Key plans.Key `json:"key"`
	// Run is the session's own run, Session the agent's.
	Run     string  `json:"run"`
	Agent   string  `json:"agent"`
	Session string  `json:"session"`
	Seconds float64 `json:"seconds"`
	// Exit is the program's exit code, -1 where a signal ended it.
	Exit int `json:"exit_code"`
	// Moved is true when the branch has commits that it had not, Head where it stands.
	Moved bool   `json:"moved"`
	Head  string `json:"head"`
	// LeftOut are files that were not committed, and why.
	LeftOut []string `json:"left_out,omitempty"`
	// Next is what happens to it, for people.
	Next string `json:"next"`
}

// Attach gives a person the agent's interactive program on the plan's session, in its worktree, and holds the plan
// meanwhile. With interrupt a run or a check that is under way is ended first, so that the session can go on. What the
// program leaves uncommitted is committed as the agent's. begun is called before the terminal is handed over.
func (p *Project) Attach(ctx context.Context, name string, interrupt bool, t Terminal, begun func(Attached)) (Attached, error) {
	seat, err := p.seat(ctx, name)
	if err != nil {
		return Attached{}, err
	}
	key := seat.one.entry.Key
	if err := seat.attachable(); err != nil {
		return Attached{}, err
	}
	if _, err := seat.choice.Agent.AttachArgv(runners.Values{Session: "any"}); err != nil {
		return Attached{}, fmt.Errorf("%s: %w: its file has no attach:\n  tendril shell %s opens a shell in its worktree", key, err, key)
	}
	if other, is := p.heldBy(key); is {
		return Attached{}, &HeldError{Key: key, Holder: other}
	}
	if !interrupt && seat.alive() != "" {
		return Attached{}, seat.agentAtWork()
	}
	h, err := p.hold(ctx, key, "attach", interrupt)
	if err != nil {
		return Attached{}, withChoices(err, key, "attach")
	}
	defer h.release()
	// What was seen before the plan was held may be over.
	if seat, err = p.seat(ctx, name); err != nil {
		return Attached{}, err
	}
	if err := seat.attachable(); err != nil {
		return Attached{}, err
	}
	if err := seat.interruptRun(ctx, interrupt); err != nil {
		return Attached{}, err
	}
	if seat, err = p.seat(ctx, name); err != nil {
		return Attached{}, err
	}
	return seat.sit(ctx, t, begun)
}

// seat is a plan of which a person wants the worktree, as it is now.
type seat struct {
	*Project
	snap   *snapshot
	one    decided
	choice agentChoice
	ws     *worktree.Workspace
}

// seat looks a plan up with its agent and its worktree; a plan that cannot be read is an error.
func (p *Project) seat(ctx context.Context, name string) (*seat, error) {
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return nil, err
	}
	key := one.entry.Key
	if one.facts.Problem != "" {
		return nil, fmt.Errorf("%s: %s\n  tendril edit %s", key, one.facts.Problem, key)
	}
	if err := notElsewhere(one); err != nil {
		return nil, err
	}
	s := &seat{Project: p, snap: snap, one: one}
	m, err := p.manager(ctx, snap.cfg)
	if err != nil {
		return nil, err
	}
	if s.ws, _, err = m.Find(ctx, key); err != nil {
		return nil, err
	}
	// A plan without an agent can still be looked at.
	s.choice, err = p.agentFor(snap, one.entry.Plan)
	if err != nil {
		s.choice = agentChoice{Name: "none"}
	}
	return s, nil
}

func (s *seat) key() plans.Key { return s.one.entry.Key }

// alive is the run that is at work in the worktree, or empty.
func (s *seat) alive() string {
	for _, r := range slices.Backward(s.snap.runs[s.key()]) {
		if r.alive() {
			return r.spec.Run
		}
	}
	return ""
}

func (s *seat) agentAtWork() error {
	return withChoices(&AtWorkError{Key: s.key(), What: "its agent"}, s.key(), "attach")
}

// withChoices names the commands that go on from a plan at which something is at work.
func withChoices(err error, key plans.Key, command string) error {
	work := (*AtWorkError)(nil)
	if !errors.As(err, &work) {
		return err
	}
	work.Choices = []string{fmt.Sprintf("tendril %s --interrupt %s ends that, spends no attempt, and goes on from there", command, key)}
	if command == "attach" {
		work.Choices = append(work.Choices, fmt.Sprintf("tendril say %s TEXT gives its agent words as the next turn; tendril logs -f %s watches", key, key))
	} else {
		work.Choices = append(work.Choices, fmt.Sprintf("tendril shell --no-hold %s opens a shell beside it, to look and not to change", key))
	}
	return work
}

// attachable refuses plans whose session is not a person's to go on with now.
func (s *seat) attachable() error {
	key, status := s.key(), s.one.facts.Status
	var instead string
	switch status {
	case plans.Executing, plans.Verifying, plans.InReview, plans.Failed:
		if s.snap.untrusted != "" {
			return fmt.Errorf("%s: it waits for %s", key, s.snap.untrusted)
		}
		return nil
	case plans.Approved, plans.ChangesRequested:
		instead = "tendril run starts it; then tendril attach --interrupt " + string(key)
	case plans.Draft, plans.Icebox:
		instead = fmt.Sprintf("tendril approve %s, then tendril run starts it", key)
	case plans.Accepted:
		instead = fmt.Sprintf("tendril request-changes %s -m TEXT takes it back", key)
	case plans.Rejected:
		instead = fmt.Sprintf("tendril approve %s takes it up again", key)
	default:
		instead = "tendril show " + string(key)
	}
	return fmt.Errorf("%s is %s: there is no session to go on with\n  %s", key, status, instead)
}

// interruptRun ends the run at work, where there is one, in the way that keeps its session and spends no attempt.
func (s *seat) interruptRun(ctx context.Context, interrupt bool) error {
	run := s.alive()
	switch {
	case run == "":
		return nil
	case !interrupt:
		return s.agentAtWork()
	}
	runs := s.runsFor(s.snap.cfg)
	if err := runs.Stop(ctx, run, stopEngine); err != nil {
		return err
	}
	_, err := runs.Wait(ctx, run)
	return err
}

// sit hands the terminal over. The plan is held.
func (s *seat) sit(ctx context.Context, t Terminal, begun func(Attached)) (Attached, error) {
	spec, err := s.attachSpec(ctx)
	if err != nil {
		return Attached{}, err
	}
	a, err := s.runsFor(s.snap.cfg).Attach(ctx, spec)
	if err != nil {
		return Attached{}, err
	}
	done := Attached{Key: s.key(), Run: spec.Run, Agent: spec.Agent.Name, Session: spec.Session, Head: spec.Commit}
	begun(done)
	out, err := a.Run(ctx, t.In, t.Out, t.Err)
	if err != nil {
		return done, err
	}
	done.Seconds, done.Exit = out.Seconds, out.Exit
	left, err := s.commitLeft(context.WithoutCancel(ctx), spec, "what the attached session left")
	if err != nil {
		return done, err
	}
	done.Head, done.Moved = left.Head, left.Head != spec.Commit
	for _, o := range left.Out {
		done.LeftOut = append(done.LeftOut, o.Path+": "+o.Why)
	}
	done.Next = s.afterwards(done.Moved)
	return done, nil
}

// attachSpec describes the session's run. What the agent left before is committed first, so that what the session changes
// can be told from it.
func (s *seat) attachSpec(ctx context.Context) (runners.Spec, error) {
	key, rec := s.key(), s.one.entry.Record
	if rec == nil || len(s.snap.runs[key]) == 0 {
		return runners.Spec{}, fmt.Errorf("%s has no session in this clone: it is %s\n  tendril run starts its agent", key, s.one.facts.Status)
	}
	before := s.sessionRun()
	if before == nil {
		return runners.Spec{}, fmt.Errorf("%s: no run of agent %s left a session\n  tendril shell %s opens a shell in its worktree", key, s.choice.Name, key)
	}
	if s.ws == nil {
		return runners.Spec{}, fmt.Errorf("%s has no worktree here\n  tendril run makes it anew", key)
	}
	spec := runners.Spec{
		Run: fmt.Sprintf("%s.%d-%d.attach.%.8s", key, rec.Round, max(1, s.one.facts.Spent), s.NewID()), Key: string(key), Unit: runners.UnitAttach,
		Round: rec.Round, Attempt: max(1, s.one.facts.Spent), Nth: nextRun(s.snap.runs[key]), Agent: s.choice.Agent, Model: s.choice.Model, Effort: s.choice.Effort,
		Session: before.outcome.Session, SessionUsage: before.outcome.SessionUsage, Dir: s.ws.Path, Branch: s.ws.Branch, Slot: s.ws.Slot,
	}
	left, err := s.commitLeft(ctx, before.spec, fmt.Sprintf("work of round %d, attempt %d", before.spec.Round, before.spec.Attempt))
	spec.Commit = left.Head
	return spec, err
}

// sessionRun is the newest ended run of the plan's agent with a session, or nil.
func (s *seat) sessionRun() *runInfo {
	for _, r := range slices.Backward(s.snap.runs[s.key()]) {
		if r.outcome != nil && r.spec.Agent.Name == s.choice.Name && r.outcome.Session != "" {
			return &r
		}
	}
	return nil
}

// commitLeft commits what lies in the worktree as the agent's.
func (s *seat) commitLeft(ctx context.Context, spec runners.Spec, what string) (worktree.Left, error) {
	w := &work{Project: s.Project, snap: s.snap, one: s.one}
	return s.ws.CommitLeftovers(ctx, worktree.Leftovers{
		Ident: agentIdent(s.key(), s.Now()), Message: fmt.Sprintf("%s: %s\n\nTendril-Run: %s\n", s.key(), what, spec.Run), Private: w.private(),
	})
}

// afterwards says what an engine does with the plan now.
func (s *seat) afterwards(moved bool) string {
	switch status := s.one.facts.Status; {
	case moved:
		return "what changed is checked next, by tendril run"
	case status == plans.Executing && !endedWell(ofRound(s.snap.runs[s.key()], s.one.entry.Record.Round)):
		return "nothing changed: its agent goes on, by tendril run"
	case atWork(status):
		return "nothing changed: it is checked, by tendril run"
	default:
		return fmt.Sprintf("nothing changed: it stays %s", status)
	}
}
