package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"tendril/internal/config"
	"tendril/runners"
)

// Rehearsal is what a run comes to by an agent's file.
type Rehearsal struct {
	// Lines are its events as a person reads them, in their order.
	Lines []string `json:"lines"`
	// Session, Model and Text are the run's, empty where it names none; Outcome is its result, with the reason.
	Session string `json:"session,omitempty"`
	Model   string `json:"model,omitempty"`
	Text    string `json:"text,omitempty"`
	Outcome string `json:"outcome"`
	// Usage are its tokens and cost; Denied are the tools that it was refused.
	Usage  runners.Usage `json:"usage"`
	Denied []string      `json:"denied,omitempty"`
	// Missing says what the file gives no event for, and what it left out.
	Missing []string `json:"missing"`
}

// RehearseAgent reads a recorded run by an agent's file; no program is run.
func (p *Project) RehearseAgent(ctx context.Context, name, recording string) (Rehearsal, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return Rehearsal{}, err
	}
	cfg, files, err := config.LoadFiles(ctx, p.Repo, tip)
	if err != nil {
		return Rehearsal{}, err
	}
	prices, err := newPricer(cfg.Prices)
	if err != nil {
		return Rehearsal{}, err
	}
	agent, err := loadAgent(files, name)
	if err != nil {
		return Rehearsal{}, err
	}
	tried, err := runners.Rehearse(ctx, *agent, recording)
	if err != nil {
		return Rehearsal{}, err
	}
	// A recording does not say when it was made: it is priced as a run of today.
	tried.Outcome.Usage = prices.priced(name, p.Now(), tried.Outcome)
	return rehearsal(tried), nil
}

// rehearsal is what the runners made of a run, for people.
func rehearsal(tried runners.Rehearsal) Rehearsal {
	out := Rehearsal{
		Session: tried.Outcome.Session, Model: tried.Outcome.Model, Text: tried.Outcome.Text, Outcome: string(tried.Outcome.Result),
		Usage: tried.Outcome.Usage, Denied: tried.Outcome.Denied, Missing: tried.Missing, Lines: []string{},
	}
	switch e := tried.Outcome.Err; {
	case e == nil:
	case tried.Outcome.Result == runners.Stopped:
		out.Outcome = oneLine(e.Message)
	case e.Kind == runners.KindOther:
		out.Outcome += ": " + oneLine(e.Message)
	default:
		out.Outcome += ": " + oneLine(e.Error())
	}
	for _, e := range tried.Events {
		out.Lines = append(out.Lines, rehearsedWords(e))
	}
	return out
}

// rehearsedWords is an event for whoever writes an agent's file: its type first.
func rehearsedWords(e runners.Event) string {
	words := ""
	switch e.Type {
	case runners.EventSession:
		words = joinNonEmpty(" ", e.ID, e.Model)
	case runners.EventResult:
		words = joinNonEmpty(": ", map[bool]string{true: "ok", false: "not ok"}[e.OK], firstLine(e.Text))
	case runners.EventUsage:
		words = joinNonEmpty(" ", e.ID, e.Model, usageWords(e.Usage))
	default:
		words = firstLine(eventWords(e))
	}
	return joinNonEmpty(" ", string(e.Type), words)
}

// usageWords are the buckets that are known.
func usageWords(u runners.Usage) string {
	var words []string
	for _, b := range []struct {
		name string
		n    *int64
	}{{"input", u.Input}, {"cache_read", u.CacheRead}, {"cache_write", u.CacheWrite}, {"output", u.Output}, {"reasoning", u.Reasoning}} {
		if b.n != nil {
			words = append(words, fmt.Sprintf("%s=%d", b.name, *b.n))
		}
	}
	if u.USD != nil {
		words = append(words, fmt.Sprintf("usd=%g", *u.USD))
	}
	return strings.Join(words, " ")
}
