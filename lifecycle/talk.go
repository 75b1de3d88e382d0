package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"tendril/plans"
	"tendril/runners"
)

// TalkType is what an utterance is.
type TalkType string

// The types of utterance, in the order in which a run has them.
const (
	// TalkRun begins a run: Agent, Model, Turn.
	TalkRun TalkType = "run"
	// TalkTold is what the agent was told of what failed before, mostly by the checks: Text.
	TalkTold TalkType = "told"
	// TalkSaid is what a person said to it: By, Text.
	TalkSaid TalkType = "said"
	// TalkText is what the agent said, TalkStderr what an agent without events wrote on its stderr: Text.
	TalkText   TalkType = "text"
	TalkStderr TalkType = "stderr"
	// TalkTool is a tool that it used: Name, Target. TalkTook says how long that took, where it took long: Seconds.
	TalkTool TalkType = "tool"
	TalkTook TalkType = "took"
	// TalkError is an error that it told: Name (the kind), Text.
	TalkError TalkType = "error"
	// TalkEnd ends a run: End.
	TalkEnd TalkType = "end"
	// TalkChecks is what the checks said of the plan's present head: Text, Checks.
	TalkChecks TalkType = "checks"
	// TalkRest says why a conversation that was followed is over: Text.
	TalkRest TalkType = "rest"
)

