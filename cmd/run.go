package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

type runOptions struct {
	f     *Factory
	plans []string
	once  bool
	trust bool
}

func newRunCommand(f *Factory) *cli.Command {
	o := runOptions{f: f}
	return &cli.Command{
		Name:      "run",
		Usage:     "start approved plans, check the work, merge what is accepted",
		ArgsUsage: "[KEY…]",
		Category:  categoryRun,
		Description: "Looks at the plans branch and takes the next step of each plan, again and again, and prints one line an event.\n" +
			"With keys it works on those plans only; it never approves anything.\n\n" +
			"Ctrl-C once ends the engine; agents go on, and the next run takes them up. Ctrl-C again within two seconds ends the\n" +
			"agents too; their plans stay executing and are resumed later.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "once", Usage: "end when all waits for a person; exit code 3 if a plan failed", Destination: &o.once},
			&cli.BoolFlag{Name: "trust", Usage: "trust the repository's commands; see tendril help trust", Destination: &o.trust},
		},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("run"); err != nil {
				return err
			}
			o.plans = c.Args().Slice()
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
		work, interrupts := interruptible(ctx)
		defer interrupts.stop()
		if !o.once {
			o.f.Infof("works until Ctrl-C; agents go on without it")
		}
		var happened atomic.Bool
		events := func(e lifecycle.Event) {
			happened.Store(true)
			o.f.printEvent(e)
		}
		engine := p.NewEngine(lifecycle.Options{Only: keys, Once: o.once, Trust: o.trust, Events: events})
		summary, err := engine.Run(work)
		if err != nil {
			return err
		}
		if work.Err() != nil {
			return runInterrupted(ctx, o.f, p, interrupts)
		}
		if !happened.Load() {
			o.f.Infof("nothing to do; tendril status shows what waits for you")
		}
		return runEnd(o, summary)
	})
}

// runEnd turns what the engine came to into the exit code.
func runEnd(o runOptions, s lifecycle.Summary) error {
	if n := len(s.Failed); n > 0 {
		keys := make([]string, n)
		for i, k := range s.Failed {
			keys[i] = string(k)
		}
		slices.Sort(keys)
		return &planFailed{keys: slices.Compact(keys)}
	}
	if len(s.Stuck) > 0 {
		return fmt.Errorf("%d plans cannot go on\n  see tendril status", len(s.Stuck))
	}
	return nil
}

// secondChance is how long after the first Ctrl-C a second one ends the agents too.
const secondChance = 2 * time.Second

// runInterrupted says what goes on, and ends the agents when asked again.
func runInterrupted(ctx context.Context, f *Factory, p *lifecycle.Project, in *interrupts) error {
	alive, err := p.LiveRuns()
	if err != nil {
		return err
	}
	if len(alive) == 0 {
		f.Infof("the engine ended; no agent is at work")
		return nil
	}
	f.Infof("the engine ended; %d agents go on, and the next tendril run takes them up", len(alive))
	if !in.asked {
		return nil
	}
	f.Infof("Ctrl-C again within %s ends them", secondChance)
	if !in.again(ctx, secondChance) {
		return nil
	}
	n, err := p.EndRuns(ctx)
	f.Infof("%d agents ended; their plans stay executing and are resumed by the next tendril run", n)
	return err
}

// interrupts listens for the signals that end the engine.
type interrupts struct {
	signals chan os.Signal
	cancel  context.CancelFunc
	done    chan struct{}
	// asked is true when a Ctrl-C ended the engine, rather than a signal meant for the process alone.
	asked bool
}

// interruptible is a context that ends with the first signal.
func interruptible(ctx context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(ctx)
	in := &interrupts{signals: make(chan os.Signal, 4), cancel: cancel, done: make(chan struct{})}
	signal.Notify(in.signals, endSignals()...)
	go func() {
		defer close(in.done)
		select {
		case s := <-in.signals:
			in.asked = s == os.Interrupt
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, in
}

// again says whether another Ctrl-C comes within d.
func (in *interrupts) again(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case s := <-in.signals:
		return s == os.Interrupt
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// stop ends the listening.
func (in *interrupts) stop() {
	signal.Stop(in.signals)
	in.cancel()
	<-in.done
}

// printEvent prints one line for a thing that happened; with --json one object.
func (f *Factory) printEvent(e lifecycle.Event) {
	if f.Global.JSON {
		// A reader that went away is noticed at the end of the command.
		_ = f.PrintJSONLine(struct {
			At   time.Time `json:"at"`
			Key  plans.Key `json:"key,omitempty"`
			Kind string    `json:"kind"`
			Text string    `json:"text"`
		}(e))
		return
	}
	if f.Global.Quiet {
		return
	}
	who := string(e.Key)
	if who == "" {
		who = "tendril"
	}
	_, _ = fmt.Fprintf(f.IO.Out, "%s  %s  %s\n", e.At.Format(time.TimeOnly), who, term.CleanText(e.Text))
}

var errNothingToStop = errors.New("no plan is at work")
