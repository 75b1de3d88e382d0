package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type stopOptions struct {
	f     *Factory
	plans []string
	all   bool
}

func newStopCommand(f *Factory) *cli.Command {
	o := stopOptions{f: f}
	return &cli.Command{
		Name:      "stop",
		Usage:     "end agents and checks; the plans fail as stopped",
		ArgsUsage: "KEY…|--all",
		Category:  categoryRun,
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "every plan at work", Destination: &o.all}},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("stop"); err != nil {
				return err
			}
			if o.plans = c.Args().Slice(); len(o.plans) == 0 && !o.all || len(o.plans) > 0 && o.all {
				return usagef(usageOf(c), "stop needs plans or --all")
			}
			return stopRun(c.Context, o)
		},
	}
}

func stopRun(ctx context.Context, o stopOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		stopped, err := p.StopPlans(ctx, o.plans, o.all, func(e lifecycle.Event) { o.f.Infof("%s  %s", e.Key, e.Text) })
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(keysOf(stopped))
		}
		if len(stopped) == 0 {
			o.f.Infof("%s", errNothingToStop)
		}
		for _, key := range stopped {
			if err := o.f.Printf("%s stopped\n", key); err != nil {
				return err
			}
		}
		return nil
	})
}
