package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"tendril/plans"
	"tendril/runners"
)

// waitingWords are the words that no run has taken for good. A run that ended by itself has, and one that is under way; one
// that was cut off or only met a limit has not: the run after it takes them again, as it takes up the work.
func waitingWords(words []runners.Word, runs []runInfo) []runners.Word {
	var waiting []runners.Word
	for _, w := range words {
		if !takenWord(w.ID, runs) {
			waiting = append(waiting, w)
		}
	}
	return waiting
}

func takenWord(id string, runs []runInfo) bool {
	lost := 0
	for _, r := range runs {
		if !slices.ContainsFunc(r.spec.Said, func(w runners.Word) bool { return w.ID == id }) {
			continue
		}
		switch {
		case r.outcome == nil, r.ended():
			return true
		case r.outcome.Result == runners.Lost:
			lost++
		}
	}
	// What loses every run would be started for ever otherwise.
	return lost > forgivenLosses
}

// turnsOf counts the turns beside the attempts that ended by themselves.
func turnsOf(runs []runInfo) int {
	n := 0
	for _, r := range runs {
		if r.spec.Beside && r.ended() {
			n++
		}
	}
	return n
}

// besideAttempts says whether a turn that takes words now is one beside the attempts: the newest run ended by itself, so
// that nothing but the words calls for another. A run that was cut off is gone on with as what it was.
func besideAttempts(runs []runInfo) bool {
	for _, r := range slices.Backward(runs) {
		switch {
		case r.spec.Attached():
		case r.outcome == nil:
			return false
		case r.ended():
			return true
		default:
			return r.spec.Beside
		}
	}
	return false
}

// endedWell says whether the agent itself, attached sessions left out, was done when it ended last.
func endedWell(runs []runInfo) bool {
	for _, r := range slices.Backward(runs) {
		if !r.spec.Attached() {
			return r.outcome != nil && r.outcome.Result == runners.OK
		}
	}
	return false
}

// wordsFor are the words that the next run takes; none where the round had its turns.
func wordsFor(waiting []runners.Word, runs []runInfo) []runners.Word {
	if turnsOf(runs) >= mostTurns {
		return nil
	}
	return waiting
}

// turnKind names a run that is no attempt of its own, as the record has it; empty for an attempt.
func turnKind(s runners.Spec) string {
	switch {
	case s.Attached():
		return plans.TurnAttach
	case s.Beside:
		return plans.TurnSay
	default:
		return ""
	}
}

// wordLine is a word in one line, for events.
func wordLine(words []runners.Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		line := oneLine(w.Text)
		if r := []rune(line); len(r) > 80 {
			line = string(r[:79]) + "…"
		}
		parts[i] = fmt.Sprintf("%q", line)
	}
	return strings.Join(parts, ", ")
}

// unheard says whether a plan that stands there drops the words that wait: nobody works on it, or nothing will without a
// new word of a person's.
func unheard(status plans.Status, reason plans.Reason) bool {
	switch status {
	case plans.Approved, plans.ChangesRequested, plans.Executing, plans.Verifying:
		return false
	case plans.Failed:
		return reason == plans.Stopped
	default:
		return true
	}
}

// tidyWords takes away the words that a run has taken for good, and drops those of plans that hear nothing any more: that is
// told, with the words.
func (e *Engine) tidyWords(snap *snapshot, all []decided) {
	for _, one := range all {
		key := one.entry.Key
		words := snap.said[key]
		if len(words) == 0 || one.facts.Problem != "" {
			continue
		}
		gone := slices.Clone(words)
		waiting := waitingWords(words, snap.runs[key])
		reason := plans.Reason("")
		if one.entry.Record != nil {
			reason = one.entry.Record.Reason
		}
		// What is not written yet may still be taken back by whoever moves the plan.
		drop := one.facts.Written == one.facts.Status && unheard(one.facts.Status, reason)
		if !drop {
			gone = slices.DeleteFunc(gone, func(w runners.Word) bool {
				return slices.ContainsFunc(waiting, func(o runners.Word) bool { return o.ID == w.ID }) || underWay(w.ID, snap.runs[key])
			})
		}
		if err := e.p.removeWords(key, gone); err != nil {
			e.tell(key, EventProblem, "%s", err)
			continue
		}
		if drop && len(waiting) > 0 {
			e.tell(key, EventProblem, "the plan is %s: words that its agent did not get are dropped: %s", one.facts.Status, wordLine(waiting))
		}
	}
}

// underWay says whether a run that has not ended took the words: should it be cut off, the next one takes them again.
func underWay(id string, runs []runInfo) bool {
	return slices.ContainsFunc(runs, func(r runInfo) bool {
		return r.outcome == nil && slices.ContainsFunc(r.spec.Said, func(w runners.Word) bool { return w.ID == id })
	})
}

// dropWords drops the words of a plan that a person took out of the work, and says how many nobody heard.
func (p *Project) dropWords(key plans.Key) (int, error) {
	all, _, err := p.saidWords()
	if err != nil || len(all[key]) == 0 {
		return 0, err
	}
	runs, _, err := newRunBook(p.runs()).byPlan()
	if err != nil {
		return 0, err
	}
	waiting := waitingWords(all[key], runs[key])
	return len(waiting), p.removeWords(key, waiting)
}
