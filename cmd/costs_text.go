package cmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tendril/internal/term"
	"tendril/lifecycle"
)

// table has a row for each group, on a terminal with a bar.
func (o costsOptions) table(r lifecycle.CostReport) *term.Table {
	headers := []string{strings.ToUpper(string(r.By)), "STATE", "USD", "RUNS", "UNKNOWN", "TOKENS", "TIME"}
	dated := r.By == lifecycle.ByDay || r.By == lifecycle.ByWeek
	if dated {
		headers = append(headers, "MERGED", "USD/PLAN")
	}
	bars := 0
	if o.f.IO.Term.OutTTY {
		bars = barWidth(r, o.f.IO.Term.Width)
	}
	if bars > 0 {
		headers = append(headers, "")
	}
	table := o.f.Table(headers...).Whole(0, 1, 2).Drop(6, 5, 8, 7, 3, 4, 1)
	for _, g := range r.Groups {
		unknown := ""
		if g.Unknown > 0 {
			unknown = strconv.Itoa(g.Unknown)
		}
		row := []string{g.Name, string(g.Status), usdCell(g.PlanCost), strconv.Itoa(g.Runs), unknown, o.tokenCell(g.Tokens), o.timeCell(g.Seconds)}
		if dated {
			merged, each := "", ""
			if g.Merged > 0 {
				merged, each = strconv.Itoa(g.Merged), money(g.PerMerged)
			}
			row = append(row, merged, each)
		}
		if bars > 0 {
			row = append(row, bar(g, r, bars))
		}
		table.Row(row...)
	}
	return table
}

// widestBar is how long a bar is at most.
const widestBar = 24

// barWidth is what a terminal has left for bars beside names and amounts; 0 where that is too little to tell anything.
func barWidth(r lifecycle.CostReport, width int) int {
	name := 0
	for _, g := range r.Groups {
		name = max(name, len([]rune(g.Name)))
	}
	// The other columns, at their usual width, with two spaces between each.
	const others = 46
	left := min(width-name-others, widestBar)
	if left < 6 || largest(r) <= 0 {
		return 0
	}
	return left
}

func largest(r lifecycle.CostReport) float64 {
	most := 0.0
	for _, g := range r.Groups {
		if g.USD != nil {
			most = max(most, *g.USD)
		}
	}
	return most
}

// bar is a group's cost beside the dearest one's. What cost something has at least one mark; what is not known has a ?.
func bar(g lifecycle.CostGroup, r lifecycle.CostReport, width int) string {
	if g.USD == nil {
		return "?"
	}
	n := int(*g.USD/largest(r)*float64(width) + 0.5)
	if *g.USD > 0 {
		n = max(n, 1)
	}
	marks := strings.Repeat("#", n)
	if g.Unknown+g.Live > 0 {
		marks += "?"
	}
	return marks
}

// usdCell is an amount for a table: a + behind it says that there is more to it that is not known.
func usdCell(c lifecycle.PlanCost) string {
	if c.USD == nil {
		return "unknown"
	}
	if c.Unknown+c.Live > 0 {
		return money(c.USD) + "+"
	}
	return money(c.USD)
}

// money is an amount in dollars; a small one keeps what tells it from nothing.
func money(usd *float64) string {
	switch {
	case usd == nil:
		return "unknown"
	case *usd > 0 && *usd < 0.01:
		return strconv.FormatFloat(*usd, 'f', 4, 64)
	default:
		return strconv.FormatFloat(*usd, 'f', 2, 64)
	}
}

// tokenCell is a number of tokens, on a terminal in short: 9300, 88k, 1.2M.
func (o costsOptions) tokenCell(n *int64) string {
	switch {
	case n == nil:
		return ""
	case !o.f.IO.Term.OutTTY:
		return strconv.FormatInt(*n, 10)
	}
	return shortCount(*n)
}

// shortCount is a number of tokens in short.
func shortCount(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	default:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
}

// timeCell is a number of seconds, on a terminal as a person says it.
func (o costsOptions) timeCell(seconds *float64) string {
	switch {
	case seconds == nil:
		return ""
	case !o.f.IO.Term.OutTTY:
		return strconv.FormatFloat(*seconds, 'f', 1, 64)
	}
	return roughly(time.Duration(*seconds * float64(time.Second)))
}

// roughly is a duration as a person says it: 40s, 12m, 3h20m.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return strings.TrimSuffix(d.Round(time.Second).String(), "0s")
	default:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
}

// costsText says what the runs come to and what became of the work.
func costsText(r lifecycle.CostReport) string {
	var b strings.Builder
	line := func(name, words string) {
		if words != "" {
			fmt.Fprintf(&b, "%-20s %s\n", name, words)
		}
	}
	all := r.Total.Words()
	if n := r.Total.Unknown + r.Total.Live; n > 0 {
		all += ": the sum is incomplete"
	}
	line("all", all)
	for _, part := range []struct {
		name string
		cost lifecycle.PlanCost
	}{{"merged", r.Merged}, {"failed, rejected", r.Lost}, {"open", r.Open}} {
		if part.cost.Runs > 0 {
			line(part.name, part.cost.Words())
		}
	}
	if r.Plans > 0 {
		words := fmt.Sprintf("%s over %s", money(r.PerMerged), plural(r.Plans, "plan"))
		if r.With != nil && r.PerMerged != nil && money(r.With) != money(r.PerMerged) {
			words += fmt.Sprintf("; %s with what failed and was rejected", money(r.With))
		}
		if r.Merged.Unknown > 0 {
			words += "; at least, since some of it is unknown"
		}
		line("USD per merged plan", words)
	}
	if len(r.Trend) == 2 && r.Trend[1].Runs > 0 {
		line("last 30 days", trendWords(r.Trend[0]))
		line("30 days before", trendWords(r.Trend[1]))
	}
	return b.String()
}

func trendWords(s lifecycle.CostSpan) string {
	words := usdCell(s.PlanCost) + " USD"
	if s.Plans > 0 {
		words += fmt.Sprintf(", %s merged at %s USD each", plural(s.Plans, "plan"), money(s.PerMerged))
	}
	return words
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
