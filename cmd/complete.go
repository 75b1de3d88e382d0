package cmd

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/config"
	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

// suggestion is something that could stand at the cursor.
type suggestion struct{ value, about string }

// The suggestions that ask the shell for its own files or folders.
const (
	suggestFiles   = ":files"
	suggestFolders = ":folders"
)

// line is a suggestion as the scripts read it.
func (s suggestion) line() string {
	about := strings.Join(strings.Fields(term.CleanText(s.about)), " ")
	if r := []rune(about); len(r) > 60 {
		about = string(r[:59]) + "…"
	}
	if about == "" {
		return s.value + "\n"
	}
	return s.value + "\t" + about + "\n"
}

// completer reads the words of an unfinished call.
type completer struct {
	f    *Factory
	app  *cli.App
	path []*cli.Command
	args []string
	// open is the option whose value comes next; ended is true behind a "--".
	open  cli.Flag
	ended bool
}

func newCompleter(f *Factory, app *cli.App) *completer { return &completer{f: f, app: app} }

// complete says what could stand in the place of the last word.
func (c *completer) complete(ctx context.Context, words []string) []suggestion {
	words = joinEquals(words)
	last := len(words) - 1
	for _, w := range words[:last] {
		c.take(w)
	}
	return fitting(words[last], c.suggest(ctx, words[last]))
}

// joinEquals puts "--option", "=", "value" together again, which bash hands over apart.
func joinEquals(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		n := len(out)
		if words[i] != "=" || n == 0 || !strings.HasPrefix(out[n-1], "--") {
			out = append(out, words[i])
			continue
		}
		out[n-1] += "="
		if i+1 < len(words) {
			i++
			out[n-1] += words[i]
		}
	}
	return out
}

// take reads one finished word.
func (c *completer) take(word string) {
	switch {
	case c.open != nil:
		c.value(c.open, word)
		c.open = nil
	case c.ended:
		c.args = append(c.args, word)
	case word == "--":
		c.ended = true
	case len(word) > 1 && word[0] == '-':
		c.flag(word)
	default:
		if next := commandNamed(c.below(), word); next != nil && len(c.args) == 0 {
			c.path = append(c.path, next)
			return
		}
		c.args = append(c.args, word)
	}
}

func (c *completer) below() []*cli.Command {
	if n := len(c.path); n > 0 {
		return c.path[n-1].Subcommands
	}
	return c.app.Commands
}

// flag reads one word of options.
func (c *completer) flag(word string) {
	name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if !strings.HasPrefix(word, "--") {
		// Of letters written together only the last can want a value.
		r := []rune(name)
		name = string(r[len(r)-1:])
	}
	f := c.find(name)
	switch {
	case f == nil || !takesValue(f):
	case has:
		c.value(f, value)
	default:
		c.open = f
	}
}

func (c *completer) find(name string) cli.Flag {
	if n := len(c.path); n > 0 {
		if f := flagNamed(c.path[n-1].Flags, name); f != nil {
			return f
		}
	}
	return flagNamed(c.app.Flags, name)
}

// value takes in what matters of an option's value here: where the call works.
func (c *completer) value(f cli.Flag, value string) {
	if f.Names()[0] == "C" {
		c.f.Global.Dir = value
	}
}

// suggest gives what could stand there, whatever was typed of it.
func (c *completer) suggest(ctx context.Context, word string) []suggestion {
	if c.open != nil {
		return c.values(ctx, c.open)
	}
	if !c.ended && strings.HasPrefix(word, "-") {
		name, _, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if f := c.find(name); has && f != nil && takesValue(f) {
			return prefixAll("--"+name+"=", c.values(ctx, f))
		}
		return c.flags()
	}
	if len(c.args) == 0 && len(c.below()) > 0 {
		return commandSuggestions(c.below())
	}
	if len(c.path) == 0 {
		return nil
	}
	return c.arguments(ctx)
}

// flags are the options that a command has.
func (c *completer) flags() []suggestion {
	var out []suggestion
	all := c.app.Flags
	if n := len(c.path); n > 0 {
		all = append(append([]cli.Flag{}, c.path[n-1].Flags...), all...)
	}
	for _, f := range all {
		names := spelled(f)
		if d, ok := f.(cli.DocGenerationFlag); ok && len(names) > 0 {
			out = append(out, suggestion{names[0], strings.ReplaceAll(d.GetUsage(), "`", "")})
		}
	}
	return append(out, suggestion{"--help", "what the command does"})
}

