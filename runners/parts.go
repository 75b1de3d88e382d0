package runners

import (
	"cmp"
	"context"
	"slices"
)

// Part is what a run used of one model, or in one request, as far as its agent tells them apart.
type Part struct {
	// Model is the model that was named with it; empty where none was.
	Model string
	// Request is true where it is one message's usage and no sum.
	Request bool
	Usage   Usage
}

// Parts returns what a run used, in the parts that its agent told it in, from what the agent wrote until now. There is none
// where it told nothing, and where what it told cannot be parted: totals of a session with several models, of which earlier
// runs had a share.
func (r Runs) Parts(ctx context.Context, id string) ([]Part, error) {
	spec, err := r.Spec(id)
	if err != nil {
		return nil, err
	}
	out, err := logsOf(r.folder(id)).read(ctx, spec.Agent)
	if err != nil {
		return nil, err
	}
	return partsOf(out.usage, spec, cmp.Or(out.model, spec.Model)), nil
}

// Parts is what the run used until now, as Runs.Parts has it.
func (f *Follower) Parts() []Part { return f.usage.parts(f.resumed, f.before) }

// partsOf names the run's model where a part names none.
func partsOf(c *usageCount, spec Spec, model string) []Part {
	parts := c.parts(spec.Session != "", spec.SessionUsage)
	for i := range parts {
		parts[i].Model = cmp.Or(parts[i].Model, model)
	}
	return parts
}

// parts are what was counted, not added up.
func (c *usageCount) parts(resumed bool, before *Usage) []Part {
	switch {
	case c.mode == UsageNone || len(c.order) == 0:
		return nil
	case c.mode == UsageCumulative && resumed:
		models := make([]string, 0, len(c.order))
		for _, id := range c.order {
			models = append(models, c.model[id])
		}
		slices.Sort(models)
		if len(slices.Compact(models)) > 1 {
			return nil
		}
		run, session := c.spent(resumed, before)
		if session == nil || lost(run, *session) {
			return nil
		}
		return []Part{{Model: models[0], Usage: run}}
	}
	var parts []Part
	for _, id := range c.order {
		parts = append(parts, Part{Model: c.model[id], Usage: c.byID[id], Request: c.mode == UsagePerMessage})
	}
	return parts
}

// lost says whether a bucket that the session counts is unknown for the run: what the run used is then not all there.
func lost(run, session Usage) bool {
	for _, pair := range [][2]*int64{
		{run.Input, session.Input},
		{run.CacheRead, session.CacheRead},
		{run.CacheWrite, session.CacheWrite},
		{run.Output, session.Output},
		{run.Reasoning, session.Reasoning},
	} {
		if pair[0] == nil && pair[1] != nil {
			return true
		}
	}
	return false
}
