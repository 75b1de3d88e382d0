package gate

import (
	"fmt"
	"slices"
	"strings"

	"tendril/plans"
)

// step is one version of a plan.md with another status than before, made by one commit.
type step struct {
	commit commit
	// before is what the version before says, empty where there is none that can be read; to is what this one says.
	before, to plans.Status
	// given is true when the status is taken as it is: the commit only caught up with another line of history, or what
	// was before it is cut off.
	given bool
}

// track is where one plan stands while its history is folded.
type track struct {
	effective Effective
	// known is true once the plan appeared, there while the file exists.
	known, there bool
	// icedFrom is the status that the plan left for the icebox.
	icedFrom plans.Status
}

// current is the status that counts; before the first legal step a plan is a draft.
func (t track) current() plans.Status {
	if t.effective.Status == "" {
		return plans.Draft
	}
	return t.effective.Status
}

// apply takes one step, or notes it as ignored. at is the first-parent commit of the plans branch that brought it.
func (t track) apply(s step, at string, rules Rules) track {
	why := ""
	if !s.given {
		why = t.object(s, rules)
	}
	first := !t.known
	t.known = true
	if why != "" {
		t.effective.Invalid = append(slices.Clip(t.effective.Invalid), Invalid{
			Commit: s.commit.id, Author: s.commit.author.String(), From: t.current(), To: s.to, Why: why,
		})
		return t
	}
	if t.current() == s.to && !first {
		return t
	}
	if s.to == plans.Icebox {
		t.icedFrom = t.current()
	}
	t.effective.Status, t.effective.Commit = s.to, at
	return t
}

// object says why a step is not legal; empty when it is.
func (t track) object(s step, rules Rules) string {
	from := t.current()
	if from == s.to {
		return ""
	}
	author := s.commit.author.Email
	if rules.isAgent(author) {
		return "an agent may not move a plan"
	}
	if !rules.isTendril(author) {
		return t.objectPerson(from, s.to)
	}
	// What planning units and findings give back appears as a draft, or in the icebox.
	if !t.known && s.to == plans.Icebox {
		return ""
	}
	if _, ok := plans.Path(plans.Tendril, from, s.to); ok {
		return ""
	}
	if !rules.isTendril(s.commit.committer.Email) {
		return fmt.Sprintf("this is a commit of Tendril's that somebody amended, and Tendril may not go from %s to %s", from, s.to)
	}
	return fmt.Sprintf("Tendril may not go from %s to %s", from, s.to)
}

func (t track) objectPerson(from, to plans.Status) string {
	if !plans.CanMove(plans.Person, from, to) {
		return fmt.Sprintf("a person may not go from %s to %s, only to %s", from, to, list(plans.Moves(plans.Person, from)))
	}
	if from == plans.Icebox && to == plans.InReview && t.icedFrom != plans.InReview {
		return "only a plan that was in review goes back from the icebox to it"
	}
	return ""
}

// replay takes the steps of a side line as if they had been made here, one after the other.
func (t track) replay(steps []step, at string, rules Rules) track {
	for _, s := range steps {
		if !s.given {
			t = t.apply(s, at, rules)
		}
	}
	return t
}

// merge takes what a merge brought: the steps of the side line that its status comes from. They count as if made here.
// Where that does not lead to the merge's status because both lines moved, the side's result counts if the side line was
// legal in itself and the result can be reached by steps of both parties; never so for a status that is a gate.
func (t track) merge(steps []step, to plans.Status, at string, rules Rules) track {
	here := t.replay(steps, at, rules)
	if here.current() == to || to == plans.Approved || to == plans.Accepted {
		return here
	}
	side := track{}
	if len(steps) > 0 && steps[0].before != "" {
		side = side.apply(step{to: steps[0].before, given: true}, at, rules)
	}
	for _, s := range steps {
		side = side.apply(s, at, rules)
	}
	if len(side.effective.Invalid) > 0 || side.current() != to || !reachable(t.current(), to) {
		return here
	}
	t.known = true
	t.icedFrom = side.icedFrom
	t.effective.Status, t.effective.Commit = to, at
	return t
}

// reachable tells whether persons and Tendril together can move a plan from one status to the other.
func reachable(from, to plans.Status) bool {
	seen := map[plans.Status]bool{from: true}
	for queue := []plans.Status{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return true
		}
		for _, next := range append(plans.Moves(plans.Person, queue[0]), plans.Moves(plans.Tendril, queue[0])...) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

func list(all []plans.Status) string {
	if len(all) == 0 {
		return "nowhere"
	}
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
