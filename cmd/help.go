package cmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// printHelp writes the help of a command, or of the application where path is empty.
func printHelp(w io.Writer, app *cli.App, path []*cli.Command) error {
	out := bufio.NewWriter(w)
	if len(path) == 0 {
		appHelp(out, app)
	} else {
		commandHelp(out, app, path)
	}
	return out.Flush()
}

// helpWriter is where help goes; what cannot be written is found by the Flush at its end.
type helpWriter = *bufio.Writer

func appHelp(w helpWriter, app *cli.App) {
	say(w, "%s: %s\n\nusage: %s COMMAND [ARGUMENT…] [OPTION…]\n", app.Name, app.Usage, app.Name)
	for _, category := range categories() {
		var rows [][2]string
		for _, c := range app.Commands {
			if c.Category == category && !c.Hidden {
				rows = append(rows, [2]string{strings.TrimSpace(c.Name + " " + c.ArgsUsage), c.Usage})
			}
		}
		section(w, category, rows)
	}
	section(w, "Options of every command, before or after its arguments", flagRows(app.Flags))
	rows := [][2]string{{"help COMMAND", "the command's own options"}}
	for _, name := range topicNames() {
		rows = append(rows, [2]string{"help " + name, topicTitle(name)})
	}
	section(w, "More", rows)
}

func commandHelp(w helpWriter, app *cli.App, path []*cli.Command) {
	c := path[len(path)-1]
	words := []string{app.Name}
	for _, p := range path {
		words = append(words, p.Name)
	}
	if c.ArgsUsage != "" {
		words = append(words, c.ArgsUsage)
	} else if len(c.Subcommands) > 0 {
		words = append(words, "COMMAND")
	}
	if len(c.Flags) > 0 {
		words = append(words, "[OPTION…]")
	}
	say(w, "usage: %s\n\n%s.\n", strings.Join(words, " "), sentence(c.Usage))
	if c.Description != "" {
		say(w, "\n%s\n", wrapped(strings.TrimSpace(c.Description)))
	}
	var below [][2]string
	for _, sub := range c.Subcommands {
		if !sub.Hidden {
			below = append(below, [2]string{strings.TrimSpace(sub.Name + " " + sub.ArgsUsage), sub.Usage})
		}
	}
	section(w, "Commands", below)
	section(w, "Options", flagRows(c.Flags))
	section(w, "Options of every command", flagRows(app.Flags))
}

// helpWidth is how wide help is, in columns: it fits a terminal of 80.
const helpWidth = 78

// wrapped breaks each paragraph into lines of help.
func wrapped(text string) string {
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		out = append(out, strings.Join(filled(paragraph, helpWidth), "\n"))
	}
	return strings.Join(out, "\n\n")
}

// filled are a text's words in lines of that many columns, a wider word in one of its own; at least one line.
func filled(text string, width int) []string {
	line, lines := "", []string{}
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// sentence begins with a capital letter.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// section prints rows in two columns under a title, a name that is too wide on a line of its own; without rows nothing.
func section(w helpWriter, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	say(w, "\n%s\n", title)
	width := 0
	for _, r := range rows {
		width = max(width, len([]rune(r[0])))
	}
	width = min(width, 30)
	indent := strings.Repeat(" ", width+4)
	for _, r := range rows {
		text := strings.Join(filled(r[1], helpWidth-len(indent)), "\n"+indent)
		if len([]rune(r[0])) > width {
			say(w, "  %s\n%s%s\n", r[0], indent, text)
			continue
		}
		say(w, "  %-*s  %s\n", width, r[0], text)
	}
}

// flagRows are the visible flags as help shows them: "-m, --message TEXT". The placeholder stands in the usage text
// between backquotes.
func flagRows(flags []cli.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		names := spelled(f)
		if !ok || len(names) == 0 {
			continue
		}
		usage := d.GetUsage()
		placeholder := "VALUE"
		if before, rest, found := strings.Cut(usage, "`"); found {
			if word, after, closed := strings.Cut(rest, "`"); closed {
				placeholder, usage = word, before+word+after
			}
		}
		label := strings.Join(names, ", ")
		if d.TakesValue() {
			label += " " + placeholder
		}
		rows = append(rows, [2]string{label, usage})
	}
	return rows
}

// say writes a piece of help.
func say(w helpWriter, format string, args ...any) {
	// bufio keeps the first error for Flush.
	_, _ = fmt.Fprintf(w, format, args...)
}
