package lifecycle

import (
	"testing"

	"tendril/plans"
	"tendril/runners"
)

// nextTalk are the rows about a person's words, and about plans that a person holds.
func nextTalk() []nextCase {
	alive, ended, taken := RunFact{ID: "r", Alive: true}, RunFact{ID: "r"}, RunFact{ID: "r", Collected: true}
	beside := RunFact{ID: "r", Collected: true, Beside: true}
	sat, satTaken := RunFact{ID: "r", Attached: true}, RunFact{ID: "r", Attached: true, Collected: true}
	held := "attach (process 1)"
	hold := Action{Kind: Hold, Why: held + ", which holds it"}
	return []nextCase{
		{"words wait for the run under way", Facts{Status: plans.Executing, Run: alive, Words: 1, Max: 3}, Action{Kind: Watch}},
		{"words wait until the run is collected", Facts{Status: plans.Executing, Run: ended, Words: 1, Max: 3}, Action{Kind: Collect}},
		{"words are the next turn", Facts{Status: plans.Executing, Run: taken, Words: 1, Spent: 1, Max: 3}, Action{Kind: Start}},
		{"words are a turn though no attempt is left", Facts{Status: plans.Executing, Run: taken, Words: 2, Spent: 3, Max: 3}, Action{Kind: Start}},
		{"words wait for a limit to pass", Facts{Status: plans.Executing, Run: taken, Words: 1, Max: 3, Wait: &Wait{For: "x"}}, Action{Kind: Hold, Why: "x"}},
		{"words do not help what is hopeless", Facts{Status: plans.Executing, Run: RunFact{ID: "r", Collected: true, Fatal: plans.Agent}, Words: 1, Max: 3}, Action{Kind: Fail, Reason: plans.Agent}},
		{"stop goes before words", Facts{Status: plans.Executing, Run: taken, Words: 1, Max: 3, StopAsked: true}, Action{Kind: Fail, Reason: plans.Stopped}},
		{"words that came to nothing, no attempt left", Facts{Status: plans.Executing, Run: beside, Spent: 3, Max: 3}, Action{Kind: Check}},
		{"words that came to nothing, attempts left", Facts{Status: plans.Executing, Run: beside, Spent: 1, Max: 3}, Action{Kind: Start}},
		{"words before the checks begin", Facts{Status: plans.Verifying, Run: taken, Words: 1, Max: 3}, Action{Kind: Retry}},
		{"words after checks that passed", Facts{Status: plans.Verifying, Run: taken, Words: 1, Verdict: VerdictPassed, Max: 3}, Action{Kind: Retry}},
		{"words after checks that failed", Facts{Status: plans.Verifying, Run: taken, Words: 1, Verdict: VerdictFailed, Spent: 3, Max: 3}, Action{Kind: Retry}},
		{"words with the first prompt", Facts{Status: plans.Approved, Words: 1}, Action{Kind: Claim}},
		{"words in review are nobody's turn", Facts{Status: plans.InReview, Words: 1}, Action{Kind: Rest}},
		{"held, approved", Facts{Status: plans.Approved, Held: held}, hold},
		{"held, executing", Facts{Status: plans.Executing, Run: taken, Held: held, Max: 3}, hold},
		{"held, its run at work", Facts{Status: plans.Executing, Run: alive, Held: held, Max: 3}, hold},
		{"held, its run to be collected", Facts{Status: plans.Executing, Run: ended, Held: held, Max: 3}, hold},
		{"held, verifying", Facts{Status: plans.Verifying, Held: held, Max: 3}, hold},
		{"held, mended by hand", Facts{Status: plans.InReview, Held: held, BranchMoved: true}, hold},
		{"held, accepted", Facts{Status: plans.Accepted, Held: held}, hold},
		{"held, merged", Facts{Status: plans.Merged, Held: held, Workspace: true}, hold},
		{"held, taken back", Facts{Status: plans.Draft, Held: held, Run: alive}, hold},
		{"a plan in error is refused, held or not", Facts{Problem: "bad", Held: held}, Action{Kind: Refuse, Why: "bad"}},
		{"an attached session is collected while executing", Facts{Status: plans.Executing, Run: sat, Max: 3}, Action{Kind: Collect}},
		{"and before anything is checked", Facts{Status: plans.Verifying, Run: sat, Verdict: VerdictPassed, Max: 3}, Action{Kind: Collect}},
		{"and in review, before the branch counts as moved", Facts{Status: plans.InReview, Run: sat, BranchMoved: true}, Action{Kind: Collect}},
		{"and of a failed plan", Facts{Status: plans.Failed, Run: sat}, Action{Kind: Collect}},
		{"then what it changed is checked", Facts{Status: plans.Failed, Run: satTaken, BranchMoved: true}, Action{Kind: Reverify}},
		{"an attached session that changed nothing is gone on from", Facts{Status: plans.Executing, Run: satTaken, Max: 3}, Action{Kind: Start}},
		{"a program left by an attach that died is ended", Facts{Status: plans.InReview, Run: RunFact{ID: "r", Alive: true, Attached: true}}, Action{Kind: Watch}},
	}
}

