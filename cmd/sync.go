package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type syncOptions struct {
	f      *Factory
	follow bool
}

func newSyncCommand(f *Factory) *cli.Command {
	o := syncOptions{f: f}
	return &cli.Command{
		Name:      "sync",
		Usage:     "fetch the shared plans branch, and say what is not pushed",
		ArgsUsage: " ",
		Category:  categoryRun,
		Description: "Asks the remote that the configuration names under sync once, and fast-forwards your own branch where that is possible.\n" +
			"Nothing of yours is pushed: your commits are yours to push. tendril help clones tells how clones share a queue.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Usage: "take a remote branch that was set back or rewritten as it stands there", Destination: &o.follow},
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return syncRun(c.Context, o)
		},
	}
}

func syncRun(ctx context.Context, o syncOptions) error {
	if o.follow {
		if err := o.f.refuseAgents("sync --follow"); err != nil {
			return err
		}
	}
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		v, err := p.Sync(ctx, o.follow)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(v)
		}
		if err := o.f.Printf("%s of %s at %.10s\n", v.Branch, v.Remote, v.Tip); err != nil {
			return err
		}
		for _, note := range v.Notes() {
			// The remote's own words may be in it.
			if err := o.f.Printf("! %s\n", term.Clean(note)); err != nil {
				return err
			}
		}
		return nil
	})
}
