package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type sayOptions struct {
	f       *Factory
	plan    string
	text    string
	message string
}

func newSayCommand(f *Factory) *cli.Command {
	o := sayOptions{f: f}
	return &cli.Command{
		Name:      "say",
		Usage:     "give the plan's agent your words, as its next turn",
		ArgsUsage: "KEY TEXT|-",
		Category:  categoryRun,
		Description: "The words go into the agent's session once the run or the checks under way end, before anything else is started or checked. They spend no attempt. " +
			"A plan that has not started gets them with its first prompt. - reads them from standard input.\n\n" +
			"An agent that cannot go on with a session gets a fresh one, with the plan and your words. Plans in review or failed hear nothing: see tendril request-changes and tendril attach. " +
			"Taking the plan back (draft, reject) or stopping it drops words that were not heard, and says so.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "say `TEXT`", Destination: &o.message}},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("say"); err != nil {
				return err
			}
			if err := someArgs(c, "plan"); err != nil {
				return err
			}
			o.plan, o.text = c.Args().First(), strings.Join(c.Args().Tail(), " ")
			if (o.text == "") == (o.message == "") {
				return usagef(usageOf(c), "say needs your words, once")
			}
			return sayRun(c.Context, o)
		},
	}
}

func sayRun(ctx context.Context, o sayOptions) error {
	text := o.text + o.message
	if text == "-" {
		data, err := io.ReadAll(o.f.IO.In)
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		text = string(data)
	}
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		actor, err := p.GitActor(ctx)
		if err != nil {
			return err
		}
		said, err := p.Say(ctx, actor.Name, o.plan, text)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(said)
		}
		if err := o.f.Printf("%s said\n", said.Key); err != nil {
			return err
		}
		if said.Engine {
			o.f.Infof("%s", said.When)
		} else {
			o.f.Infof("%s; no engine runs: tendril run goes on with it", said.When)
		}
		return nil
	})
}
