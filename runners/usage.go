package runners

import (
	"strconv"

	"tendril/internal/usage"
)

// usageCount adds up the usage events of one run, so that nothing counts twice however often the stream repeats it.
type usageCount struct {
	mode  string
	order []string
	byID  map[string]Usage
	// model is the model that was named with an id.
	model map[string]string
	// free numbers the events without an id of an agent that counts by message.
	free int
}

func newUsageCount(mode string) *usageCount {
	return &usageCount{mode: mode, byID: map[string]Usage{}, model: map[string]string{}}
}

func (c *usageCount) add(ev Event) {
	id := "id:" + ev.ID
	if ev.ID == "" && c.mode == UsagePerMessage {
		c.free++
		id = "no:" + strconv.Itoa(c.free)
	}
	if _, seen := c.byID[id]; !seen {
		c.order = append(c.order, id)
	}
	c.byID[id], c.model[id] = ev.Usage, ev.Model
}

// sum adds the buckets up. A bucket that one part does not know is unknown in the sum: half a sum would be read as the whole.
func (c *usageCount) sum() Usage {
	var total Usage
	for i, id := range c.order {
		part := c.byID[id]
		if i == 0 {
			total = part
			continue
		}
		total = combine(total, part, func(a, b int64) (int64, bool) { return a + b, true })
		if total.USD != nil && part.USD != nil {
			usd := usage.Round(*total.USD + *part.USD)
			total.USD = &usd
		} else {
			total.USD, total.Source = nil, ""
		}
	}
	return total
}

// spent returns what the run used, and for an agent that counts over its session what the session had used at the run's
// end. before is that figure of the session's last run; resumed says that there was one.
func (c *usageCount) spent(resumed bool, before *Usage) (run Usage, session *Usage) {
	switch c.mode {
	case UsageNone:
		free := 0.0
		return Usage{USD: &free, Source: CostNone}, nil
	case UsageCumulative:
	default:
		return c.sum(), nil
	}
	if !resumed {
		before = &Usage{Input: new(int64), CacheRead: new(int64), CacheWrite: new(int64), Output: new(int64), Reasoning: new(int64)}
	}
	if len(c.order) == 0 {
		// It said nothing (it failed). What it used is in the next run's total, and is taken for that run's then.
		return Usage{}, before
	}
	total := c.sum()
	if before == nil {
		return Usage{}, &total
	}
	run = combine(total, *before, func(a, b int64) (int64, bool) { return a - b, a >= b })
	switch {
	case total.USD == nil:
	case !resumed:
		run.USD, run.Source = total.USD, total.Source
	case before.USD != nil && *total.USD >= *before.USD:
		usd := usage.Round(*total.USD - *before.USD)
		run.USD, run.Source = &usd, total.Source
	}
	return run, &total
}

// combine works on each bucket that both know; the others are unknown. Money is left as a has it.
func combine(a, b Usage, do func(a, b int64) (int64, bool)) Usage {
	each := func(x, y *int64) *int64 {
		if x == nil || y == nil {
			return nil
		}
		n, ok := do(*x, *y)
		if !ok {
			return nil
		}
		return &n
	}
	return Usage{
		Input: each(a.Input, b.Input), CacheRead: each(a.CacheRead, b.CacheRead), CacheWrite: each(a.CacheWrite, b.CacheWrite),
		Output: each(a.Output, b.Output), Reasoning: each(a.Reasoning, b.Reasoning), USD: a.USD, Source: a.Source,
	}
}
