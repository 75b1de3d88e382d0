package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

type checkOptions struct {
	f           *Factory
	plan, check string
}

func newCheckCommand(f *Factory) *cli.Command {
	o := checkOptions{f: f}
	return &cli.Command{
		Name:      "check",
		Usage:     "run a plan's checks in its worktree, as it lies there",
		ArgsUsage: "[KEY] [NAME]",
		Category:  categoryRun,
		Description: "Runs all checks, or the one that is named. It proves nothing and changes no state: Tendril runs the checks itself on\n" +
			"what is committed. An agent calls it without a key. Exit code 1 when a required check fails.",
		Action: func(c *cli.Context) error {
			if err := atMostArgs(c, 2); err != nil {
				return err
			}
			args := c.Args().Slice()
			if o.plan = f.IO.Env("TENDRIL_PLAN"); o.plan == "" {
				if len(args) == 0 {
					return usagef(usageOf(c), "check needs a plan")
				}
				o.plan, args = args[0], args[1:]
			} else if len(args) > 0 && args[0] == o.plan {
				args = args[1:]
			}
			if len(args) > 1 {
				return usagef(usageOf(c), "check takes one name of a check, got %q besides", args[1])
			}
			if len(args) == 1 {
				o.check = args[0]
			}
			return checkRun(c.Context, o)
		},
	}
}

func checkRun(ctx context.Context, o checkOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		res, err := p.TryChecks(ctx, o.plan, o.check, o.f.Infof)
		if err != nil {
			return err
		}
		v := res.Verification
		if o.f.Global.JSON {
			if err := o.f.PrintJSON(v); err != nil {
				return err
			}
		} else {
			for _, c := range v.Checks {
				if err := o.f.Printf("%-8s %s\n", c.Result, c.Name); err != nil {
					return err
				}
				for _, one := range c.Cases {
					if err := o.f.Printf("%s\n", indent(term.CleanText(strings.TrimPrefix(one.Where()+": ", ": ")+one.Name+suffix(": ", one.Message)))); err != nil {
						return err
					}
				}
				if c.Result == plans.ResultFailed && c.Tail != "" {
					if err := o.f.Printf("%s\n", indent(term.CleanText(c.Tail))); err != nil {
						return err
					}
				}
			}
		}
		if v.Result == plans.ResultFailed {
			return errSaid
		}
		return nil
	})
}

// count is a number of lines, or a dash for a binary file.
func count(n int, binary bool) string {
	if binary {
		return "-"
	}
	return fmt.Sprint(n)
}
