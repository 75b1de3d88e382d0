package usage

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// What a newer table is taken over from: see the package's comment.
var (
	newPrices  = flag.String("prices", "", "the list of providers of @pydantic/genai-prices, as JSON, to take over")
	newVersion = flag.String("version", "", "that package's version")
	newDate    = flag.String("date", "", "the day (YYYY-MM-DD) on which that version was published")
)

// theirs is the list as the package has it, less what is of no use here.
type theirs []struct {
	ID            string          `json:"id"`
	ModelMatch    json.RawMessage `json:"model_match"`
	ProviderMatch json.RawMessage `json:"provider_match"`
	Fallback      []string        `json:"fallback_model_providers"`
	Models        []struct {
		ID     string          `json:"id"`
		Match  json.RawMessage `json:"match"`
		Prices json.RawMessage `json:"prices"`
	} `json:"models"`
}

// theirMatch and theirPrices are rules and prices as the package writes them.
type theirMatch struct {
	Equals string       `json:"equals"`
	Starts string       `json:"starts_with"`
	Ends   string       `json:"ends_with"`
	Has    string       `json:"contains"`
	Regex  string       `json:"regex"`
	Or     []theirMatch `json:"or"`
	And    []theirMatch `json:"and"`
}

type theirPrices struct {
	Constraint struct {
		From  string `json:"start_date"`
		Start string `json:"start_time"`
		End   string `json:"end_time"`
	} `json:"constraint"`
	Prices map[string]json.RawMessage `json:"prices"`
}

// TestTakeOverPrices writes prices.json where it is told from what.
func TestTakeOverPrices(t *testing.T) {
	t.Parallel()
	if *newPrices == "" {
		t.Skip("no -prices FILE")
	}
	data, err := os.ReadFile(*newPrices)
	if err != nil {
		t.Fatal(err)
	}
	var in theirs
	if err := json.Unmarshal(data, &in); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"source\":%q,\"date\":%q,\"licence\":\"MIT, see prices.LICENSE\",\"providers\":[\n",
		"npm @pydantic/genai-prices "+*newVersion, *newDate)
	first := true
	for _, p := range in {
		ours := provider{ID: p.ID, Named: ruleOf(t, p.ProviderMatch), Sells: ruleOf(t, p.ModelMatch), Also: p.Fallback}
		var models []string
		for _, m := range p.Models {
			one := model{ID: m.ID, Match: ruleOf(t, m.Match), Prices: pricesOf(t, m.Prices)}
			if one.Match != nil && strings.EqualFold(one.Match.Equals, m.ID) {
				one.Match = nil
			}
			if slices.ContainsFunc(one.Prices, func(p price) bool { return p.Input != nil && p.Output != nil }) {
				models = append(models, line(t, one))
			}
		}
		if len(models) == 0 {
			continue
		}
		if !first {
			out.WriteString(",\n")
		}
		first = false
		head, _ := strings.CutSuffix(line(t, ours), "null}")
		out.WriteString(head + "[\n" + strings.Join(models, ",\n") + "]}")
	}
	out.WriteString("]}\n")
	if err := os.WriteFile("prices.json", out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func line(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func ruleOf(t *testing.T, raw json.RawMessage) *match {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	var m theirMatch
	strictly(t, raw, &m)
	ours := m.ours()
	return &ours
}

func (m theirMatch) ours() match {
	if negative, rest, ok := lookahead(m.Regex); ok {
		return match{And: []match{{Not: &match{Regex: negative}}, {Regex: rest}}}
	}
	out := match{Equals: m.Equals, Starts: m.Starts, Ends: m.Ends, Has: m.Has, Regex: m.Regex}
	for _, o := range m.Or {
		out.Or = append(out.Or, o.ours())
	}
	for _, a := range m.And {
		out.And = append(out.And, a.ours())
	}
	return out
}

// lookahead takes "^(?!X)Y" apart, which Go's expressions do not know, into what must not and what must match.
func lookahead(regex string) (negative, rest string, ok bool) {
	inner, ok := strings.CutPrefix(regex, "^(?!")
	if !ok {
		return "", "", false
	}
	depth := 1
	for i, r := range inner {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return "^(?:" + inner[:i] + ")", "^" + inner[i+1:], true
		}
	}
	return "", "", false
}

func pricesOf(t *testing.T, raw json.RawMessage) []price {
	t.Helper()
	var list []theirPrices
	if bytes.HasPrefix(raw, []byte("[")) {
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
	} else {
		list = make([]theirPrices, 1)
		if err := json.Unmarshal(raw, &list[0].Prices); err != nil {
			t.Fatal(err)
		}
	}
	var out []price
	for _, l := range list {
		p := price{From: l.Constraint.From, Start: strings.TrimSuffix(l.Constraint.Start, "Z"), End: strings.TrimSuffix(l.Constraint.End, "Z")}
		for name, at := range map[string]func(*Rates) **float64{
			"input_mtok":            func(r *Rates) **float64 { return &r.Input },
			"cache_read_mtok":       func(r *Rates) **float64 { return &r.CacheRead },
			"cache_write_mtok":      func(r *Rates) **float64 { return &r.CacheWrite },
			"output_mtok":           func(r *Rates) **float64 { return &r.Output },
			"output_reasoning_mtok": func(r *Rates) **float64 { return &r.Reasoning },
		} {
			if figure, ok := l.Prices[name]; ok {
				addFigure(t, &p, figure, at)
			}
		}
		slices.SortFunc(p.Tiers, func(a, b tier) int { return int(a.Over - b.Over) })
		out = append(out, p)
	}
	return out
}

// addFigure puts one figure, with its tiers, into a price.
func addFigure(t *testing.T, p *price, raw json.RawMessage, at func(*Rates) **float64) {
	t.Helper()
	var plain float64
	if json.Unmarshal(raw, &plain) == nil {
		*at(&p.Rates) = &plain
		return
	}
	var tiered struct {
		Base  float64 `json:"base"`
		Tiers []struct {
			Start int64   `json:"start"`
			Price float64 `json:"price"`
		} `json:"tiers"`
	}
	strictly(t, raw, &tiered)
	*at(&p.Rates) = &tiered.Base
	for _, step := range tiered.Tiers {
		i := slices.IndexFunc(p.Tiers, func(have tier) bool { return have.Over == step.Start })
		if i < 0 {
			p.Tiers = append(p.Tiers, tier{Over: step.Start})
			i = len(p.Tiers) - 1
		}
		*at(&p.Tiers[i].Rates) = &step.Price
	}
}

func strictly(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// The table can be read, every rule in it too, and says where it is from.
func TestTableIsWhole(t *testing.T) {
	t.Parallel()
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Providers) < 30 || table.Date == "" || !strings.Contains(table.Source, "genai-prices") || !strings.Contains(License, "Pydantic Services") {
		t.Errorf("%d providers, %q, %q", len(table.Providers), table.Source, table.Date)
	}
	models := 0
	for _, p := range table.Providers {
		models += len(p.Models)
	}
	if models < 1000 {
		t.Errorf("%d models", models)
	}
}
