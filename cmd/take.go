package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type takeOptions struct {
	f    *Factory
	plan string
}

func newTakeCommand(f *Factory) *cli.Command {
	o := takeOptions{f: f}
	return &cli.Command{
		Name:      "take",
		Usage:     "take a plan over from a clone that is gone",
		ArgsUsage: "KEY",
		Category:  categoryRun,
		Description: "With sync, the clone that claimed a plan works on it, checks it and merges it. Where that clone is gone for good, this one goes on.\n\n" +
			"If it is not gone: it stops its agent the next time it looks, and what it did since it last pushed goes no further.",
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			if err := f.refuseAgents("take"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return takeRun(c.Context, o)
		},
	}
}

func takeRun(ctx context.Context, o takeOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		actor, err := p.GitActor(ctx)
		if err != nil {
			return err
		}
		taken, err := p.Take(ctx, actor, o.plan)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(taken)
		}
		if err := o.f.Printf("%s taken over from %s\n", taken.Key, term.Clean(taken.From)); err != nil {
			return err
		}
		o.f.Infof("in commit %.10s; it is %s, and tendril run goes on with it", taken.Commit, taken.Status)
		if taken.Head == "" {
			o.f.Warnf("its work was never pushed: it begins again")
		}
		o.f.Warnf("if the clone of %s lives, it stops its agent the next time it looks; what it did since its last push goes no further", taken.From)
		if taken.Behind != "" {
			o.f.Warnf("%s", taken.Behind)
		}
		return nil
	})
}
