package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type trustOptions struct {
	f    *Factory
	show bool
}

func newTrustCommand(f *Factory) *cli.Command {
	o := trustOptions{f: f}
	return &cli.Command{
		Name:      "trust",
		Usage:     "let the repository's commands run on this machine",
		ArgsUsage: " ",
		Category:  categoryTendril,
		Description: "A repository brings commands: checks, setup, agents. A stranger's must not run unasked. What you commit in this\n" +
			"clone is trusted; anything else waits for this command, which shows what is new.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "show", Usage: "only show, trust nothing", Destination: &o.show}},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			if err := f.refuseAgents("trust"); err != nil {
				return err
			}
			return trustRun(c.Context, o)
		},
	}
}

func trustRun(ctx context.Context, o trustOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		report, err := p.TrustState(ctx)
		if err != nil {
			return err
		}
		if !o.show {
			if err := p.Trust(ctx); err != nil {
				return err
			}
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(struct {
				Trusted    bool   `json:"trusted"`
				Commands   any    `json:"commands"`
				Difference string `json:"difference,omitempty"`
			}{report.Trusted || !o.show, report.Commands, report.Difference})
		}
		return o.f.Printf("%s", trustText(report, o.show))
	})
}

// trustText shows what a person decides on: nothing in a stranger's commands may steer the terminal that shows them.
func trustText(r lifecycle.TrustReport, show bool) string {
	if len(r.Commands) == 0 {
		return "the repository brings no commands\n"
	}
	var b strings.Builder
	if r.Difference != "" {
		b.WriteString(strings.TrimRight(r.Difference, "\n") + "\n")
	}
	switch {
	case r.Trusted:
		fmt.Fprintf(&b, "trusted already (commands: %d)\n", len(r.Commands))
	case show:
		fmt.Fprintf(&b, "not trusted (commands: %d)\n", len(r.Commands))
	default:
		fmt.Fprintf(&b, "trusted now (commands: %d)\n", len(r.Commands))
	}
	return term.CleanText(b.String())
}
