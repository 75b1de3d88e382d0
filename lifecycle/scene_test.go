package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tendril/plans"
	"tendril/runners"
)

var sceneNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// watchedPlan is a plan as a keeper has gathered it.
func watchedPlan(key plans.Key, status plans.Status, change func(*seen)) seen {
	s := seen{decided: decided{
		entry: &plans.Entry{Key: key, Plan: &plans.Plan{Key: key, Title: "Title of " + string(key)}},
		facts: Facts{Status: status, Written: status, Max: 3},
	}}
	if change != nil {
		change(&s)
	}
	s.action = Next(s.facts)
	return s
}

func TestSaidWordsNameFilesOfTheRepository(t *testing.T) {
	t.Parallel()
	const dir = "/home/me/repo.worktrees/0001-a"
	for name, c := range map[string]struct {
		event *runners.Event
		want  string
	}{
		"nothing":   {nil, ""},
		"a file":    {&runners.Event{Type: runners.EventTool, Name: "Write", Target: dir + "/src/a b.go"}, "→ Write src/a b.go"},
		"a command": {&runners.Event{Type: runners.EventTool, Name: "Bash", Target: "cat " + dir + "/a " + dir + "/b"}, "→ Bash cat a b"},
		"elsewhere": {&runners.Event{Type: runners.EventTool, Name: "Read", Target: dir + "-b/a"}, "→ Read " + dir + "-b/a"},
		"words":     {&runners.Event{Type: runners.EventText, Text: "I wrote\n" + dir + "/a"}, "I wrote " + dir + "/a"},
	} {
		if got := saidWords(c.event, dir); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestSceneSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status plans.Status
		change func(*seen)
		step   Step
		detail string
		idle   bool
	}{
		"approved":              {status: plans.Approved, step: StepSetup, idle: true},
		"claimed":               {status: plans.Approved, change: func(s *seen) { s.job = Claim }, step: StepSetup},
		"set up":                {status: plans.Executing, change: func(s *seen) { s.job = Start }, step: StepSetup},
		"agent":                 {status: plans.Executing, change: func(s *seen) { s.facts.Run = RunFact{ID: "r", Alive: true} }, step: StepAgent},
		"agent that is stopped": {status: plans.Executing, change: func(s *seen) { s.facts.Run.Alive, s.facts.StopAsked = true, true }, step: StepEnding},
		"collected":             {status: plans.Executing, change: func(s *seen) { s.job = Collect }, step: StepTaking},
		"checks":                {status: plans.Verifying, change: func(s *seen) { s.job, s.check = Verify, "lint" }, step: StepChecks, detail: "lint"},
		"parked":                {status: plans.Executing, change: func(s *seen) { s.facts.Wait = &Wait{For: "the limit of claude"} }, step: StepParked, detail: "the limit of claude"},
		"held by a person": {
			status: plans.Executing, step: StepParked, detail: "tendril attach, which holds it",
			change: func(s *seen) { s.facts.Held, s.facts.Run.Alive = "tendril attach", true },
		},
		"at work in another clone": {status: plans.Executing, change: func(s *seen) { s.facts.Elsewhere = "host" }, step: StepSetup, idle: true},
		"trouble": {
			status: plans.Executing, step: StepTrouble, detail: "disk full",
			change: func(s *seen) { s.retryAt, s.trouble = sceneNow.Add(time.Second), "disk full" },
		},
		"accepted":               {status: plans.Accepted, idle: true, step: StepSetup},
		"delivered":              {status: plans.Accepted, change: func(s *seen) { s.job = Deliver }, step: StepDeliver},
		"checked on its way":     {status: plans.Accepted, change: func(s *seen) { s.job, s.nth, s.check = Deliver, 1, "test" }, step: StepChecks, detail: "test"},
		"stuck":                  {status: plans.Verifying, change: func(s *seen) { s.stuck, s.trouble = true, "x" }, idle: true, step: StepChecks},
		"ended, not yet written": {status: plans.InReview, change: func(s *seen) { s.facts.Written = plans.Executing }, step: StepTaking},
		"cleared away":           {status: plans.Merged, change: func(s *seen) { s.job = Retire }, idle: true, step: StepTaking},
		"rejected at work":       {status: plans.Rejected, change: func(s *seen) { s.facts.Run.Alive = true }, step: StepAgent},
		"broken, still going":    {status: plans.Executing, change: func(s *seen) { s.facts.Problem, s.facts.Run.Alive = "bad", true }, step: StepAgent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := watchedPlan("0007-a", c.status, c.change)
			step, detail := s.step(sceneNow)
			if step != c.step || detail != c.detail || s.underWay() == c.idle {
				t.Errorf("got %s, %q, under way %t", step, detail, s.underWay())
			}
		})
	}
}

