package usage

import (
	_ "embed" // prices.json
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

//go:embed prices.json
var builtin []byte

// License is the licence under which the built-in table is distributed.
//
//go:embed prices.LICENSE
var License string

// Table is a list of prices. It is not changed once it is read.
type Table struct {
	// Source says where the prices come from, Date (YYYY-MM-DD) how old they are.
	Source    string     `json:"source"`
	Date      string     `json:"date"`
	Providers []provider `json:"providers"`
}

// provider sells models.
type provider struct {
	ID string `json:"id"`
	// Named matches the names that it has elsewhere; Sells matches the names of models that are its own.
	Named *match `json:"named,omitempty"`
	Sells *match `json:"sells,omitempty"`
	// Also are providers whose prices hold for the models that it does not list.
	Also   []string `json:"also,omitempty"`
	Models []model  `json:"models"`
}

// model has one price, or several of which the last that holds counts. Without a rule its id is its only name.
type model struct {
	ID     string  `json:"id"`
	Match  *match  `json:"match,omitempty"`
	Prices []price `json:"prices"`
}

// price is what a model costs while its condition holds.
type price struct {
	// From is the first day (YYYY-MM-DD, UTC) on which it holds; Start and End are the times of each day (HH:MM:SS, UTC)
	// between which it does. Empty: always.
	From  string `json:"from,omitempty"`
	Start string `json:"start,omitempty"`
	End   string `json:"end,omitempty"`
	Rates
	// Tiers hold for whole requests that read more tokens than a bound, each in the place of Rates where it names a figure.
	Tiers []tier `json:"tiers,omitempty"`
}

// tier are the rates of a request that reads more than Over tokens, caches included.
type tier struct {
	Over int64 `json:"over"`
	Rates
}

// Rates are USD for a million tokens; nil is not known.
type Rates struct {
	Input      *float64 `json:"input,omitempty"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
	Output     *float64 `json:"output,omitempty"`
	Reasoning  *float64 `json:"reasoning,omitempty"`
}

// over puts the figures that r has in the place of those of below.
func (r Rates) over(below Rates) Rates {
	for _, p := range []struct{ to, from **float64 }{
		{&r.Input, &below.Input},
		{&r.CacheRead, &below.CacheRead},
		{&r.CacheWrite, &below.CacheWrite},
		{&r.Output, &below.Output},
		{&r.Reasoning, &below.Reasoning},
	} {
		if *p.to == nil {
			*p.to = *p.from
		}
	}
	return r
}

// Builtin is the table that this program carries.
var Builtin = sync.OnceValues(func() (*Table, error) {
	var t Table
	if err := json.Unmarshal(builtin, &t); err != nil {
		return nil, fmt.Errorf("the built-in prices: %w", err)
	}
	var errs []error
	for _, p := range t.Providers {
		errs = append(errs, p.Named.compile(), p.Sells.compile())
		for _, m := range p.Models {
			errs = append(errs, m.Match.compile())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("the built-in prices: %w", err)
	}
	return &t, nil
})

// Find returns the price of a model at a time; false where the table does not know it. provider is the id or a name of who
// sells it; empty: the model's name tells. A name of the form PROVIDER/MODEL names both.
func (t *Table) Find(sold, name string, at time.Time) (Price, bool) {
	name = plainName(name)
	if name == "" {
		return Price{}, false
	}
	if sold != "" {
		if p := t.provider(sold); p != nil {
			if m := t.modelOf(p, name); m != nil {
				return m.at(at)
			}
		}
	}
	if before, rest, ok := strings.Cut(name, "/"); ok {
		// opencode's way to name a model. OpenRouter's own names have a slash too.
		if p := t.provider(before); p != nil {
			if m := t.modelOf(p, rest); m != nil {
				return m.at(at)
			}
		}
	}
	for i := range t.Providers {
		p := &t.Providers[i]
		if !p.Sells.matches(name) {
			continue
		}
		if m := t.modelOf(p, name); m != nil {
			return m.at(at)
		}
	}
	return Price{}, false
}

// plainName takes off what an agent adds to a model's name: Claude Code's "[1m]" for the longer context.
func plainName(name string) string {
	name = strings.TrimSpace(name)
	if before, _, ok := strings.Cut(name, "["); ok && strings.HasSuffix(name, "]") {
		return before
	}
	return name
}

// provider finds one by its id, else by a name that it has.
func (t *Table) provider(name string) *provider {
	for i := range t.Providers {
		if strings.EqualFold(t.Providers[i].ID, name) {
			return &t.Providers[i]
		}
	}
	for i := range t.Providers {
		if t.Providers[i].Named.matches(name) {
			return &t.Providers[i]
		}
	}
	return nil
}

// modelOf finds a model among those of a provider, and of those whose prices it shares.
func (t *Table) modelOf(p *provider, name string) *model {
	for i := range p.Models {
		if p.Models[i].named(name) {
			return &p.Models[i]
		}
	}
	for _, id := range p.Also {
		other := t.provider(id)
		if other == nil {
			continue
		}
		for i := range other.Models {
			if other.Models[i].named(name) {
				return &other.Models[i]
			}
		}
	}
	return nil
}

func (m *model) named(name string) bool {
	if m.Match == nil {
		return strings.EqualFold(m.ID, name)
	}
	return m.Match.matches(name)
}

// at is the last price that holds at a time.
func (m *model) at(when time.Time) (Price, bool) {
	for i := len(m.Prices) - 1; i >= 0; i-- {
		if m.Prices[i].holds(when.UTC()) {
			return Price{rates: m.Prices[i].Rates, tiers: m.Prices[i].Tiers}, true
		}
	}
	return Price{}, false
}

func (p price) holds(when time.Time) bool {
	if p.From != "" && when.Format(time.DateOnly) < p.From {
		return false
	}
	if p.Start == "" {
		return true
	}
	clock := when.Format(time.TimeOnly)
	if p.Start <= p.End {
		return p.Start <= clock && clock < p.End
	}
	return clock >= p.Start || clock < p.End
}