// Utterance is one thing that was said or done in the runs of a plan. What does not apply is empty.
type Utterance struct {
	Type TalkType `json:"type"`
	// Run is the run's id; Round and Attempt count from 1.
	Run     string `json:"run,omitempty"`
	Round   int    `json:"round,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	// At is when it was, as far as that is known.
	At     *time.Time  `json:"at,omitempty"`
	Agent  string      `json:"agent,omitempty"`
	Model  string      `json:"model,omitempty"`
	Turn   string      `json:"turn,omitempty"`
	By     string      `json:"by,omitempty"`
	Name   string      `json:"name,omitempty"`
	Target string      `json:"target,omitempty"`
	Text   string      `json:"text,omitempty"`
	Took   *float64    `json:"seconds,omitempty"`
	End    *TalkEnding `json:"end,omitempty"`
	Checks []TalkCheck `json:"checks,omitempty"`
}

// TalkEnding is how a run ended. Nil is unknown.
type TalkEnding struct {
	Outcome string   `json:"outcome"`
	Why     string   `json:"why,omitempty"`
	Seconds *float64 `json:"seconds"`
	Tokens  *int64   `json:"tokens"`
	USD     *float64 `json:"usd"`
}

// TalkCheck is what one check said.
type TalkCheck struct {
	Name    string  `json:"name"`
	Result  string  `json:"result"`
	Seconds float64 `json:"seconds"`
}

// TalkOptions say what of a conversation is wanted.
type TalkOptions struct {
	// Attempt is "2" (of the newest round that has one) or "1.2" (round and attempt); empty is all of them.
	Attempt string
	// Follow goes on until the plan rests, or until the chosen attempt ends.
	Follow bool
}

// followPause is how long a conversation that is followed rests between two looks at what was written; every restLooks looks
// it is asked whether the plan rests.
const (
	followPause = 250 * time.Millisecond
	restLooks   = 4
)

// Talk tells what was said and done in the runs of a plan, oldest first. An error of each ends it.
func (p *Project) Talk(ctx context.Context, name string, opt TalkOptions, each func(Utterance) error) error {
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return err
	}
	t := &talker{p: p, each: each, prices: snap.prices, runs: map[string]*runTalk{}}
	chosen, err := chooseRuns(snap.runs[one.entry.Key], opt.Attempt)
	if err != nil {
		return err
	}
	engine, err := p.EngineRuns()
	if err != nil {
		return err
	}
	if len(chosen) == 0 && (!opt.Follow || restsNow(one, engine) != "") {
		return noRun(one)
	}
	for look := 0; ; look++ {
		open, err := t.tell(ctx, chosen)
		if err != nil {
			return err
		}
		if !opt.Follow {
			return t.checks(ctx, snap, one, chosen)
		}
		if !open && opt.Attempt != "" {
			return nil
		}
		if !open && look%restLooks == 0 {
			engine, err := p.EngineRuns()
			if err != nil {
				return err
			}
			if why := restsNow(one, engine); why != "" {
				if err := t.checks(ctx, snap, one, chosen); err != nil {
					return err
				}
				return each(Utterance{Type: TalkRest, Text: why})
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followPause):
		}
		if look%restLooks != 0 {
			continue
		}
		if snap, one, err = p.find(ctx, string(one.entry.Key)); err != nil {
			return err
		}
		if chosen, err = chooseRuns(snap.runs[one.entry.Key], opt.Attempt); err != nil {
			return err
		}
	}
}

// restsNow says why nothing more will be said for now; empty while something will.
func restsNow(one decided, engine bool) string {
	status := one.facts.Status
	switch {
	case one.facts.Elsewhere != "":
		return "another clone works on it: " + one.facts.Elsewhere
	case status != plans.Approved && status != plans.ChangesRequested && !atWork(status):
		return "it is " + string(status)
	case !engine && !one.facts.Run.Alive:
		return "it is " + string(status) + ", and no engine runs: tendril run goes on with it"
	}
	return ""
}

// noRun says that nothing was said yet.
func noRun(one decided) error {
	hint := startHint(one)
	if hint == "" {
		hint = "\n  runs stay in the clone that they were made in; tendril show " + string(one.entry.Key) + " says what they came to"
	}
	return fmt.Errorf("%s has no run in this clone: it is %s%s", one.entry.Key, one.facts.Status, hint)
}

// chooseRuns picks the runs of one attempt, or all; one that is not there is an error.
func chooseRuns(runs []runInfo, attempt string) ([]runInfo, error) {
	if attempt == "" {
		return runs, nil
	}
	left, right, both := strings.Cut(attempt, ".")
	round, n := 0, 0
	var roundErr, numberErr error
	if both {
		round, roundErr = strconv.Atoi(left)
		n, numberErr = strconv.Atoi(right)
	} else {
		n, numberErr = strconv.Atoi(left)
		for _, r := range runs {
			if r.spec.Attempt == n {
				round = max(round, r.spec.Round)
			}
		}
	}
	if roundErr != nil || numberErr != nil || n < 1 {
		return nil, fmt.Errorf("%q is no attempt\n  a number such as 2, or round and number: 1.2", attempt)
	}
	chosen := slices.DeleteFunc(slices.Clone(runs), func(r runInfo) bool { return r.spec.Round != round || r.spec.Attempt != n })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("there is no attempt %s here\n  without --attempt all are shown", attempt)
	}
	return chosen, nil
}

// talker tells runs to whoever listens, each thing once.
type talker struct {
	p      *Project
	each   func(Utterance) error
	prices pricer
	runs   map[string]*runTalk
}

// tell tells what is new of the runs, and says whether one of them is still open. What comes after an open one waits for it.
func (t *talker) tell(ctx context.Context, runs []runInfo) (open bool, err error) {
	for _, r := range runs {
		id := r.spec.Run
		if t.runs[id] == nil {
			transcript, err := t.p.runs().Transcript(id)
			if err != nil {
				return false, err
			}
			t.runs[id] = &runTalk{talker: t, spec: r.spec, transcript: transcript}
		}
		talk := t.runs[id]
		if talk.over {
			continue
		}
		if err := talk.tell(ctx, r.state.Started); err != nil {
			return false, err
		}
		if !talk.over {
			return true, nil
		}
	}
	return false, nil
}

// checks tells what the checks said of the head that is there, where that is the work of the newest run told.
func (t *talker) checks(ctx context.Context, snap *snapshot, one decided, runs []runInfo) error {
	rec := one.entry.Record
	if rec == nil || rec.Head == "" || atWork(one.facts.Status) || len(runs) == 0 {
		return nil
	}
	all := snap.runs[one.entry.Key]
	if runs[len(runs)-1].spec.Run != all[len(all)-1].spec.Run {
		return nil
	}
	file := path.Join(snap.cfg.Plans, string(one.entry.Key), plans.VerificationFile)
	data, err := t.p.fileAt(ctx, snap.tip, file)
	if err != nil || data == nil {
		return err
	}
	v, err := plans.ParseVerification(file, data)
	if err != nil {
		return err
	}
	if v.Commit != rec.Head {
		return nil
	}
	u := Utterance{Type: TalkChecks, Text: string(v.Result)}
	for _, c := range v.Checks {
		u.Checks = append(u.Checks, TalkCheck{Name: c.Name, Result: c.Result, Seconds: c.Seconds})
	}
	return t.each(u)
}

// outcomeOf is what came of a run, and whether it has ended. One whose supervisor died has no outcome until an engine looks.
func (t *talker) outcomeOf(id string) (*runners.Outcome, bool, error) {
	state, err := t.p.runs().State(id)
	if err != nil {
		return nil, false, err
	}
	if state.Lost {
		return nil, true, nil
	}
	if !state.Finished {
		return nil, false, nil
	}
	out, ended, err := t.p.runs().Outcome(id)
	if err != nil || !ended {
		return nil, false, errors.Join(err)
	}
	return &out, true, nil
}
