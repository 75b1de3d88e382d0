package cmd

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type doctorOptions struct{ f *Factory }

func newDoctorCommand(f *Factory) *cli.Command {
	o := doctorOptions{f: f}
	return &cli.Command{
		Name:      "doctor",
		Usage:     "look for what keeps Tendril from working here",
		ArgsUsage: " ",
		Category:  categoryTendril,
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return doctorRun(c.Context, o)
		},
	}
}

func doctorRun(ctx context.Context, o doctorOptions) error {
	repo, err := o.f.Repo(ctx)
	if err != nil {
		return err
	}
	findings := lifecycle.Examine(ctx, repo, o.f.Now)
	bad := false
	for _, x := range findings {
		bad = bad || x.State == lifecycle.Bad
	}
	if o.f.Global.JSON {
		if err := o.f.PrintJSON(findings); err != nil {
			return err
		}
	} else {
		for _, x := range findings {
			text := fmt.Sprintf("%-5s %s: %s\n", x.State, x.Name, term.Clean(x.Found))
			if x.Mend != "" {
				text += "      " + term.Clean(x.Mend) + "\n"
			}
			if err := o.f.Printf("%s", text); err != nil {
				return err
			}
		}
	}
	if bad {
		return errSaid
	}
	return nil
}
