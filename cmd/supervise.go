package cmd

import (
	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

func newSuperviseCommand(*Factory) *cli.Command {
	return &cli.Command{
		Name:      superviseCommand,
		Usage:     "keep one agent run (started by tendril itself)",
		ArgsUsage: "RUN-FOLDER",
		Hidden:    true,
		Category:  categoryTendril,
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a run's folder"); err != nil {
				return err
			}
			return lifecycle.Supervise(c.Context, c.Args().First())
		},
	}
}
