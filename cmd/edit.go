package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
	"tendril/plans"
)

type editOptions struct {
	f        *Factory
	plan     string
	noCommit bool
}

func newEditCommand(f *Factory) *cli.Command {
	o := editOptions{f: f}
	return &cli.Command{
		Name:      "edit",
		Usage:     "open a plan in your editor, and commit what you made of it",
		ArgsUsage: "KEY",
		Category:  categoryPlans,
		Description: "Opens plan.md where the plans branch is checked out, else a copy of it, in the editor that git would use.\n" +
			"What you saved is committed on the plans branch in your name. Where somebody decided on the plan already, it says\n" +
			"first what another text means.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "no-commit", Usage: "leave the edit where the plans branch is checked out", Destination: &o.noCommit},
		},
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			if err := f.refuseAgents("edit"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return editRun(c.Context, o)
		},
	}
}

func editRun(ctx context.Context, o editOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		actor, err := p.GitActor(ctx)
		if err != nil {
			return err
		}
		open, err := p.OpenForEdit(ctx, o.plan)
		if err != nil {
			return err
		}
		if o.noCommit && open.Temporary {
			return errors.New("the plans branch is not checked out, so there is no place for the edit\n  leave out --no-commit")
		}
		if meaning := editMeaning(open.Key, open.Status); meaning != "" {
			o.f.Infof("%s", meaning)
		}
		if err := runEditor(ctx, o.f, p, open.File); err != nil {
			return err
		}
		if o.noCommit {
			return nil
		}
		res, err := p.Edited(ctx, actor, open)
		if err != nil {
			return err
		}
		if open.Temporary {
			if err := os.RemoveAll(filepath.Dir(open.File)); err != nil {
				return fmt.Errorf("remove the edited copy: %w", err)
			}
		}
		if res.Commit == "" {
			o.f.Infof("nothing changed")
			return nil
		}
		o.f.Infof("%s edited, in commit %.10s", open.Key, res.Commit)
		return nil
	})
}

// editMeaning says what another text means for a plan on which somebody decided already (design section 3); nothing for one
// that is still being written.
func editMeaning(key plans.Key, status plans.Status) string {
	text := ""
	switch status {
	case plans.Approved:
		text = "your change is another approval, by you: it starts with the new text"
	case plans.Executing, plans.Verifying:
		text = "the work goes on with the text that was approved, and your change is shown at the review\n" +
			"  tendril say " + string(key) + " \"…\" tells the agent something now; tendril draft " + string(key) + " stops it"
	case plans.ChangesRequested:
		text = "the next round works on the text that was approved, with your review\n" +
			"  for another text: tendril draft " + string(key) + ", then edit, then approve"
	case plans.InReview:
		text = "what waits for review was made from the text that was approved; your change is shown there\n" +
			"  to have it worked on: tendril request-changes " + string(key) + " -m \"…\""
	case plans.Accepted:
		text = "the commit that was accepted goes in, whatever the text says now"
	case plans.Merged:
		text = "it is in the base already: nothing follows from another text"
	default:
		return ""
	}
	return fmt.Sprintf("%s is %s: %s", key, status, text)
}

// runEditor runs the editor that git would use. It is a shell's text by git's own rule, so a shell reads it; the file's
// name reaches it as an argument.
func runEditor(ctx context.Context, f *Factory, p *lifecycle.Project, file string) error {
	editor := ""
	for _, name := range []string{"GIT_EDITOR", "VISUAL", "EDITOR"} {
		if name == "VISUAL" && editor == "" {
			editor = p.ConfiguredEditor(ctx)
		}
		if v := f.IO.Env(name); editor == "" && v != "" {
			editor = v
		}
	}
	if editor == "" {
		editor = "vi"
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f.IO.In, f.IO.Err, f.IO.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %s: %w\n  nothing was committed; what you wrote is in %s", strings.Fields(editor)[0], err, file)
	}
	return nil
}