// values are what an option's value can be.
func (c *completer) values(ctx context.Context, f cli.Flag) []suggestion {
	switch f.Names()[0] {
	case "C":
		return []suggestion{{value: suggestFolders}}
	case "body":
		return []suggestion{{value: suggestFiles}}
	case "status":
		return statusSuggestions()
	case "agent":
		return named(c.agents(ctx))
	case "layout":
		return named([]string{lifecycle.LayoutDefault, lifecycle.LayoutOwn})
	case "autonomy":
		return named([]string{config.AutonomyEdit, config.AutonomyFull})
	}
	return nil
}

// arguments are what the next argument of the command can be.
func (c *completer) arguments(ctx context.Context) []suggestion {
	cmd := c.path[len(c.path)-1]
	switch {
	case cmd.Name == "help" && len(c.args) == 0:
		return helpSuggestions(c.app)
	case cmd.Name == "completion" && len(c.args) == 0:
		return named(shells())
	case cmd.Name == "check" && len(c.args) == 1:
		return named(c.checks(ctx))
	case cmd.Name == "shell" && len(c.args) > 0:
		return []suggestion{{value: suggestFiles}}
	case strings.Contains(cmd.ArgsUsage, "KEY") && (len(c.args) == 0 || strings.Contains(cmd.ArgsUsage, "KEY…")):
		return c.keys(ctx, keyFilter(cmd.Name))
	}
	return nil
}

// keyFilter says in which states a plan fits a command.
func keyFilter(command string) func(plans.Status) bool {
	for _, g := range gateCommands() {
		if g.name == command {
			return func(s plans.Status) bool { return plans.CanMove(plans.Person, s, g.to) }
		}
	}
	in := func(states ...plans.Status) func(plans.Status) bool {
		return func(s plans.Status) bool {
			for _, one := range states {
				if s == one {
					return true
				}
			}
			return false
		}
	}
	switch command {
	case "stop":
		return in(plans.Executing, plans.Verifying)
	case "say":
		return in(plans.Approved, plans.Executing, plans.Verifying, plans.ChangesRequested)
	case "attach":
		return in(plans.Executing, plans.Verifying, plans.InReview, plans.Failed)
	case "run":
		return in(plans.Approved, plans.Executing, plans.Verifying, plans.ChangesRequested, plans.Accepted)
	case "shell", "path", "logs", "diff", "check":
		worked := in(plans.Draft, plans.Icebox, plans.Approved)
		return func(s plans.Status) bool { return !worked(s) }
	default:
		return func(plans.Status) bool { return true }
	}
}

// keys are the plans that fit, less those named already. Outside of a repository there are none.
func (c *completer) keys(ctx context.Context, fits func(plans.Status) bool) []suggestion {
	var out []suggestion
	// What is wrong is for the command to say, not for a completion.
	_ = c.f.withLife(ctx, func(p *lifecycle.Project) error {
		all, err := p.Glances(ctx)
		for _, g := range all {
			if (g.Status == "" || fits(g.Status)) && !c.named(g.Key) {
				out = append(out, suggestion{string(g.Key), statusAndTitle(string(g.Status), g.Title)})
			}
		}
		return err
	})
	return out
}

// named says whether the call names the plan already, by its key or its number.
func (c *completer) named(key plans.Key) bool {
	for _, a := range c.args {
		if a == string(key) || numberFits(a, string(key), true) {
			return true
		}
	}
	return false
}

func (c *completer) checks(ctx context.Context) (names []string) {
	_ = c.f.withLife(ctx, func(p *lifecycle.Project) (err error) {
		names, err = p.CheckNames(ctx)
		return err
	})
	return names
}

func (c *completer) agents(ctx context.Context) []string {
	names := lifecycle.BuiltinAgents()
	_ = c.f.withLife(ctx, func(p *lifecycle.Project) error {
		all, err := p.AgentNames(ctx)
		if err == nil {
			names = all
		}
		return err
	})
	return names
}
