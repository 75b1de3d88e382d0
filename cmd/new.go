package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/config"
	"tendril/lifecycle"
)

type newOptions struct {
	f        *Factory
	title    string
	body     string
	noCommit bool
}

func newNewCommand(f *Factory) *cli.Command {
	o := newOptions{f: f}
	return &cli.Command{
		Name:      "new",
		Usage:     "write a plan, as a draft",
		ArgsUsage: "TITLE",
		Category:  categoryPlans,
		Description: "Makes plans/NNNN-slug/plan.md on the plans branch, in a commit of yours, and prints the plan's key.\n" +
			"The plan starts as a draft: edit it with tendril edit, then approve it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "body", Usage: "what follows the front matter: a `FILE`, or - for standard input", Destination: &o.body},
			&cli.BoolFlag{Name: "no-commit", Usage: "only write the file; commit nothing", Destination: &o.noCommit},
		},
		Action: func(c *cli.Context) error {
			if err := someArgs(c, "title"); err != nil {
				return err
			}
			if err := f.refuseAgents("new"); err != nil {
				return err
			}
			if o.title = strings.Join(c.Args().Slice(), " "); strings.TrimSpace(o.title) == "" {
				return usagef(usageOf(c), "new needs a title with words in it")
			}
			return newRun(c.Context, o)
		},
	}
}

func newRun(ctx context.Context, o newOptions) error {
	body, err := readBody(o.f.IO.In, o.body)
	if err != nil {
		return err
	}
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		actor, err := p.GitActor(ctx)
		if err != nil {
			return err
		}
		made, err := p.New(ctx, actor, lifecycle.NewRequest{Title: o.title, Body: body, NoCommit: o.noCommit})
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(struct {
				Key    string `json:"key"`
				Path   string `json:"path"`
				File   string `json:"file,omitempty"`
				Commit string `json:"commit,omitempty"`
			}{string(made.Key), made.Path, made.File, made.Commit})
		}
		if err := o.f.Printf("%s\n", made.Key); err != nil {
			return err
		}
		if configured, err := p.Configured(ctx); err == nil && !configured {
			o.f.Infof("there is no %s yet: tendril init writes one", config.File)
		}
		if made.Commit != "" {
			o.f.Infof("a draft, in commit %.10s; next: tendril edit %s, then tendril approve %s", made.Commit, made.Key, made.Key)
		} else {
			o.f.Infof("a draft in %s; commit it when it says what you want", made.File)
		}
		return nil
	})
}

// readBody reads a plan's body from a file or standard input.
func readBody(in io.Reader, name string) (string, error) {
	var data []byte
	var err error
	switch name {
	case "":
		return "", nil
	case "-":
		data, err = io.ReadAll(in)
	default:
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return "", fmt.Errorf("--body: %w\n  give a file that can be read, or - for standard input", err)
	}
	return string(data), nil
}
