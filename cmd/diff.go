package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type diffOptions struct {
	f    *Factory
	plan string
	stat bool
}

func newDiffCommand(f *Factory) *cli.Command {
	o := diffOptions{f: f}
	return &cli.Command{
		Name:      "diff",
		Usage:     "show what a plan's branch changed since it left its base",
		ArgsUsage: "KEY",
		Category:  categoryLook,
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "stat", Usage: "the files and their lines only", Destination: &o.stat}},
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return diffRun(c.Context, o)
		},
	}
}

// diffFile is one file of diff --json.
type diffFile struct {
	Path    string `json:"path"`
	Old     string `json:"old,omitempty"`
	Status  string `json:"status"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

func diffRun(ctx context.Context, o diffOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		d, err := p.Diff(ctx, o.plan)
		if err != nil {
			return err
		}
		files := make([]diffFile, 0, len(d.Files))
		for _, s := range d.Files {
			files = append(files, diffFile{s.Path, s.Old, s.Status, s.Added, s.Deleted, s.Binary})
		}
		switch {
		case o.f.Global.JSON:
			return o.f.PrintJSON(files)
		case !o.stat:
			return o.f.Printf("%s", d.Patch)
		}
		table := o.f.Table("", "ADDED", "DELETED", "FILE")
		for _, s := range files {
			table.Row(s.Status, count(s.Added, s.Binary), count(s.Deleted, s.Binary), s.Path)
		}
		return table.Render()
	})
}
