package cmd

import (
	"embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/nearest"
)

//go:embed topics
var topics embed.FS

func newHelpCommand(f *Factory) *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "explain a command or a topic",
		ArgsUsage: "[COMMAND|TOPIC]",
		Category:  categoryTendril,
		Action:    func(c *cli.Context) error { return helpRun(f, c.App, c.Args().Slice()) },
	}
}

// helpRun prints a topic, or the help of the command that the words name.
func helpRun(f *Factory, app *cli.App, words []string) error {
	if len(words) == 1 {
		if text, err := topics.ReadFile("topics/" + words[0] + ".txt"); err == nil {
			return f.Printf("%s", text)
		}
	}
	var path []*cli.Command
	below := app.Commands
	for _, word := range words {
		next := commandNamed(below, word)
		if next == nil {
			return unknownTopic(below, word, len(path) == 0)
		}
		path, below = append(path, next), next.Subcommands
	}
	return printHelp(f.IO.Out, app, path)
}

func commandNamed(list []*cli.Command, name string) *cli.Command {
	for _, c := range list {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func unknownTopic(list []*cli.Command, word string, top bool) error {
	var known []string
	for _, c := range list {
		if !c.Hidden {
			known = append(known, c.Names()...)
		}
	}
	if top {
		known = append(known, topicNames()...)
	}
	hint := "see tendril help"
	if meant := nearest.Word(word, known); meant != "" {
		hint = fmt.Sprintf("did you mean %s?", meant)
	}
	return usagef(hint, "no help on %q", word)
}

// topicNames are the names of the embedded topics, sorted.
func topicNames() []string {
	// The folder is part of the binary: it cannot be missing.
	entries, _ := topics.ReadDir("topics")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// topicTitle is the first line of a topic.
func topicTitle(name string) string {
	// As above: a name of topicNames can be read.
	text, _ := topics.ReadFile("topics/" + name + ".txt")
	title, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(title, ".")
}
