package lifecycle

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/plans"
	"tendril/runners"
)

// seen is what is known of one plan besides what was decided: what the engine does for it now.
type seen struct {
	decided
	// job is the action under way, empty where there is none.
	job Kind
	// retryAt is when an action that did not work is tried again, trouble why it did not.
	retryAt time.Time
	trouble string
	stuck   bool
	// rec is the plan's record as it is now, or nil.
	rec *plans.Record
	// newest is the newest run of the round, or nil; agent is what the plan would use before its first.
	newest *runInfo
	agent  string
	// said and spent come from the runs; check, nth and of from the checks under way.
	said  string
	spent Spent
	check string
	nth   int
	of    int
	// since is when the step began.
	since time.Time
}

// step says what is done for a plan, and more of it in a few words. It is pure.
func (s seen) step(now time.Time) (Step, string) {
	f := s.facts
	switch {
	case s.job == Verify, s.job == Deliver && s.nth > 0:
		return StepChecks, s.check
	case s.job == Deliver:
		return StepDeliver, ""
	case s.job == Halt:
		return StepEnding, ""
	case s.job == Claim, s.job == Start:
		return StepSetup, ""
	case s.job != "":
		return StepTaking, ""
	case f.Held != "":
		return StepParked, f.Held + ", which holds it"
	case f.Run.Alive && f.StopAsked:
		return StepEnding, ""
	case f.Run.Alive:
		return StepAgent, ""
	case s.unwritten():
		return StepTaking, ""
	case s.retryAt.After(now):
		return StepTrouble, s.trouble
	case f.Wait != nil:
		return StepParked, f.Wait.For
	case f.Status == plans.Verifying:
		return StepChecks, ""
	default:
		return StepSetup, ""
	}
}

// underWay says whether something is done for the plan, or goes on by itself after a pause.
func (s seen) underWay() bool {
	switch {
	case s.facts.Problem != "":
		return s.facts.Run.Alive
	case s.facts.Elsewhere != "":
		return s.facts.Run.Alive
	case s.stuck:
		return false
	case atWork(s.facts.Status), s.unwritten():
		return true
	default:
		return s.facts.Run.Alive || s.job != "" && s.job != Retire
	}
}

// unwritten says whether the plan ended its work and the branch does not say so yet: until then nobody can act on that.
func (s seen) unwritten() bool {
	status := s.facts.Status
	return status != s.facts.Written && (status == plans.InReview || status == plans.Failed || status == plans.Merged)
}

// working is the plan as it is shown at work.
func (s seen) working(now time.Time) Working {
	w := Working{
		Key: s.entry.Key, Title: s.title(), Since: s.since, Attempt: min(s.facts.Spent+1, max(s.facts.Max, 1)), Max: s.facts.Max,
		Agent: s.agent, Said: s.said, Spent: s.spent, Budget: s.facts.Budget, Check: s.nth, Checks: s.of,
	}
	w.Step, w.Detail = s.step(now)
	if s.newest != nil {
		w.Agent = agentName(s.newest.spec)
		if w.Step != StepSetup {
			w.Attempt = s.newest.spec.Attempt
		}
	}
	return w
}

// round is the round that the plan is in; 0 before its first.
func (s seen) round() int {
	if s.rec == nil {
		return 0
	}
	return s.rec.Round
}

// agentName is an agent with its model.
func agentName(s runners.Spec) string {
	if s.Model != "" {
		return s.Agent.Name + ":" + s.Model
	}
	return s.Agent.Name
}

func (s seen) title() string {
	if s.entry.Plan == nil {
		return string(s.entry.Key)
	}
	return s.entry.Plan.Title
}

// asking is what a person is wanted for; false where it is not their turn. name is how the plan is named in commands.
func (s seen) asking(name string) (Asking, bool) {
	a := Asking{Key: s.entry.Key, Title: s.title(), Status: s.facts.Status}
	switch {
	case s.facts.Problem != "":
		a.Why, a.Commands = s.facts.Problem, []string{"tendril edit " + name}
	case s.action.Kind == Refuse:
		a.Why, a.Commands = "refused: "+s.action.Why, []string{"tendril show " + name}
	case s.facts.Status == plans.InReview:
		a.Why, a.Commands = string(plans.InReview), []string{"tendril diff " + name, "tendril accept " + name}
		if s.rec != nil && strings.HasPrefix(s.rec.Detail, unverifiedWord) {
			a.Why, a.Commands[1] = a.Why+", "+unverifiedWord, "tendril accept --unverified "+name
		}
	case s.facts.Status == plans.Failed:
		a.Why, a.Commands = string(plans.Failed), []string{"tendril show " + name, "tendril approve " + name}
		if s.rec != nil {
			a.Why += prefixed(": ", string(s.rec.Reason))
		}
	case s.trouble != "" && (s.stuck || !s.underWay()):
		a.Why, a.Commands = s.trouble, []string{"tendril show " + name}
	default:
		return Asking{}, false
	}
	return a, true
}

