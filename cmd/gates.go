package cmd

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
	"tendril/plans"
)

type gateOptions struct {
	f         *Factory
	command   string
	plans     []string
	to        plans.Status
	message   string
	fresh     bool
	withEdits bool
	// unverified: what no check vouches for is accepted.
	unverified bool
}

// gateCommand describes a command that sets plans to a status in the person's name.
type gateCommand struct {
	name, usage, about string
	to                 plans.Status
	edits, fresh       bool
}

// gateCommands are the commands that only make the commit which a person could make by hand.
func gateCommands() []gateCommand {
	const commit = "It makes the commit that you could make by hand: the status line of plan.md, on the plans branch, in your name."
	return []gateCommand{
		{"approve", "pass gate 1: execute the plan with exactly this text", commit + "\nRefused where your working copy says something else than the branch; --with-edits takes that along.", plans.Approved, true, true},
		{"draft", "take plans back to be written; a run is stopped", commit, plans.Draft, true, false},
		{"icebox", "put plans aside", commit, plans.Icebox, true, false},
		{"reject", "say that plans will not be done; the branch stays", commit, plans.Rejected, false, false},
		{"accept", "pass gate 2: merge the commit that was checked", commit + "\nThe commit names the head of the plan's branch that was checked and shown. Where the branch moved meanwhile, the plan is verified again.", plans.Accepted, false, false},
		{"withdraw", "take your acceptance or your request for changes back", commit + "\nThe plan is in review again, with the head that was checked; so is one that was put aside while it was in review.", plans.InReview, false, false},
		{"request-changes", "send plans back with your words", commit + "\nSay what you want changed: the words of -m become a round in review.md, which the agent gets. Without -m it gets what you wrote into review.md yourself.", plans.ChangesRequested, false, false},
	}
}

func newGateCommands(f *Factory) []*cli.Command {
	var all []*cli.Command
	for _, g := range gateCommands() {
		all = append(all, newGateCommand(f, g))
	}
	return all
}

func newGateCommand(f *Factory, g gateCommand) *cli.Command {
	o := gateOptions{f: f, command: g.name, to: g.to}
	flags := []cli.Flag{&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "put `TEXT` into the commit", Destination: &o.message}}
	if g.edits {
		flags = append(flags, &cli.BoolFlag{Name: "with-edits", Usage: "take along what your working copy of the plan says", Destination: &o.withEdits})
	}
	if g.fresh {
		flags = append(flags, &cli.BoolFlag{Name: "fresh", Usage: "start anew; the old work stays in refs/tendril/old/", Destination: &o.fresh})
	}
	if g.to == plans.Accepted {
		flags = append(flags, &cli.BoolFlag{Name: "unverified", Usage: "also what no check vouches for", Destination: &o.unverified})
	}
	return &cli.Command{
		Name: g.name, Usage: g.usage, Description: g.about, ArgsUsage: "KEY…", Category: categoryGates, Flags: flags,
		Action: func(c *cli.Context) error {
			if err := someArgs(c, "plan"); err != nil {
				return err
			}
			if err := f.refuseAgents(g.name); err != nil {
				return err
			}
			o.plans = c.Args().Slice()
			return gateRun(c.Context, o)
		},
	}
}

func gateRun(ctx context.Context, o gateOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		actor, err := p.GitActor(ctx)
		if err != nil {
			return err
		}
		res, err := p.Pass(ctx, actor, lifecycle.PassRequest{
			Plans: o.plans, To: o.to, Message: o.message, Fresh: o.fresh, WithEdits: o.withEdits, Unverified: o.unverified,
		})
		if edited := (*lifecycle.EditedError)(nil); errors.As(err, &edited) {
			o.f.Infof("%s", strings.TrimRight(lifecycle.TextDiff(edited.Branch, edited.Edited), "\n"))
			return err
		}
		if err != nil {
			return err
		}
		return gatePrint(o.f, res)
	})
}

// gateNext is what becomes of plans that were set to a status.
func gateNext(to plans.Status) string {
	switch to {
	case plans.Approved:
		return "; tendril run starts it"
	case plans.Accepted:
		return "; tendril run merges it"
	case plans.ChangesRequested:
		return "; tendril run sends it to the agent"
	}
	return ""
}

// gatePrint says what was set, one line a plan.
func gatePrint(f *Factory, res lifecycle.PassResult) error {
	if f.Global.JSON {
		type passed struct {
			Key  plans.Key         `json:"key"`
			From plans.Status      `json:"from"`
			To   plans.Status      `json:"to"`
			Skip map[string]string `json:"skip,omitempty"`
		}
		out := struct {
			Commit string   `json:"commit"`
			Plans  []passed `json:"plans"`
		}{Commit: res.Commit}
		for _, r := range res.Passed {
			out.Plans = append(out.Plans, passed{r.Key, r.From, r.To, res.Skipped[r.Key]})
		}
		return f.PrintJSON(out)
	}
	for _, r := range res.Passed {
		if err := f.Printf("%s %s\n", r.Key, r.To); err != nil {
			return err
		}
	}
	f.Infof("in commit %.10s%s", res.Commit, gateNext(res.Passed[0].To))
	for _, r := range res.Passed {
		if n := res.Dropped[r.Key]; n > 0 {
			f.Warnf("%s: %d that you said and its agent did not hear: dropped", r.Key, n)
		}
		for _, name := range slices.Sorted(maps.Keys(res.Skipped[r.Key])) {
			f.Warnf("%s leaves out the check %s: %s", r.Key, name, res.Skipped[r.Key][name])
		}
	}
	if res.Behind != "" {
		f.Warnf("%s", res.Behind)
	}
	for _, left := range res.Left {
		f.Warnf("left as you have it: %s in %s (%s)", left.Path, left.Worktree, left.Why)
	}
	return nil
}
