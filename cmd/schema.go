package cmd

import (
	"github.com/urfave/cli/v2"

	"tendril/internal/config"
	"tendril/plans"
)

type schemaOptions struct {
	f    *Factory
	what string
}

func newSchemaCommand(f *Factory) *cli.Command {
	o := schemaOptions{f: f}
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of the configuration, or of a plan's front matter",
		ArgsUsage: "config|plan",
		Category:  categoryTendril,
		Description: "For editors, which complete and check keys with it, and for programs that write such files. What a schema cannot say\n" +
			"is checked when a file is read: tendril doctor and tendril status name the line.",
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "config or plan"); err != nil {
				return err
			}
			o.what = c.Args().First()
			return schemaRun(o)
		},
	}
}

func schemaRun(o schemaOptions) error {
	switch o.what {
	case "config":
		return o.f.PrintJSON(config.Schema())
	case "plan":
		return o.f.PrintJSON(plans.Schema())
	default:
		return usagef("one of: config, plan", "no schema of %q", o.what)
	}
}
