package cmd

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// Categories of commands, in the order in which help shows them.
const (
	categoryPlans   = "Plans"
	categoryGates   = "Gates"
	categoryRun     = "Running"
	categoryLook    = "Looking"
	categoryTendril = "Tendril"
)

// categories is the order of help.
func categories() []string {
	return []string{categoryPlans, categoryGates, categoryRun, categoryLook, categoryTendril}
}

// commands are all commands. A command over lifecycle is added here and lives in a file of its own.
func commands(f *Factory) []*cli.Command {
	list := []*cli.Command{
		newNewCommand(f), newListCommand(f), newShowCommand(f), newEditCommand(f),
		newRunCommand(f), newStopCommand(f), newCheckCommand(f), newSayCommand(f), newAttachCommand(f), newShellCommand(f),
		newCompletionCommand(f), newCompleteCommand(f),
		newStatusCommand(f), newAgentsCommand(f), newDiffCommand(f), newLogsCommand(f), newCostsCommand(f), newPathCommand(f), newSyncCommand(f), newTakeCommand(f),
		newInitCommand(f), newDemoCommand(f), newDoctorCommand(f), newSchemaCommand(f), newTrustCommand(f), newVersionCommand(f), newHelpCommand(f), newSuperviseCommand(f),
	}
	return append(list, newGateCommands(f)...)
}

// newApp makes the application of one call. Nothing of urfave/cli's global state is used: its help, version and exit
// handling print to the wrong stream or end the process, so each is switched off and done here.
func newApp(f *Factory) *cli.App {
	app := &cli.App{
		Name:                      "tendril",
		Usage:                     "run coding agents in parallel, from plans that live in the repository",
		Writer:                    f.IO.Out,
		ErrWriter:                 f.IO.Err,
		Reader:                    f.IO.In,
		HideHelp:                  true,
		HideHelpCommand:           true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Flags:                     globalFlags(f.Global),
		Commands:                  commands(f),
		ExitErrHandler:            func(*cli.Context, error) {},
		Before: func(*cli.Context) error {
			if f.Global.Quiet && f.Global.Verbose {
				return usagef("leave one of them out", "--quiet and --verbose contradict each other")
			}
			return nil
		},
	}
	app.Action = func(*cli.Context) error { return printHelp(f.IO.Out, app, nil) }
	app.OnUsageError = onUsageError
	for _, c := range app.Commands {
		prepare(c)
	}
	return app
}

// prepare gives a command, and those below it, what urfave/cli does not hand down.
func prepare(c *cli.Command) {
	c.HideHelp, c.HideHelpCommand = true, true
	c.OnUsageError = onUsageError
	for _, sub := range c.Subcommands {
		prepare(sub)
	}
	if len(c.Subcommands) > 0 && c.Action == nil {
		names := make([]string, len(c.Subcommands))
		for i, sub := range c.Subcommands {
			names[i] = sub.Name
		}
		c.Action = func(*cli.Context) error {
			return usagef("one of: "+strings.Join(names, ", "), "%s needs to be told what to do", c.Name)
		}
	}
}

func onUsageError(_ *cli.Context, err error, _ bool) error {
	return &usageError{msg: err.Error()}
}

// globalFlags stand before or after the command.
func globalFlags(g *Global) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "C", Usage: "work as if started in `DIR`", Destination: &g.Dir},
		&cli.BoolFlag{Name: "json", Usage: "print data as JSON with stable fields", Destination: &g.JSON},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "say nothing but data, warnings and errors", Destination: &g.Quiet},
		&cli.BoolFlag{Name: "verbose", Usage: "say more", Destination: &g.Verbose},
	}
}
