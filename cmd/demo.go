package cmd

import (
	"github.com/urfave/cli/v2"

	"tendril/internal/git"
	"tendril/internal/ui/demo"
)

func newDemoCommand(f *Factory) *cli.Command {
	keep := false
	return &cli.Command{
		Name:      "demo",
		Usage:     "watch three plans go from draft to their end",
		ArgsUsage: " ",
		Category:  categoryTendril,
		Description: "Plays in a temporary repository. Needs git and bash; no network, no key. One plan passes at once, one fails its check and mends itself, one is\n" +
			"rejected. You see each command, the commits and the board.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "keep", Usage: "leave the repository, and say where it is", Destination: &keep}},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			// Before anything is said: the demo itself would stumble over it half-way.
			if err := git.CheckVersion(c.Context); err != nil {
				return err
			}
			self, err := f.self()
			if err != nil {
				return err
			}
			return demo.Run(c.Context, demo.Options{Self: []string{self}, Out: f.IO.Out, Keep: keep})
		},
	}
}
