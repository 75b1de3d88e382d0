package cmd

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/internal/nearest"
)

// resolved is a call with its parts in the order that urfave/cli understands.
type resolved struct {
	// argv is global flags, command, its flags, "--", arguments.
	argv []string
	// path is the command and the subcommands named.
	path []*cli.Command
	// help is true when -h or --help stands anywhere before "--".
	help bool
}

// resolve reads a call in which flags may stand anywhere: before the command, between arguments, after them. A "--"
// ends the flags. urfave/cli takes a flag behind an argument for an argument, which would run what somebody asked to
// try out; so the order is made here, and what is unknown is refused here.
func resolve(app *cli.App, args []string) (*resolved, error) {
	p := &permuter{app: app}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "--":
			p.args = append(p.args, args...)
			args = nil
		case len(word) > 1 && word[0] == '-':
			used, err := p.flag(word, args)
			if err != nil {
				return nil, err
			}
			args = args[used:]
		default:
			if err := p.word(word); err != nil {
				return nil, err
			}
		}
	}
	return p.result()
}

// permuter sorts the words of one call.
type permuter struct {
	app  *cli.App
	path []*cli.Command
	// global and own are the flags of the application and of the command, in the form --name or --name=value.
	global, own []string
	args        []string
	help        bool
}

func (p *permuter) result() (*resolved, error) {
	if len(p.path) == 0 && len(p.args) > 0 && !p.help {
		return nil, p.unknownCommand(p.args[0])
	}
	r := &resolved{argv: slices.Clone(p.global), path: p.path, help: p.help}
	for _, c := range p.path {
		r.argv = append(r.argv, c.Name)
	}
	r.argv = append(r.argv, p.own...)
	if len(p.args) > 0 {
		r.argv = append(append(r.argv, "--"), p.args...)
	}
	return r, nil
}

// word takes the next word that is no flag: a command's name while there can be one, else an argument.
func (p *permuter) word(word string) error {
	below := p.app.Commands
	if n := len(p.path); n > 0 {
		below = p.path[n-1].Subcommands
	}
	if len(p.args) == 0 {
		for _, c := range below {
			if c.HasName(word) {
				p.path = append(p.path, c)
				return nil
			}
		}
	}
	if len(p.path) == 0 || len(below) > 0 && len(p.args) == 0 && p.path[len(p.path)-1].ArgsUsage == "" {
		return p.unknownCommand(word)
	}
	p.args = append(p.args, word)
	return nil
}

func (p *permuter) unknownCommand(word string) error {
	below, where := p.app.Commands, "tendril"
	if n := len(p.path); n > 0 {
		below, where = p.path[n-1].Subcommands, "tendril "+p.path[n-1].Name
	}
	var names []string
	for _, c := range below {
		if !c.Hidden {
			names = append(names, c.Names()...)
		}
	}
	hint := "see tendril help"
	if word := nearest.Word(word, names); word != "" {
		hint = "did you mean " + where + " " + word + "?"
	}
	return usagef(hint, "unknown command %q", word)
}

// flag takes one word that begins with a dash, and says how many of the next words are its value.
func (p *permuter) flag(word string, next []string) (int, error) {
	if word == "-h" || word == "--help" {
		p.help = true
		return 0, nil
	}
	long := strings.HasPrefix(word, "--")
	name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if !long && len([]rune(name)) > 1 {
		return p.bundle(word, next)
	}
	if long && len([]rune(name)) == 1 {
		return 0, p.unknownFlag(word)
	}
	f, global := p.find(name)
	if f == nil {
		return 0, p.unknownFlag(word)
	}
	if !takesValue(f) {
		if hasValue {
			// --json=false and the like are for urfave/cli to judge.
			p.add(global, f, value, true)
			return 0, nil
		}
		p.add(global, f, "", false)
		return 0, nil
	}
	if hasValue {
		p.add(global, f, value, true)
		return 0, nil
	}
	value, err := p.valueFrom(word, next)
	if err != nil {
		return 0, err
	}
	p.add(global, f, value, true)
	return 1, nil
}

// bundle takes short flags written together: -qm TEXT, -mTEXT.
func (p *permuter) bundle(word string, next []string) (int, error) {
	letters := []rune(word[1:])
	for i, letter := range letters {
		f, global := p.find(string(letter))
		if f == nil {
			return 0, p.unknownFlag(word)
		}
		if !takesValue(f) {
			if i+1 < len(letters) && letters[i+1] == '=' {
				return 0, usagef("", "-%c takes no value", letter)
			}
			p.add(global, f, "", false)
			continue
		}
		if rest := strings.TrimPrefix(string(letters[i+1:]), "="); i+1 < len(letters) {
			p.add(global, f, rest, true)
			return 0, nil
		}
		value, err := p.valueFrom(word, next)
		if err != nil {
			return 0, err
		}
		p.add(global, f, value, true)
		return 1, nil
	}
	return 0, nil
}

// valueFrom takes the next word as a flag's value. One that is a flag itself is surely a forgotten value.
func (p *permuter) valueFrom(flag string, next []string) (string, error) {
	if len(next) == 0 {
		return "", usagef("", "%s needs a value", flag)
	}
	value := next[0]
	if value == "--" {
		return "", usagef("", "%s needs a value", flag)
	}
	if name := strings.TrimLeft(value, "-"); len(name) < len(value) {
		name, _, _ = strings.Cut(name, "=")
		if f, _ := p.find(name); f != nil || name == "help" {
			return "", usagef("if "+value+" is the value, write "+flag+"="+value, "%s needs a value, and %s is an option", flag, value)
		}
	}
	return value, nil
}

// find looks a flag up: the command's own go before the application's.
func (p *permuter) find(name string) (f cli.Flag, global bool) {
	if n := len(p.path); n > 0 {
		if f := flagNamed(p.path[n-1].Flags, name); f != nil {
			return f, false
		}
	}
	if f := flagNamed(p.app.Flags, name); f != nil {
		return f, true
	}
	return nil, false
}

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func (p *permuter) add(global bool, f cli.Flag, value string, hasValue bool) {
	word := "--" + f.Names()[0]
	if hasValue {
		word += "=" + value
	}
	if global {
		p.global = append(p.global, word)
		return
	}
	p.own = append(p.own, word)
}

func (p *permuter) unknownFlag(word string) error {
	known := []string{"--help"}
	for _, f := range p.app.Flags {
		known = append(known, spelled(f)...)
	}
	hint := "see tendril help"
	if n := len(p.path); n > 0 {
		hint = "see tendril help " + p.path[n-1].Name
		for _, f := range p.path[n-1].Flags {
			known = append(known, spelled(f)...)
		}
	}
	name, _, _ := strings.Cut(word, "=")
	if len(p.path) == 0 && (name == "--version" || name == "-V" || name == "-v") {
		hint = "did you mean tendril version?"
	} else if meant := nearest.Word("--"+strings.TrimLeft(name, "-"), known); meant != "" {
		hint = "did you mean " + meant + "?"
	} else if len(p.path) == 0 {
		hint = "options of a command stand behind its name; " + hint
	}
	return usagef(hint, "unknown option %s", name)
}

// spelled is a flag's names with their dashes; a hidden one is not told.
func spelled(f cli.Flag) []string {
	if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
		return nil
	}
	var names []string
	for _, name := range f.Names() {
		if len([]rune(name)) == 1 {
			names = append(names, "-"+name)
		} else {
			names = append(names, "--"+name)
		}
	}
	return names
}
