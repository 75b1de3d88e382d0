package lifecycle

import (
	"testing"

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
