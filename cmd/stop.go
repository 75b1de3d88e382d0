package cmd

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type stopOptions struct {
	f     *Factory
	plans []string
	all   bool
	// engine ends the engine in place of plans, agents what works for it too.
	engine, agents bool
}

func newStopCommand(f *Factory) *cli.Command {
	o := stopOptions{f: f}
	return &cli.Command{
		Name:      "stop",
		Usage:     "end agents and checks; the plans fail as stopped",
		ArgsUsage: "KEY…|--all|--engine",
		Category:  categoryRun,
		Description: "Ends what works for the plans; they fail with the reason stopped, and tendril approve starts them again.\n\n" +
			"With --engine it ends the engine instead, wherever it runs, as Ctrl-C does: agents go on, and the next tendril run\n" +
			"takes them up. With --agents besides it ends the agents too; their plans stay executing and are resumed later.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "every plan at work", Destination: &o.all},
			&cli.BoolFlag{Name: "engine", Usage: "the engine; agents go on", Destination: &o.engine},
			&cli.BoolFlag{Name: "agents", Usage: "with --engine: the agents too", Destination: &o.agents},
		},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("stop"); err != nil {
				return err
			}
			o.plans = c.Args().Slice()
			switch wanted := boolsSet(len(o.plans) > 0, o.all, o.engine); {
			case wanted != 1:
				return usagef(usageOf(c), "stop needs plans, --all or --engine, one of them")
			case o.agents && !o.engine:
				return usagef(usageOf(c), "--agents goes with --engine")
			case o.engine:
				return stopEngine(c.Context, o)
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

// stopEngine ends the engine, and the agents where that is asked for.
func stopEngine(ctx context.Context, o stopOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		pid, err := p.EndEngine(ctx)
		if err != nil {
			return err
		}
		alive, err := p.LiveRuns()
		if err != nil {
			return err
		}
		ended := 0
		if o.agents {
			if ended, err = p.EndRuns(ctx); err != nil {
				return err
			}
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(struct {
				Engine int `json:"engine,omitempty"`
				Agents int `json:"agents_ended"`
			}{pid, ended})
		}
		engine := "no engine runs"
		if pid != 0 {
			engine = fmt.Sprintf("the engine (process %d) ended", pid)
		}
		switch {
		case ended > 0:
			return o.f.Printf("%s; %s ended, their plans stay executing and are resumed by the next tendril run\n", engine, agents(ended))
		case len(alive) > 0 && !o.agents:
			return o.f.Printf("%s; %s, and the next tendril run takes them up\n", engine, goOn(len(alive)))
		default:
			return o.f.Printf("%s; no agent is at work\n", engine)
		}
	})
}

// boolsSet counts what is true.
func boolsSet(all ...bool) int {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}
