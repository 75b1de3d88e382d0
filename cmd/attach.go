package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type attachOptions struct {
	f         *Factory
	plan      string
	interrupt bool
}

func newAttachCommand(f *Factory) *cli.Command {
	o := attachOptions{f: f}
	return &cli.Command{
		Name:      "attach",
		Usage:     "sit down at the agent's own program, on the plan's session",
		ArgsUsage: "KEY",
		Category:  categoryRun,
		Description: "Starts the agent's interactive program in the plan's worktree, on the session of its last run, and holds the plan meanwhile: no engine starts, checks or merges it. " +
			"The plan must be executing, verifying, in review or failed.\n\n" +
			"When you leave, what is not committed is committed as the agent's. If the branch has something new then, it is checked next; if not, an interrupted agent goes on, and any other plan stays where it was. " +
			"What the session cost is not known, and costs.csv says so.",
		Flags: []cli.Flag{&cli.BoolFlag{
			Name: "interrupt", Usage: "end the run or the checks under way first; no attempt is spent", Destination: &o.interrupt,
		}},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("attach"); err != nil {
				return err
			}
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return attachRun(c.Context, o)
		},
	}
}

func attachRun(ctx context.Context, o attachOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		done, err := p.Attach(ctx, o.plan, o.interrupt, o.f.terminal(), func(a lifecycle.Attached) {
			o.f.Infof("%s: %s on session %s; the plan is yours until you leave it", a.Key, a.Agent, a.Session)
		})
		if err != nil {
			return err
		}
		for _, left := range done.LeftOut {
			o.f.Warnf("not committed: %s", left)
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(done)
		}
		o.f.Infof("%s: %s", done.Key, done.Next)
		return nil
	})
}

// terminal is where the person of this call sits.
func (f *Factory) terminal() lifecycle.Terminal {
	return lifecycle.Terminal{In: f.IO.In, Out: f.IO.Out, Err: f.IO.Err}
}
