package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type showOptions struct {
	f    *Factory
	plan string
}

func newShowCommand(f *Factory) *cli.Command {
	o := showOptions{f: f}
	return &cli.Command{
		Name:      "show",
		Usage:     "show one plan: its text, gates, agent runs and checks",
		ArgsUsage: "KEY",
		Category:  categoryPlans,
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return showRun(c.Context, o)
		},
	}
}

// showData is what show --json prints.
type showData struct {
	lifecycle.Row
	Text string `json:"text"`
	// Record and Verification have the keys of record.yaml and of verification.md, Costs those of costs.csv.
	Record       any        `json:"record,omitempty"`
	Verification any        `json:"verification,omitempty"`
	Costs        []costData `json:"costs,omitempty"`
	Summary      string     `json:"summary,omitempty"`
	// Chain is the way from the approvals to what was delivered.
	Chain []lifecycle.Link `json:"chain,omitempty"`
}

// costData is one run of show --json; null is unknown.
type costData struct {
	Run        string    `json:"run"`
	Unit       string    `json:"unit"`
	Candidate  string    `json:"candidate,omitempty"`
	Round      int       `json:"round"`
	Attempt    int       `json:"attempt"`
	Agent      string    `json:"agent"`
	Model      string    `json:"model,omitempty"`
	Started    time.Time `json:"started"`
	Seconds    *float64  `json:"seconds"`
	Input      *int64    `json:"input"`
	CacheRead  *int64    `json:"cache_read"`
	CacheWrite *int64    `json:"cache_write"`
	Output     *int64    `json:"output"`
	Reasoning  *int64    `json:"reasoning"`
	USD        *float64  `json:"usd"`
	Source     string    `json:"source,omitempty"`
	Outcome    string    `json:"outcome"`
}

func newShowData(d *lifecycle.Detail) (showData, error) {
	out := showData{Row: d.Row, Text: string(d.Text), Summary: string(d.Summary), Chain: d.Chain}
	for _, r := range d.Costs {
		out.Costs = append(out.Costs, costData{
			r.Run, r.Unit, r.Candidate, r.Round, r.Attempt, r.Agent, r.Model, r.Started, r.Seconds, r.Input, r.CacheRead, r.CacheWrite,
			r.Output, r.Reasoning, r.USD, r.Source, r.Outcome,
		})
	}
	var err error
	if d.Record != nil {
		if out.Record, err = asWritten(d.Record); err != nil {
			return out, err
		}
	}
	if d.Verification != nil {
		out.Verification, err = asWritten(d.Verification)
	}
	return out, err
}

// asWritten is a value with the keys that it has in its YAML file.
func asWritten(v any) (any, error) {
	text, err := yaml.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	err = yaml.Unmarshal(text, &out)
	return out, err
}

func showRun(ctx context.Context, o showOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		d, err := p.Show(ctx, o.plan)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			data, err := newShowData(d)
			if err != nil {
				return err
			}
			return o.f.PrintJSON(data)
		}
		return o.f.page(ctx, p, showText(d, o.f.IO.Term.Width))
	})
}

// showText is a plan for a person: what it is, where it stands and what can be done; then what became of it; its own text
// last. Agents wrote some of it: what would steer a terminal is taken out. Tendril's own lines are wrapped to a terminal of
// that width; the texts of people and agents stay as they are.
func showText(d *lifecycle.Detail, width int) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(term.Wrap(term.CleanText(fmt.Sprintf("%-10s %s\n", name, value)), width))
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", d.Key, d.Title)
	line("status", strings.TrimSpace(string(d.Status)+" "+since(d.Since)))
	line("note", noteOf(d.Row))
	line("budget", d.Budget.Words())
	for _, name := range slices.Sorted(maps.Keys(d.Skip)) {
		line("leaves out", "check "+name+": "+d.Skip[name])
	}
	for _, words := range foreseenWords(d.Row) {
		line("foreseen", words)
	}
	line("next", d.Next)
	b.WriteByte('\n')
	if r := d.Record; r != nil {
		line("branch", fmt.Sprintf("%s from %s at %.10s", r.Branch, r.Base.Ref, r.Base.Commit))
	}
	chainText(d.Chain, line)
	if v := d.Verification; v != nil {
		line("checks", fmt.Sprintf("%s on %.10s", v.Result, v.Commit))
		for _, c := range v.Checks {
			line("", fmt.Sprintf("%-8s %s%s", c.Result, c.Name, suffix(": ", c.Command)))
		}
	}
	line("cost", d.Cost.Words())
	if s := strings.TrimSpace(string(d.Summary)); s != "" {
		fmt.Fprintf(&b, "\nWhat the agent says it did:\n\n%s\n", s)
	}
	fmt.Fprintf(&b, "\n%s", d.Text)
	// A plan without a record has nothing between its head and its text.
	return strings.Replace(term.CleanText(b.String()), "\n\n\n", "\n\n", 1)
}

func since(t *time.Time) string {
	if t == nil {
		return ""
	}
	return "since " + t.Local().Format(time.DateTime)
}
