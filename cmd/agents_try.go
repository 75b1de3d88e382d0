package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type agentsTestOptions struct {
	f               *Factory
	name, recording string
}

func newAgentsTestCommand(f *Factory) *cli.Command {
	o := agentsTestOptions{f: f}
	return &cli.Command{
		Name:      "test",
		Usage:     "show what an agent's file makes of a run",
		ArgsUsage: "NAME [RECORDING]",
		Description: "It prints each event, then session, outcome, usage and cost, and what the file gives no event for: the way to write an agent's file.\n\n" +
			"Without a recording the agent is run once, with a small task in a repository that is thrown away: that costs what it costs. NAME may hold a model then (claude:opus).\n\n" +
			"RECORDING is a file NAME.stdout, what the program printed. Beside it, where they are there: NAME.stderr, NAME.meta.json with {\"exit_code\": N} (-15 where signal 15 ended it) and \"signals_sent\" where somebody stopped it, NAME.usage.json with what it wrote to the usage file. No program is run.",
		Action: func(c *cli.Context) error {
			want := []string{"an agent"}
			if c.NArg() > 1 {
				want = append(want, "a recording")
			}
			if err := exactArgs(c, want...); err != nil {
				return err
			}
			o.name, o.recording = c.Args().Get(0), c.Args().Get(1)
			return agentsTestRun(c.Context, o)
		},
	}
}

func agentsTestRun(ctx context.Context, o agentsTestOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		tried, err := o.try(ctx, p)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(tried)
		}
		return o.f.Printf("%s", term.CleanText(rehearsalText(tried)))
	})
}

// try reads the recording, or runs the agent where there is none.
func (o agentsTestOptions) try(ctx context.Context, p *lifecycle.Project) (lifecycle.Rehearsal, error) {
	if o.recording == "" {
		if err := o.f.refuseAgents("tendril agents test"); err != nil {
			return lifecycle.Rehearsal{}, err
		}
		return p.TryAgent(ctx, o.name)
	}
	recording := o.recording
	if !filepath.IsAbs(recording) {
		recording = filepath.Join(o.f.Global.Dir, recording)
	}
	return p.RehearseAgent(ctx, o.name, recording)
}

// rehearsalText is a run for people.
func rehearsalText(r lifecycle.Rehearsal) string {
	var b strings.Builder
	for _, line := range r.Lines {
		fmt.Fprintf(&b, "%s\n", line)
	}
	if len(r.Lines) > 0 {
		b.WriteByte('\n')
	}
	row := func(name, value string) { fmt.Fprintf(&b, "%-10s %s\n", name, value) }
	row("session", orUnknown(r.Session))
	row("model", orUnknown(r.Model))
	row("outcome", r.Outcome)
	if len(r.Denied) > 0 {
		row("refused", strings.Join(r.Denied, ", "))
	}
	row("says", strings.ReplaceAll(orUnknown(r.Text), "\n", "\n           "))
	row("input", tokenCount(r.Usage.Input))
	row("cache", tokenCount(r.Usage.CacheRead)+" read, "+tokenCount(r.Usage.CacheWrite)+" written")
	row("output", tokenCount(r.Usage.Output))
	row("reasoning", tokenCount(r.Usage.Reasoning))
	usd := "unknown"
	if r.Usage.USD != nil {
		usd = strconv.FormatFloat(*r.Usage.USD, 'f', -1, 64) + " USD"
		if r.Usage.Source == "priced" {
			usd += ", priced by its tokens"
		}
	}
	row("cost", usd)
	for i, what := range r.Missing {
		name := "missing"
		if i > 0 {
			name = ""
		}
		row(name, what)
	}
	return b.String()
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func tokenCount(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return strconv.FormatInt(*n, 10)
}
