package cmd

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

//go:embed completions
var completions embed.FS

// shells are the shells for which there is a script.
func shells() []string { return []string{"bash", "fish", "powershell", "zsh"} }

func newCompletionCommand(f *Factory) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the script with which a shell completes tendril's words",
		ArgsUsage: "bash|zsh|fish|powershell",
		Category:  categoryTendril,
		Description: "Completes commands, options, keys of plans (those that fit the command's state), agents, checks and topics.\n\n" +
			"bash: source <(tendril completion bash), in ~/.bashrc.\n\n" +
			"zsh: source <(tendril completion zsh), in ~/.zshrc behind compinit.\n\n" +
			"fish: tendril completion fish > ~/.config/fish/completions/tendril.fish\n\n" +
			"powershell: tendril completion powershell | Out-String | Invoke-Expression, in $PROFILE.",
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a shell: "+strings.Join(shells(), ", ")); err != nil {
				return err
			}
			shell := c.Args().First()
			if !slices.Contains(shells(), shell) {
				return usagef("one of: "+strings.Join(shells(), ", "), "no completion for %q", shell)
			}
			script, err := completions.ReadFile("completions/" + shell)
			if err != nil {
				return fmt.Errorf("completion for %s: %w", shell, err)
			}
			return f.Printf("%s", script)
		},
	}
}

// newCompleteCommand is what the scripts call: the words behind the program's name up to the cursor, the last one being
// typed. It prints what could stand there, one a line, with a tab and a few words about it; it never says what went wrong.
func newCompleteCommand(f *Factory) *cli.Command {
	count := 0
	return &cli.Command{
		Name: "__complete", Hidden: true, Usage: "print what fits", ArgsUsage: "WORD…",
		Flags: []cli.Flag{&cli.IntFlag{Name: "count", Usage: "there are `N` words, the last of them empty where fewer follow", Destination: &count}},
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			for len(words) < max(count, 1) {
				words = append(words, "")
			}
			var out strings.Builder
			for _, s := range newCompleter(f, c.App).complete(c.Context, words) {
				out.WriteString(s.line())
			}
			return f.Printf("%s", out.String())
		},
	}
}
