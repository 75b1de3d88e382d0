package runners

import "time"

// compose makes the outcome of what is known at a run's end; times and leftovers are the caller's.
func compose(spec Spec, end ending, r *reading, d onDesk) Outcome {
	out := Outcome{
		Run: spec.Run, Key: spec.Key, Unit: spec.Unit,
		Exit: end.exit, Signal: end.signal,
		Model: r.model, Text: r.lastWords(), Summary: d.summary,
		Memory: d.memory, Findings: d.findings, ScopeRequest: d.scopeRequest, Denied: r.denied,
	}
	out.Result, out.Err = judge(spec.Agent, end, r)
	if out.Result == Stopped {
		out.Stop = end.why
	}
	out.Usage, out.SessionUsage = r.usage.spent(spec.Session != "", spec.SessionUsage)
	out.Session = sessionAfter(spec, r, out.Result)
	if out.Model == "" {
		out.Model = spec.Model
	}
	if out.Usage.USD == nil {
		out.Parts = kept(r.usage.parts(spec.Session != "", spec.SessionUsage, out.Model), out.Model)
	}
	if out.Summary == "" {
		out.Summary = clip(out.Text, maxSummary)
	}
	return out
}

// sessionAfter is the session with which the work may go on; empty where there is none to be sure of.
func sessionAfter(spec Spec, r *reading, result Result) string {
	switch {
	case r.session != "":
		return r.session
	case spec.Session == "":
		// An agent that takes the id from us may never say it again; one that said nothing at all has no session.
		if uses, err := fieldsOf(spec.Agent.Command); err == nil && uses["NewSession"] && r.spoke {
			return sessionOf(spec.Run)
		}
		return ""
	case result == Failed:
		// It was to go on with a session and never named it: most likely it does not know it any more.
		return ""
	default:
		return spec.Session
	}
}

// neverRan is the outcome of a run whose agent was never started: nothing was used, and that is known.
func neverRan(spec Spec, at time.Time, result Result, why string) Outcome {
	zero, none := 0.0, int64(0)
	out := Outcome{
		Run: spec.Run, Key: spec.Key, Unit: spec.Unit, Started: at, Exit: -1, Result: result,
		Session: spec.Session, SessionUsage: spec.SessionUsage, Model: spec.Model,
		Usage: Usage{
			Input: &none, CacheRead: &none, CacheWrite: &none, Output: &none, Reasoning: &none, USD: &zero, Source: CostNone,
		},
		Err: &AgentError{Kind: KindOther, Message: why + " before the agent was started"},
	}
	switch result {
	case Stopped:
		out.Stop = why
		out.Err.Message = "stopped before the agent was started: " + why
	case Failed:
		out.Err = &AgentError{Kind: KindStart, Message: why}
	}
	return out
}
