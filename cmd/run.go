package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type runOptions struct {
	f      *Factory
	plans  []string
	once   bool
	trust  bool
	detach bool
}

func newRunCommand(f *Factory) *cli.Command {
	o := runOptions{f: f}
	return &cli.Command{
		Name:      "run",
		Usage:     "start approved plans, check the work, merge what is accepted",
		ArgsUsage: "[KEY…]",
		Category:  categoryRun,
		Description: "Looks at the plans branch and takes the next step of each plan, again and again. On a terminal it shows what is at\n" +
			"work, what waits for what and what waits for you, below one line an event; elsewhere, and with --quiet, --json or\n" +
			"TERM=dumb, it prints the events alone. With keys it works on those plans only; it never approves anything.\n\n" +
			"Ctrl-C once ends the engine; agents go on, and the next run takes them up. Ctrl-C again within two seconds ends the\n" +
			"agents too; their plans stay executing and are resumed later.\n\n" +
			"With --detach the engine leaves the terminal and works in the background, writing what happens to engine.log in the\n" +
			"runtime folder; tendril stop --engine ends it, and leaves its agents alone.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "once", Usage: "end when all waits for a person; exit code 3 if a plan failed", Destination: &o.once},
			&cli.BoolFlag{Name: "trust", Usage: "trust the repository's commands; see tendril help trust", Destination: &o.trust},
			&cli.BoolFlag{Name: "detach", Usage: "work in the background, away from the terminal", Destination: &o.detach},
		},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("run"); err != nil {
				return err
			}
			o.plans = c.Args().Slice()
			if o.detach {
				return detachRun(c.Context, o)
			}
			return runRun(c.Context, o)
		},
	}
}

func runRun(ctx context.Context, o runOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		keys, err := p.Keys(ctx, o.plans)
		if err != nil {
			return err
		}
		w := &watching{f: o.f}
		work, interrupts := interruptible(ctx, func(asked bool) { w.ending(p, asked) })
		defer interrupts.stop()
		// Whatever happens, the terminal is given back: before anything else is printed, and before a signal can end this.
		defer w.close()
		if !o.once && o.f.IO.Term.ErrTTY {
			o.f.Infof("works until Ctrl-C; agents go on without it")
		}
		w.open()
		engine := p.NewEngine(lifecycle.Options{Only: keys, Once: o.once, Trust: o.trust, Events: w.event, Scenes: w.scenes()})
		summary, err := engine.Run(work)
		if err != nil {
			return err
		}
		if work.Err() != nil {
			return runInterrupted(ctx, w, p, interrupts)
		}
		if !w.happened.Load() {
			w.say("nothing to do; tendril status shows what waits for you")
		}
		return runEnd(summary)
	})
}

// runEnd turns what the engine came to into the exit code.
func runEnd(s lifecycle.Summary) error {
	if n := len(s.Failed); n > 0 {
		keys := make([]string, n)
		for i, k := range s.Failed {
			keys[i] = string(k)
		}
		slices.Sort(keys)
		return &planFailed{keys: slices.Compact(keys)}
	}
	if len(s.Stuck) > 0 {
		words := fmt.Sprintf("%d plans", len(s.Stuck))
		if len(s.Stuck) == 1 {
			words = "one plan"
		}
		return fmt.Errorf("%s cannot go on\n  see tendril status", words)
	}
	return nil
}

// secondChance is how long after the first Ctrl-C a second one ends the agents too.
const secondChance = 2 * time.Second

// runInterrupted says what goes on, and ends the agents when asked again.
func runInterrupted(ctx context.Context, w *watching, p *lifecycle.Project, in *interrupts) error {
	alive, err := p.LiveRuns()
	if err != nil {
		return err
	}
	if len(alive) == 0 {
		w.say("the engine ended; no agent is at work")
		return nil
	}
	w.say("the engine ended; %s, and the next tendril run takes them up", goOn(len(alive)))
	if !in.asked {
		return nil
	}
	w.hint("Ctrl-C again within %s ends them", secondChance)
	if !in.again(ctx, secondChance) {
		return nil
	}
	w.hint("ending them; Ctrl-C once more ends the waiting for that")
	n := 0
	if cut := in.until(ctx, func(ctx context.Context) { n, err = p.EndRuns(ctx) }); cut && err != nil {
		return errors.New("not waited for any longer: the agents were told to end, and may be at it still\n  tendril status shows who is at work")
	}
	if err != nil {
		return err
	}
	w.say("%s ended; their plans stay executing and are resumed by the next tendril run", agents(n))
	return nil
}

// agents counts agents, goOn says that so many go on.
func agents(n int) string {
	if n == 1 {
		return "1 agent"
	}
	return fmt.Sprintf("%d agents", n)
}

func goOn(n int) string {
	if n == 1 {
		return "1 agent goes on"
	}
	return fmt.Sprintf("%d agents go on", n)
}

var errNothingToStop = errors.New("no plan is at work")
