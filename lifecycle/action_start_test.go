package lifecycle

import (
	"testing"

	"tendril/plans"
	"tendril/runners"
)

func TestWhichSessionIsGoneOnWith(t *testing.T) {
	t.Parallel()
	can := runners.Agent{Resume: []string{"agent", "{{.Session}}"}}
	ended := func(session string, err *runners.AgentError) *runInfo {
		return &runInfo{outcome: &runners.Outcome{Session: session, Err: err}}
	}
	for name, c := range map[string]struct {
		before *runInfo
		agent  runners.Agent
		want   bool
	}{
		"no run":           {nil, can, false},
		"a run at work":    {&runInfo{}, can, false},
		"no session":       {ended("", nil), can, false},
		"it cannot":        {ended("s", nil), runners.Agent{}, false},
		"it can":           {ended("s", nil), can, true},
		"after a limit":    {ended("s", &runners.AgentError{Kind: runners.KindLimit}), can, true},
		"after a failure":  {ended("s", &runners.AgentError{Kind: runners.KindOther}), can, true},
		"a session's full": {ended("s", &runners.AgentError{Kind: runners.KindContext}), can, false},
	} {
		if got := goesOn(c.before, c.agent); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The next prompt must not tell of a run that was cut off where none was.
func TestWhichRunWasCutOff(t *testing.T) {
	t.Parallel()
	done := &runners.Outcome{Result: runners.OK}
	ran := func(unit string, o *runners.Outcome) *runInfo {
		return &runInfo{spec: runners.Spec{Unit: unit, Round: 1}, outcome: o}
	}
	limit := &runners.Outcome{Err: &runners.AgentError{Kind: runners.KindLimit}}
	for name, c := range map[string]struct {
		before   *runInfo
		round    int
		feedback string
		want     bool
	}{
		"no run":                      {nil, 1, "", false},
		"it came to its end":          {ran("ExecutePlan", done), 1, "", false},
		"a limit":                     {ran("ExecutePlan", limit), 1, "", true},
		"a limit, in the last round":  {ran("ExecutePlan", limit), 2, "", true},
		"a person at its program":     {ran(runners.UnitAttach, done), 1, "", true},
		"a person, and checks failed": {ran(runners.UnitAttach, done), 1, "test failed", false},
		"a person, in the last round": {ran(runners.UnitAttach, done), 2, "", false},
	} {
		if got := cutOff(c.before, c.round, []byte(c.feedback)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMovedWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from  plans.Status
		steps []plans.Status
		end   plans.Status
		want  string
	}{
		"files alone":           {plans.Executing, nil, plans.Executing, ""},
		"started":               {plans.Approved, []plans.Status{plans.Executing}, plans.Executing, "is executing now"},
		"checks failed between": {plans.Executing, []plans.Status{plans.Verifying, plans.Executing}, plans.Executing, ""},
		"for review":            {plans.Executing, []plans.Status{plans.Verifying, plans.InReview}, plans.InReview, "is in-review now: tendril diff 0001-a, then tendril accept 0001-a"},
	} {
		if got := movedWords(Change{Key: "0001-a", From: c.from, Steps: c.steps}, c.end); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestOutcomeWords(t *testing.T) {
	t.Parallel()
	failed := func(kind runners.ErrorKind, message string) *runners.AgentError {
		return &runners.AgentError{Kind: kind, Message: message}
	}
	for want, o := range map[string]runners.Outcome{
		"ok after 1.2s":                         {Result: runners.OK, Seconds: 1.23},
		"lost: its supervisor died":             {Result: runners.Lost, Err: failed(runners.KindOther, "its supervisor died")},
		"lost after 3s: its supervisor died":    {Result: runners.Lost, Seconds: 3, Err: failed(runners.KindOther, "its supervisor died")},
		"failed after 0s: login: not logged in": {Result: runners.Failed, Err: failed(runners.KindLogin, "not logged in")},
		"failed after 2s: exit code 1":          {Result: runners.Failed, Seconds: 2, Err: failed(runners.KindOther, "exit code 1")},
		"stopped by a person after 1m0s":        {Result: runners.Stopped, Stop: "stopped by a person", Seconds: 60, Err: failed(runners.KindOther, "x")},
	} {
		if got := outcomeWords(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