func TestSceneShowsEachPlanOnce(t *testing.T) {
	t.Parallel()
	all := []seen{
		watchedPlan("0001-draft", plans.Draft, nil),
		watchedPlan("0002-review", plans.InReview, nil),
		watchedPlan("0003-twice", plans.Failed, func(s *seen) { s.rec = &plans.Record{Reason: plans.Checks} }),
		watchedPlan("0003-same", plans.Approved, func(s *seen) { s.facts.Wait = &Wait{For: "a free place"} }),
		watchedPlan("0004-now", plans.Executing, func(s *seen) { s.facts.Run.Alive, s.since = true, sceneNow }),
		watchedPlan("0005-urgent", plans.Executing, func(s *seen) { s.job, s.entry.Plan.Priority, s.agent = Start, 5, "script" }),
		watchedPlan("0006-refused", plans.Approved, func(s *seen) { s.facts.Refusal = "who are you" }),
		watchedPlan("0007-broken", plans.Draft, func(s *seen) { s.facts.Problem, s.entry.Plan = "line 3: no title", nil }),
		watchedPlan("0008-in-the-way", plans.Accepted, func(s *seen) { s.stuck, s.trouble = true, "a.txt is in the way" }),
		watchedPlan("0009-merged", plans.Merged, nil),
		watchedPlan("0011-there", plans.Executing, func(s *seen) { s.facts.Elsewhere = "other" }),
		watchedPlan("0010-trust", plans.Approved, func(s *seen) { s.facts.Wait = &Wait{For: "your word"} }),
	}
	got := compose(all, nil, "your word", sceneNow)
	title := func(k plans.Key) string { return "Title of " + string(k) }
	want := Scene{
		At: sceneNow, Notes: []string{"nothing new starts: it waits for your word"}, Drafts: 1, Shared: []int{3},
		Working: []Working{
			{Key: "0005-urgent", Title: title("0005-urgent"), Step: StepSetup, Attempt: 1, Max: 3, Agent: "script"},
			{Key: "0004-now", Title: title("0004-now"), Step: StepAgent, Since: sceneNow, Attempt: 1, Max: 3},
		},
		Waiting: []Waiting{
			{Key: "0003-same", Title: title("0003-same"), For: "a free place"},
			{Key: "0010-trust", Title: title("0010-trust"), For: "trust"},
			{Key: "0011-there", Title: title("0011-there"), For: "runner other, which works on it"},
		},
		Asking: []Asking{
			{Key: "0002-review", Title: title("0002-review"), Status: plans.InReview, Why: "in-review", Commands: []string{"tendril diff 0002", "tendril accept 0002"}},
			{Key: "0003-twice", Title: title("0003-twice"), Status: plans.Failed, Why: "failed: checks", Commands: []string{"tendril show 0003-twice", "tendril approve 0003-twice"}},
			{Key: "0006-refused", Title: title("0006-refused"), Status: plans.Approved, Why: "refused: who are you", Commands: []string{"tendril show 0006"}},
			{Key: "0007-broken", Title: "0007-broken", Status: plans.Draft, Why: "line 3: no title", Commands: []string{"tendril edit 0007"}},
			{Key: "0008-in-the-way", Title: title("0008-in-the-way"), Status: plans.Accepted, Why: "a.txt is in the way", Commands: []string{"tendril show 0008"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if only := compose(all, map[plans.Key]bool{"0004-now": true}, "", sceneNow); len(only.Working) != 1 || len(only.Asking)+len(only.Waiting)+only.Drafts != 0 {
		t.Errorf("only one: %+v", only)
	}
}

func TestSpentNeverTakesUnknownForNothing(t *testing.T) {
	t.Parallel()
	n := func(i int64) *int64 { return &i }
	usd := func(f float64) *float64 { return &f }
	known := runners.Usage{Input: n(10), CacheRead: n(100), Output: n(5), USD: usd(0.5), Source: runners.CostAgent}
	free := runners.Usage{USD: usd(0), Source: runners.CostNone}
	for name, c := range map[string]struct {
		used []runners.Usage
		want Spent
	}{
		"no run":               {nil, Spent{}},
		"not told":             {[]runners.Usage{{}}, Spent{MoreTokens: true, MoreUSD: true}},
		"told":                 {[]runners.Usage{known}, Spent{Tokens: n(115), USD: usd(0.5)}},
		"told twice":           {[]runners.Usage{known, known}, Spent{Tokens: n(230), USD: usd(1)}},
		"one did not tell":     {[]runners.Usage{known, {}}, Spent{Tokens: n(115), USD: usd(0.5), MoreTokens: true, MoreUSD: true}},
		"tokens without price": {[]runners.Usage{{Input: n(1), Output: n(2)}}, Spent{Tokens: n(3), MoreUSD: true}},
		"output alone":         {[]runners.Usage{{Output: n(2)}}, Spent{MoreTokens: true, MoreUSD: true}},
		"a script":             {[]runners.Usage{free, free}, Spent{USD: usd(0), Free: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, spentOn(c.used)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
