package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
)

type agentsOptions struct{ f *Factory }

func newAgentsCommand(f *Factory) *cli.Command {
	o := agentsOptions{f: f}
	return &cli.Command{
		Name:      "agents",
		Usage:     "list the coding agents: installed, version, logged in",
		ArgsUsage: "[COMMAND]",
		Category:  categoryLook,
		Description: "Nothing here asks a model. Whether somebody is logged in is told where the agent's program says so at no cost. A version other than those the agent's file was seen to work with is marked.\n\n" +
			"An agent is a file: tendril agents test shows what one makes of a recorded run.",
		Subcommands: []*cli.Command{newAgentsTestCommand(f)},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return agentsRun(c.Context, o)
		},
	}
}

func agentsRun(ctx context.Context, o agentsOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		infos, err := p.Agents(ctx)
		if err != nil {
			return err
		}
		if o.f.Global.JSON {
			return o.f.PrintJSON(infos)
		}
		table := o.f.Table("AGENT", "INSTALLED", "VERSION", "LOGGED IN", "AUTONOMY", "PROFILES", "NOTE").Whole(0, 1, 2).Drop(5, 6)
		for _, a := range infos {
			installed := "yes"
			if a.Path == "" {
				installed = "no"
			}
			table.Row(a.Name, installed, versionOf(a), loggedIn(a), a.Autonomy, strings.Join(a.Profiles, ", "), agentNote(a))
		}
		if err := table.Render(); err != nil {
			return err
		}
		for _, a := range infos {
			if a.Untested {
				o.f.Warnf("%s %s was not tested with this Tendril, which knows %s: look at a first run's costs and log", a.Name, term.Clean(*a.Version), strings.Join(a.Tested, " to "))
			}
		}
		return nil
	})
}

func versionOf(a lifecycle.AgentInfo) string {
	switch {
	case a.Version == nil:
		return ""
	case a.Untested:
		return term.Clean(*a.Version) + " (untested)"
	default:
		return term.Clean(*a.Version)
	}
}

func loggedIn(a lifecycle.AgentInfo) string {
	switch {
	case a.LoggedIn == nil:
		return ""
	case *a.LoggedIn:
		return "yes"
	default:
		return "no"
	}
}

// agentNote is what a person would do next about an agent.
func agentNote(a lifecycle.AgentInfo) string {
	var notes []string
	if a.Default {
		notes = append(notes, "the configuration's")
	}
	switch {
	case a.Problem != "":
		notes = append(notes, term.Clean(a.Problem))
	case a.Path == "" && a.Install != "":
		notes = append(notes, term.Clean(a.Install))
	case a.Path == "":
		notes = append(notes, fmt.Sprintf("%s is not on PATH", term.Clean(a.Program)))
	case a.LoggedIn != nil && !*a.LoggedIn && a.Login != "":
		notes = append(notes, term.Clean(a.Login))
	}
	if a.File != "" {
		notes = append(notes, a.File)
	}
	return strings.Join(notes, "; ")
}
