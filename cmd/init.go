package cmd

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/config"
	"tendril/lifecycle"
)

type initOptions struct {
	f                       *Factory
	layout, agent, autonomy string
	yes, show, move         bool
}

func newInitCommand(f *Factory) *cli.Command {
	o := initOptions{f: f}
	return &cli.Command{
		Name:      "init",
		Usage:     "set a repository up: find its commands, write and commit the configuration",
		ArgsUsage: " ",
		Category:  categoryTendril,
		Description: "Finds the default branch, the project's own commands and the agents on PATH, asks what is to be decided, and " +
			"commits .tendril/config.yaml, the board and two small files beside it on the plans branch, in your name, wherever you " +
			"stand. Your checkout's edits, staged or not, stay as they are.\n\n" +
			"Called again it adds what is missing, and changes nothing that is there.\n\n" +
			"--move-plans takes the plans from the default branch to one of their own, or back: a commit on each, in your name. Approvals " +
			"and acceptances go on counting, and each plan keeps its history. It waits for no agent: no engine may run, and no plan may be " +
			"executing, verifying or accepted. Cut off, it is finished by the next call.\n\n" +
			"Without a terminal, or with --yes, nothing is asked: what no option says is taken as proposed, and said.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "layout", Usage: "where plans live: `LAYOUT` is default-branch or own-branch", Destination: &o.layout},
			&cli.StringFlag{Name: "agent", Usage: "who works on plans that name nobody: `AGENT` is claude, claude:opus, script …", Destination: &o.agent},
			&cli.StringFlag{Name: "autonomy", Usage: "what agents may do: `HOW` is edit (change files) or full (run commands too)", Destination: &o.autonomy},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "ask nothing", Destination: &o.yes},
			&cli.BoolFlag{Name: "move-plans", Usage: "bring the plans, with all that belongs to them, to the other layout, or to the one that --layout names", Destination: &o.move},
			&cli.BoolFlag{Name: "show", Usage: "only print the configuration as it would be written", Destination: &o.show},
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			if err := f.refuseAgents("init"); err != nil {
				return err
			}
			if err := oneOf("--layout", o.layout, lifecycle.LayoutDefault, lifecycle.LayoutOwn); err != nil {
				return err
			}
			if err := oneOf("--autonomy", o.autonomy, config.AutonomyEdit, config.AutonomyFull); err != nil {
				return err
			}
			if o.move {
				if o.agent != "" || o.autonomy != "" || o.show {
					return usagef("leave them out", "--move-plans goes with --layout only: it changes nothing else")
				}
				return movePlansRun(c.Context, o)
			}
			return initRun(c.Context, o)
		},
	}
}

// oneOf refuses an option's value that is not one of those there are; empty is not given.
func oneOf(option, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a || value == "" {
			return nil
		}
	}
	return usagef("one of: "+strings.Join(allowed, ", "), "%s cannot be %q", option, value)
}

func initRun(ctx context.Context, o initOptions) error {
	repo, err := o.f.Repo(ctx)
	if err != nil {
		return err
	}
	survey, err := lifecycle.SurveyRepo(ctx, repo, lifecycle.Deps{Now: o.f.Now, NewID: o.f.NewID})
	if err != nil {
		return err
	}
	if o.agent != "" {
		if err := survey.KnownAgent(o.agent); err != nil {
			return err
		}
	}
	actor, err := survey.GitActor(ctx)
	if err != nil {
		return err
	}
	if !o.f.Global.JSON && !o.show {
		if err := o.f.Printf("%s", surveyText(survey, o.f.IO.Term)); err != nil {
			return err
		}
	}
	choice, err := o.choose(survey, actor)
	if err != nil {
		return err
	}
	if o.show {
		if survey.Config != nil {
			o.f.Infof("%s is there on %s already: it would stay as it is", config.File, survey.Branch)
			return nil
		}
		return o.f.Printf("%s", survey.ConfigText(choice))
	}
	done, err := survey.Initialise(ctx, actor, choice)
	if err != nil {
		return err
	}
	if survey.Config != nil {
		choice.Agent, choice.Autonomy = survey.Config.Agent, survey.Config.Autonomy
	}
	if o.f.Global.JSON {
		return o.f.PrintJSON(initReport(survey, o.f.Global.Dir, choice, done))
	}
	return o.f.Printf("%s", doneText(survey, o.f.Global.Dir, actor, choice, done, o.f.IO.Term))
}
