package runners

import (
	"cmp"
	"slices"
)

// Part is what a run used of one model, or in one request, as far as its agent tells them apart.
type Part struct {
	// Model is the model that was named with it, else the run's; empty where none is known.
	Model string `json:"model,omitempty"`
	// Request is true where it is one message's usage and no sum.
	Request bool  `json:"request,omitempty"`
	Usage   Usage `json:"usage"`
}

const (
	// shortRequest is how many tokens a request may read that is not kept by itself: no price depends on less.
	shortRequest = 30_000
	// maxParts bounds the parts of an outcome; further ones are added up.
	maxParts = 500
)

// kept are the parts that say more than their sum and the run's model do, with short requests added up.
func kept(parts []Part, model string) []Part {
	var out []Part
	for _, p := range parts {
		if n := tokensRead(p.Usage); n <= shortRequest || len(out) >= maxParts {
			p.Request = false
		}
		i := slices.IndexFunc(out, func(have Part) bool { return !have.Request && !p.Request && have.Model == p.Model })
		if i < 0 {
			out = append(out, p)
			continue
		}
		out[i].Usage = combine(out[i].Usage, p.Usage, func(a, b int64) (int64, bool) { return a + b, true })
	}
	if len(out) == 1 && !out[0].Request && out[0].Model == model && out[0].Usage.Input != nil {
		return nil
	}
	return out
}

// tokensRead is what a request read, caches included.
func tokensRead(u Usage) int64 {
	var sum int64
	for _, n := range []*int64{u.Input, u.CacheRead, u.CacheWrite} {
		if n != nil {
			sum += *n
		}
	}
	return sum
}

// parts are what was counted, not added up. Where a session's totals cannot be parted, since several models had a share in
// them that earlier runs had too, the part has no model, and so no price.
func (c *usageCount) parts(resumed bool, before *Usage, model string) []Part {
	switch {
	case c.mode == UsageNone || len(c.order) == 0:
		return nil
	case c.mode == UsageCumulative && resumed:
		return c.sessionPart(before, model)
	}
	var parts []Part
	for _, id := range c.order {
		parts = append(parts, Part{Model: cmp.Or(c.model[id], model), Usage: c.byID[id], Request: c.mode == UsagePerMessage})
	}
	return parts
}

func (c *usageCount) sessionPart(before *Usage, model string) []Part {
	var models []string
	for _, id := range c.order {
		models = append(models, cmp.Or(c.model[id], model))
	}
	slices.Sort(models)
	if models = slices.Compact(models); len(models) > 1 {
		models[0] = ""
	}
	run, session := c.spent(true, before)
	if session == nil || lost(run, *session) {
		run = Usage{}
	}
	return []Part{{Model: models[0], Usage: run}}
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
