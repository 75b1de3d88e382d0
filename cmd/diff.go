package cmd

import (
	"context"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
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
		Description: "On a terminal it is coloured and goes through git's pager; elsewhere it is the patch as git wrote it:\n" +
			"tendril diff KEY | git apply brings it into a working tree.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "stat", Usage: "the files and their lines only", Destination: &o.stat}},
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return diffRun(c.Context, o)
		},
	}
}

// patchText is a patch for a person's eyes: whatever would steer the terminal is taken out, the ids of blobs are short, and
// it is coloured where that is wanted.
func patchText(info term.Info, patch []byte) string {
	var b strings.Builder
	inHunk := false
	for line := range strings.Lines(string(patch)) {
		text, ended := strings.CutSuffix(line, "\n")
		// A line end of another system is content; it is not seen anyway.
		text = term.CleanText(strings.TrimSuffix(text, "\r"))
		style := term.Plain
		switch {
		case strings.HasPrefix(text, "diff --git "):
			inHunk, style = false, term.Bold
		case strings.HasPrefix(text, "@@"):
			inHunk, style = true, term.Cyan
		case !inHunk && strings.HasPrefix(text, "index "):
			text, style = fullID.ReplaceAllString(text, "$1"), term.Bold
		case !inHunk:
			style = term.Bold
		case strings.HasPrefix(text, "+"):
			style = term.Green
		case strings.HasPrefix(text, "-"):
			style = term.Red
		}
		b.WriteString(info.Paint(style, text))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// fullID is the id of a blob, of which a person reads the beginning.
var fullID = regexp.MustCompile(`\b([0-9a-f]{10})[0-9a-f]{30,54}\b`)

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
		case !o.stat && !o.f.IO.Term.OutTTY:
			// The bytes as they are: for git apply, and for other programs.
			return o.f.Printf("%s", d.Patch)
		case !o.stat:
			return o.f.page(ctx, p, patchText(o.f.IO.Term, d.Patch))
		}
		table := o.f.Table("", "ADDED", "DELETED", "FILE").Whole(3)
		for _, s := range files {
			table.Row(s.Status, count(s.Added, s.Binary), count(s.Deleted, s.Binary), s.Path)
		}
		return table.Render()
	})
}
