package cmd

import (
	"context"
	"runtime"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
)

type shellOptions struct {
	f       *Factory
	req     lifecycle.ShellRequest
	command bool
}

func newShellCommand(f *Factory) *cli.Command {
	o := shellOptions{f: f}
	return &cli.Command{
		Name:      "shell",
		Usage:     "open your shell in the plan's worktree, or run a command there",
		ArgsUsage: "KEY [-- COMMAND…]",
		Category:  categoryRun,
		Description: "It is your shell with your environment; TENDRIL_PLAN has the plan's key. The plan is held until you leave: no engine starts an agent there, checks it or commits what you have not. " +
			"Your commits are yours: a plan in review or failed whose branch has moved is checked again, an executing one goes on from there. Nothing is committed for you.\n\n" +
			"With a command the exit code is the command's.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "interrupt", Usage: "end the run or the checks under way first; no attempt is spent", Destination: &o.req.Interrupt},
			&cli.BoolFlag{Name: "no-hold", Usage: "open it beside whatever works there: to look, not to change", Destination: &o.req.NoHold},
		},
		Action: func(c *cli.Context) error {
			if err := f.refuseAgents("shell"); err != nil {
				return err
			}
			if err := someArgs(c, "plan"); err != nil {
				return err
			}
			if o.req.NoHold && o.req.Interrupt {
				return usagef("leave one of them out", "--no-hold and --interrupt contradict each other")
			}
			o.req.Plan, o.req.Argv = c.Args().First(), c.Args().Tail()
			if o.command = len(o.req.Argv) > 0; !o.command {
				o.req.Argv = []string{f.shell()}
			}
			return shellRun(c.Context, o)
		},
	}
}

// shell is the person's shell.
func (f *Factory) shell() string {
	name, fallback := "SHELL", "sh"
	if runtime.GOOS == "windows" {
		name, fallback = "COMSPEC", "cmd.exe"
	}
	if s := f.IO.Env(name); s != "" {
		return s
	}
	return fallback
}

func shellRun(ctx context.Context, o shellOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		done, err := p.Shell(ctx, o.req, o.f.terminal(), func(dir string) {
			if !o.command {
				o.f.Infof("%s in %s; exit leaves it", o.req.Argv[0], dir)
			}
		})
		if err != nil {
			return err
		}
		if done.Uncommitted && !o.command {
			o.f.Infof("%s: there are changes that no commit has; yours count once you commit them, and an agent that goes on there takes them for its own", done.Key)
		}
		if o.command && done.Exit != 0 {
			return &childExited{code: done.Exit}
		}
		return nil
	})
}