// wordRun is a run that took words.
func wordRun(said string, end *runners.Outcome) runInfo {
	r := runInfo{spec: runners.Spec{Run: "r", Beside: true}, outcome: end}
	if said != "" {
		r.spec.Said = []runners.Word{{ID: said}}
	}
	return r
}

// Words are taken by a run that ended by itself or is under way; one that was cut off leaves them to the next.
func TestWaitingWords(t *testing.T) {
	t.Parallel()
	words := []runners.Word{{ID: "a"}, {ID: "b"}}
	ok, failed, lost := &runners.Outcome{Result: runners.OK}, &runners.Outcome{Result: runners.Failed}, &runners.Outcome{Result: runners.Lost}
	ended := &runners.Outcome{Result: runners.Stopped, Stop: stopEngine}
	stopped := &runners.Outcome{Result: runners.Stopped, Stop: stopPerson}
	limit := &runners.Outcome{Result: runners.Failed, Err: &runners.AgentError{Kind: runners.KindLimit}}
	for _, c := range []struct {
		name string
		runs []runInfo
		want string
	}{
		{"no run", nil, "ab"},
		{"another's run", []runInfo{wordRun("", ok)}, "ab"},
		{"under way", []runInfo{wordRun("a", nil)}, "b"},
		{"ended", []runInfo{wordRun("a", ok), wordRun("b", failed)}, ""},
		{"stopped by a person", []runInfo{wordRun("a", stopped)}, "b"},
		{"its supervisor died", []runInfo{wordRun("a", lost)}, "ab"},
		{"ended with the engine", []runInfo{wordRun("a", ended)}, "ab"},
		{"met a limit", []runInfo{wordRun("a", limit)}, "ab"},
		{"taken again after that", []runInfo{wordRun("a", limit), wordRun("a", ok)}, "b"},
		{"lost too often", []runInfo{wordRun("a", lost), wordRun("a", lost), wordRun("a", lost), wordRun("a", lost)}, "b"},
	} {
		got := ""
		for _, w := range waitingWords(words, c.runs) {
			got += w.ID
		}
		if got != c.want {
			t.Errorf("%s: %q wait, want %q", c.name, got, c.want)
		}
	}
}

// A turn is beside the attempts where nothing but the words calls for it; what was cut off goes on as what it was. Such
// turns never count as attempts, lost ones neither.
func TestTurnsBesideTheAttempts(t *testing.T) {
	t.Parallel()
	attempt := func(o runners.Outcome) runInfo { return runInfo{outcome: &o} }
	turn := func(o runners.Outcome) runInfo { return runInfo{spec: runners.Spec{Beside: true}, outcome: &o} }
	sat := runInfo{spec: runners.Spec{Unit: runners.UnitAttach}, outcome: &runners.Outcome{Result: runners.OK}}
	ok, failed, lost := runners.Outcome{Result: runners.OK}, runners.Outcome{Result: runners.Failed}, runners.Outcome{Result: runners.Lost}
	for _, c := range []struct {
		name   string
		runs   []runInfo
		beside bool
		spent  int
		ended  bool
	}{
		{"the first prompt", nil, false, 0, false},
		{"after an attempt", []runInfo{attempt(ok)}, true, 1, true},
		{"after one that failed", []runInfo{attempt(failed)}, true, 1, false},
		{"an attempt that was cut off goes on", []runInfo{attempt(lost)}, false, 0, false},
		{"a turn that was cut off goes on", []runInfo{attempt(ok), turn(lost)}, true, 1, false},
		{"after a turn", []runInfo{attempt(ok), turn(failed), turn(ok)}, true, 1, true},
		{"an attached session is nothing of it", []runInfo{attempt(lost), sat}, false, 0, false},
		{"an attached session after an attempt", []runInfo{attempt(ok), sat}, true, 1, true},
		{"lost turns spend nothing", []runInfo{attempt(ok), turn(lost), turn(lost), turn(lost), turn(lost), turn(lost)}, true, 1, false},
	} {
		if got := besideAttempts(c.runs); got != c.beside {
			t.Errorf("%s: beside %v", c.name, got)
		}
		if got := endedWell(c.runs); got != (len(c.runs) > 0 && c.ended) {
			t.Errorf("%s: ended well %v", c.name, got)
		}
		if got := spentOf(c.runs); got != c.spent {
			t.Errorf("%s: %d spent, want %d", c.name, got, c.spent)
		}
	}
	var many []runInfo
	for range mostTurns {
		many = append(many, turn(ok))
	}
	if words := []runners.Word{{ID: "a"}}; len(wordsFor(words, many)) != 0 || len(wordsFor(words, many[1:])) != 1 {
		t.Error("the bound on turns does not hold")
	}
}

// Words are heard exactly where an agent will be at work.
func TestWhoHearsWords(t *testing.T) {
	t.Parallel()
	for _, s := range plans.Statuses() {
		refused := refuseWords("0001-x", s) != nil
		if dropped := unheard(s, ""); refused != dropped && s != plans.Failed {
			t.Errorf("%s: refused %v, dropped %v", s, refused, dropped)
		}
	}
	if !unheard(plans.Failed, plans.Stopped) || unheard(plans.Failed, plans.Agent) {
		t.Error("a stop drops words, another failure keeps them for the next approval")
	}
	if _, err := sayable(" \n"); err == nil {
		t.Error("nothing is said")
	}
}
