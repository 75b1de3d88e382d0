package cmd

import (
	"context"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type costsOptions struct {
	f     *Factory
	by    string
	since string
	csv   bool
}

func newCostsCommand(f *Factory) *cli.Command {
	o := costsOptions{f: f}
	return &cli.Command{
		Name:      "costs",
		Usage:     "show what agent runs cost, and what of it was merged",
		ArgsUsage: " ",
		Category:  categoryLook,
		Description: "A cost is the agent's own figure, else its tokens at the model's price, else unknown. Sums leave out what is\n" +
			"unknown and say so: a + behind an amount means that it is more than that. docs/costs.md says more.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "by", Usage: "what to add up by: `plan`, state, agent, model, unit, day or week", Value: string(lifecycle.ByPlan), Destination: &o.by},
			&cli.StringFlag{Name: "since", Usage: "only runs that were started since `WHEN`: 7d, 4w, 24h or 2026-11-30", Destination: &o.since},
			&cli.BoolFlag{Name: "csv", Usage: "print the groups as CSV", Destination: &o.csv},
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return costsRun(c.Context, o)
		},
	}
}

func costsRun(ctx context.Context, o costsOptions) error {
	by := lifecycle.By(strings.ToLower(o.by))
	if !slices.Contains(lifecycle.AllBy(), by) {
		return usagef("one of: plan, state, agent, model, unit, day, week", "costs cannot be added up by %q", o.by)
	}
	if o.csv && o.f.Global.JSON {
		return usagef("leave one of them out", "--csv and --json contradict each other")
	}
	since, err := sinceTime(o.since, o.f.Now())
	if err != nil {
		return err
	}
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		all, unread, err := p.Expenses(ctx)
		if err != nil {
			return err
		}
		report := lifecycle.ReportCosts(all, by, since, o.f.Now())
		report.Unread = unread
		for _, what := range unread {
			o.f.Warnf("not counted: %s", what)
		}
		switch {
		case o.f.Global.JSON:
			return o.f.PrintJSON(report)
		case o.csv:
			return o.printCSV(report)
		case len(report.Groups) == 0:
			o.f.Infof("no agent has run%s", suffix(" since ", o.since))
			return nil
		}
		return o.print(report)
	})
}

// sinceTime reads a time span that ends now, or a day; empty is the zero time.
func sinceTime(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return day, nil
	}
	number, unit := s[:len(s)-1], s[len(s)-1]
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 100_000 {
		return time.Time{}, usagef("a number of days, weeks or hours such as 7d, 4w, 24h, or a day such as 2026-11-30", "%q is no time", s)
	}
	switch unit {
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), nil
	case 'd':
		return now.AddDate(0, 0, -n), nil
	case 'w':
		return now.AddDate(0, 0, -7*n), nil
	}
	return time.Time{}, usagef("a number of days, weeks or hours such as 7d, 4w, 24h, or a day such as 2026-11-30", "%q is no time", s)
}

// print is the table, and below it on a terminal what it comes to.
func (o costsOptions) print(r lifecycle.CostReport) error {
	if err := o.table(r).Render(); err != nil {
		return err
	}
	text := term.Wrap(term.CleanText(costsText(r)), o.f.IO.Term.Width)
	if o.f.IO.Term.OutTTY {
		return o.f.Printf("\n%s", text)
	}
	// Whoever reads the rows with another program wants them alone.
	for line := range strings.Lines(text) {
		o.f.Infof("%s", strings.TrimRight(line, "\n"))
	}
	return nil
}

// printCSV prints the groups, a header first; what is not known is empty.
func (o costsOptions) printCSV(r lifecycle.CostReport) error {
	w := csv.NewWriter(o.f.IO.Out)
	if err := w.Write([]string{string(r.By), "status", "usd", "runs", "unknown_runs", "live_runs", "tokens", "seconds", "merged_plans", "usd_per_merged_plan"}); err != nil {
		return err
	}
	figure := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	for _, g := range r.Groups {
		tokens := ""
		if g.Tokens != nil {
			tokens = strconv.FormatInt(*g.Tokens, 10)
		}
		err := w.Write([]string{
			term.Clean(g.Name), string(g.Status), figure(g.USD), strconv.Itoa(g.Runs), strconv.Itoa(g.Unknown), strconv.Itoa(g.Live), tokens,
			figure(g.Seconds), strconv.Itoa(g.Merged), figure(g.PerMerged),
		})
		if err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
