package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type pathOptions struct {
	f    *Factory
	plan string
}

func newPathCommand(f *Factory) *cli.Command {
	o := pathOptions{f: f}
	return &cli.Command{
		Name:      "path",
		Usage:     "print where a plan is worked on",
		ArgsUsage: "KEY",
		Category:  categoryLook,
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return pathRun(c.Context, o)
		},
	}
}

func pathRun(ctx context.Context, o pathOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		path, err := p.WorktreePath(ctx, o.plan)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(struct {
				Path string `json:"path"`
			}{path})
		}
		return o.f.Printf("%s\n", path)
	})
}