// compose puts the scene together: each plan is shown once.
func compose(all []seen, only map[plans.Key]bool, untrusted string, now time.Time) Scene {
	scene := Scene{At: now, Shared: sharedNumbers(all)}
	if untrusted != "" {
		scene.Notes = append(scene.Notes, "nothing new starts: it waits for "+untrusted)
	}
	for _, s := range inAdmission(all) {
		key := s.entry.Key
		if only != nil && !only[key] {
			continue
		}
		if s.underWay() {
			scene.Working = append(scene.Working, s.working(now))
			continue
		}
		if a, ok := s.asking(scene.Name(key)); ok {
			scene.Asking = append(scene.Asking, a)
			continue
		}
		switch {
		case s.action.Kind == Hold && s.facts.Wait != nil && s.facts.Wait.For == untrusted:
			scene.Waiting = append(scene.Waiting, Waiting{Key: key, Title: s.title(), For: "trust"})
		case s.action.Kind == Hold:
			scene.Waiting = append(scene.Waiting, Waiting{Key: key, Title: s.title(), For: s.action.Why})
		case s.facts.Elsewhere != "" && atWork(s.facts.Status):
			scene.Waiting = append(scene.Waiting, Waiting{Key: key, Title: s.title(), For: "runner " + s.facts.Elsewhere + ", which works on it"})
		case s.facts.Status == plans.Draft:
			scene.Drafts++
		}
	}
	return scene
}

// inAdmission sorts as Admit does: priority, then number, then key.
func inAdmission(all []seen) []seen {
	priority := func(s seen) int {
		if s.entry.Plan == nil {
			return 0
		}
		return s.entry.Plan.Priority
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b seen) int {
		return cmp.Or(cmp.Compare(priority(b), priority(a)), cmp.Compare(a.entry.Key.Number(), b.entry.Key.Number()),
			cmp.Compare(a.entry.Key, b.entry.Key))
	})
	return sorted
}

// sharedNumbers are the numbers that more than one plan carries.
func sharedNumbers(all []seen) []int {
	count := map[int]int{}
	for _, s := range all {
		count[s.entry.Key.Number()]++
	}
	var shared []int
	for n, times := range count {
		if times > 1 {
			shared = append(shared, n)
		}
	}
	slices.Sort(shared)
	return shared
}

func nameOf(key plans.Key, shared []int) string {
	if number, _, ok := strings.Cut(string(key), "-"); ok && !slices.Contains(shared, key.Number()) {
		return number
	}
	return string(key)
}

// spentOn adds up what runs used. A figure is nil where no run told it.
func spentOn(used []runners.Usage) Spent {
	s := Spent{Free: len(used) > 0}
	for _, u := range used {
		s.Free = s.Free && u.Source == runners.CostNone
		if n := tokensOf(u); n != nil {
			sum := *n
			if s.Tokens != nil {
				sum += *s.Tokens
			}
			s.Tokens = &sum
		} else if u.Source != runners.CostNone {
			s.MoreTokens = true
		}
		if u.USD == nil {
			s.MoreUSD = true
			continue
		}
		usd := *u.USD
		if s.USD != nil {
			usd += *s.USD
		}
		s.USD = &usd
	}
	return s
}

// tokensOf is what a run read and wrote, caches included; nil where one of the two is not known.
func tokensOf(u runners.Usage) *int64 {
	if u.Input == nil || u.Output == nil {
		return nil
	}
	sum := *u.Input + *u.Output
	for _, more := range []*int64{u.CacheRead, u.CacheWrite, u.Reasoning} {
		if more != nil {
			sum += *more
		}
	}
	return &sum
}

// dir is the worktree that the plan's newest run works in; empty without a run.
func (s seen) dir() string {
	if s.newest == nil {
		return ""
	}
	return s.newest.spec.Dir
}

// saidWords is an agent's event in one line. Files below dir are named as they are in the repository: the end of a path is
// what tells them apart, and what a narrow screen cuts off.
func saidWords(e *runners.Event, dir string) string {
	if e == nil {
		return ""
	}
	words := eventWords(*e)
	if e.Type == runners.EventTool && dir != "" {
		words = strings.ReplaceAll(words, dir+string(filepath.Separator), "")
	}
	return strings.Join(strings.Fields(clipWords(words)), " ")
}

// clipWords bounds what goes into a line of a screen.
func clipWords(s string) string {
	const most = 600
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s…", strings.ToValidUTF8(s[:most], ""))
}
