package lifecycle

import (
	"sync"
	"time"

	"tendril/plans"
	"tendril/runners"
)

// sceneKeeper keeps what is needed to tell what an engine does, and tells it: after each look, when a check begins, and
// while agents work once a second where one said something new.
type sceneKeeper struct {
	show  func(Scene)
	only  map[plans.Key]bool
	now   func() time.Time
	agent func(*snapshot, *plans.Plan) string

	// changed has a word in it when a check began.
	changed chan struct{}
	mu      sync.Mutex
	checks  map[plans.Key]checking

	// What follows belongs to the engine's goroutine.
	snap  *snapshot
	all   []seen
	steps map[plans.Key]stepSince
	ears  *listeners
}

// checking is how far the checks of a plan are.
type checking struct {
	name    string
	nth, of int
}

// stepSince is a step with when it was first seen.
type stepSince struct {
	step  Step
	run   string
	since time.Time
}

func (e *Engine) newSceneKeeper() *sceneKeeper {
	if e.opt.Scenes == nil {
		return nil
	}
	k := &sceneKeeper{
		show: e.opt.Scenes, now: e.p.Now, changed: make(chan struct{}, 1), checks: map[plans.Key]checking{},
		steps: map[plans.Key]stepSince{}, ears: e.ears,
		agent: func(snap *snapshot, plan *plans.Plan) string {
			choice, err := e.p.agentFor(snap, plan)
			if err != nil {
				return ""
			}
			return agentName(runners.Spec{Agent: choice.Agent, Model: choice.Model})
		},
	}
	if len(e.opt.Only) > 0 {
		k.only = map[plans.Key]bool{}
		for _, key := range e.opt.Only {
			k.only[key] = true
		}
	}
	return k
}

// checkBegins notes that a check begins; any goroutine may call it. A nil keeper keeps nothing.
func (k *sceneKeeper) checkBegins(key plans.Key, name string, nth, of int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.checks[key] = checking{name, nth, of}
	k.mu.Unlock()
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// looked takes in a look with what was decided and started on it, and shows it.
func (k *sceneKeeper) looked(snap *snapshot, all []decided, under func(plans.Key) Kind, of func(plans.Key) *progress) {
	if k == nil {
		return
	}
	k.snap, k.all = snap, k.all[:0]
	for _, one := range all {
		s := seen{decided: one, job: under(one.entry.Key)}
		if pr := of(one.entry.Key); pr != nil {
			s.retryAt, s.trouble, s.stuck = pr.retryAt, pr.trouble, pr.stuck && pr.trouble != ""
			s.rec = currentRecord(one.entry, pr)
		}
		k.all = append(k.all, s)
	}
	k.tell()
}

// wakes interrupt an engine's rest where a check began. Of a nil keeper they never come.
func (k *sceneKeeper) wakes() <-chan struct{} {
	if k == nil {
		return nil
	}
	return k.changed
}

// tell shows the scene as it is now. A nil keeper shows nothing.
func (k *sceneKeeper) tell() {
	if k == nil || k.snap == nil {
		return
	}
	now := k.now()
	for i := range k.all {
		if s := &k.all[i]; s.underWay() {
			k.fill(s, now)
		}
	}
	scene := compose(k.all, k.only, k.snap.untrusted, now)
	if k.snap.day != nil {
		scene.Notes = append(scene.Notes, dayNote(k.snap.day))
	}
	k.show(scene)
}

// fill adds to a plan under way what its runs and checks say.
func (k *sceneKeeper) fill(s *seen, now time.Time) {
	key := s.entry.Key
	k.mu.Lock()
	if s.job != Verify && s.job != Deliver {
		delete(k.checks, key)
	}
	c := k.checks[key]
	k.mu.Unlock()
	s.check, s.nth, s.of = c.name, c.nth, c.of
	var used []runners.Usage
	for _, r := range k.snap.runs[key] {
		if r.outcome != nil {
			used = append(used, r.outcome.Usage)
		}
	}
	s.newest, s.said = nil, ""
	if runs := ofRound(k.snap.runs[key], s.round()); len(runs) > 0 && s.job != Claim {
		s.newest = &runs[len(runs)-1]
	} else if s.entry.Plan != nil && s.agent == "" {
		s.agent = k.agent(k.snap, s.entry.Plan)
	}
	if f := k.ears.of(s.facts.Run.ID); f != nil {
		s.said = saidWords(f.Last(), s.dir())
		used = append(used, k.ears.used(s.facts.Run.ID))
	}
	s.spent = spentOn(used)
	k.settleStep(s, now)
}

// settleStep says since when the step lasts: an agent's since it was started, whoever started it.
func (k *sceneKeeper) settleStep(s *seen, now time.Time) {
	key, run := s.entry.Key, s.facts.Run.ID
	step, _ := s.step(now)
	if was := k.steps[key]; was.step != step || was.run != run {
		since := now
		if step == StepAgent && s.newest != nil && !s.newest.state.Started.IsZero() {
			since = s.newest.state.Started
		}
		k.steps[key] = stepSince{step, run, since}
	}
	s.since = k.steps[key].since
}
