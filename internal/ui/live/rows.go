package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

// pen writes the rows of a scene for a terminal of a width.
type pen struct {
	scene lifecycle.Scene
	now   time.Time
	width int
	look  term.Info
}

// row is what is shown of one plan: in full, or where there is too little room in one line.
type row struct {
	full  []string
	short string
}

// small is a row of one line.
func small(line string) row { return row{full: []string{line}, short: line} }

const (
	// wide is from how many columns on the cost has a column of its own.
	wide = 60
	// roomy is from how many columns on one line holds what an agent said, too.
	roomy = 100
	// indent is where a line begins that belongs to the one above it.
	indent = 7
)

// columns are the widths of a section's columns, the margins between them not included; 0 leaves a column out.
type columns struct{ name, title, step, elapsed, cost int }

// working are the rows of the plans under way.
func (p pen) working() []row {
	c := p.columns()
	rows := make([]row, 0, len(p.scene.Working))
	for _, w := range p.scene.Working {
		r := small(p.workLine(w, c, c.title))
		if second := p.second(w, c); second != "" {
			r.full = append(r.full, p.under(second, term.Dim))
		}
		if p.width >= roomy {
			r.short = p.workLine(w, c, c.title/2) + "  " + p.look.Paint(term.Dim, cut(p.words(w), c.title-c.title/2-2))
		}
		rows = append(rows, r)
	}
	return rows
}

// workLine is a plan under way in one line, its title in so many columns.
func (p pen) workLine(w lifecycle.Working, c columns, title int) string {
	line := "  " + p.look.Paint(term.Bold, pad(p.scene.Name(w.Key), c.name)) + " " + pad(oneLine(w.Title), title) +
		"  " + p.look.Paint(stepStyle(w.Step), pad(stepWords(w), c.step)) + "  " + padLeft(elapsed(p.now.Sub(w.Since)), c.elapsed)
	if c.cost > 0 {
		line += "  " + padLeft(costOf(w), c.cost)
	}
	return line
}

// columns fits the columns of the plans under way into the width.
func (p pen) columns() columns {
	var c columns
	for _, w := range p.scene.Working {
		c.name = max(c.name, len(p.scene.Name(w.Key)))
		c.step = max(c.step, ansi.StringWidth(stepWords(w)))
		c.elapsed = max(c.elapsed, len(elapsed(p.now.Sub(w.Since))))
		c.cost = max(c.cost, len(costOf(w)))
	}
	c.name, c.step, c.elapsed = min(c.name, p.width/3), min(c.step, p.width/3), max(c.elapsed, 5)
	used := 2 + c.name + 1 + 2 + c.step + 2 + c.elapsed
	if p.width < wide {
		c.cost = 0
	}
	if c.cost > 0 {
		used += 2 + c.cost
	}
	c.title = max(p.width-used, 0)
	return c
}

// second is the line below a plan under way: who works, and what it said or what is waited for.
func (p pen) second(w lifecycle.Working, c columns) string {
	var parts []string
	if w.Agent != "" {
		parts = append(parts, oneLine(w.Agent))
	}
	if w.Max > 0 && w.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d of %d", w.Attempt, w.Max))
	}
	if c.cost == 0 {
		parts = append(parts, costOf(w))
	}
	parts = append(parts, tokens(w.Spent), p.words(w))
	return joined(" · ", parts...)
}

// words are what the agent said last, or what is waited for.
func (p pen) words(w lifecycle.Working) string {
	switch w.Step {
	case lifecycle.StepParked, lifecycle.StepTrouble:
		return shorten(oneLine(w.Detail), p.scene.Name)
	case lifecycle.StepAgent, lifecycle.StepEnding:
		return oneLine(w.Said)
	case lifecycle.StepSetup, lifecycle.StepTaking, lifecycle.StepChecks, lifecycle.StepDeliver:
	}
	return ""
}

// stepWords is the step in a few words.
func stepWords(w lifecycle.Working) string {
	if w.Step != lifecycle.StepChecks || w.Checks == 0 {
		return string(w.Step)
	}
	return fmt.Sprintf("%s %d/%d %s", w.Step, w.Check, w.Checks, oneLine(w.Detail))
}

func stepStyle(s lifecycle.Step) term.Style {
	switch s {
	case lifecycle.StepAgent:
		return term.Cyan
	case lifecycle.StepChecks, lifecycle.StepDeliver:
		return term.Green
	case lifecycle.StepParked:
		return term.Yellow
	case lifecycle.StepTrouble, lifecycle.StepEnding:
		return term.Red
	case lifecycle.StepSetup, lifecycle.StepTaking:
	}
	return term.Plain
}

// under is a line that belongs to the one above it.
func (p pen) under(words string, style term.Style) string {
	return strings.Repeat(" ", indent) + p.look.Paint(style, cut(words, p.width-indent))
}

// asking are the rows of the plans that wait for a person: what for, and the commands, of which none is cut.
func (p pen) asking() []row {
	rows := make([]row, 0, len(p.scene.Asking))
	for _, a := range p.scene.Asking {
		name := cut(p.scene.Name(a.Key), p.width/3)
		why, title := shorten(oneLine(a.Why), p.scene.Name), oneLine(a.Title)
		room := max(p.width-2-ansi.StringWidth(name)-1, 0)
		if title == string(a.Key) {
			title = ""
		} else {
			why = cut(why, max(room/2, 9))
		}
		start := "  " + p.look.Paint(term.Bold, name) + " "
		first := start + p.look.Paint(askStyle(a.Status), cut(why, room))
		if left := room - 2 - ansi.StringWidth(why); title != "" && left > 0 {
			first = start + pad(title, left) + "  " + p.look.Paint(askStyle(a.Status), why)
		}
		r := row{full: append([]string{first}, p.commands(a.Commands)...), short: first}
		if short, ok := p.askedShort(a, title, why, room); ok {
			r.short = start + short
		}
		rows = append(rows, r)
	}
	return rows
}

// askedShort is all of it in one line of so many columns, where that leaves enough of the title; else the first command at
// least.
func (p pen) askedShort(a lifecycle.Asking, title, why string, room int) (string, bool) {
	const least, most = 10, 20
	for _, commands := range []string{strings.Join(a.Commands, ", then "), a.Commands[0]} {
		left := room - ansi.StringWidth(commands) - 2
		if title == "" && left >= least {
			return p.look.Paint(askStyle(a.Status), pad(why, left)) + "  " + p.look.Paint(term.Cyan, commands), true
		}
		why = cut(why, most)
		if left -= ansi.StringWidth(why) + 2; title != "" && left >= min(least, ansi.StringWidth(title)) {
			return pad(title, left) + "  " + p.look.Paint(askStyle(a.Status), why) + "  " + p.look.Paint(term.Cyan, commands), true
		}
	}
	return "", false
}

// commands are the commands for a plan, in one line where they fit.
func (p pen) commands(all []string) []string {
	if together := strings.Join(all, ", then "); ansi.StringWidth(together)+indent <= p.width {
		return []string{p.under(together, term.Cyan)}
	}
	lines := make([]string, 0, len(all))
	for _, c := range all {
		if ansi.StringWidth(c)+indent > p.width {
			lines = append(lines, p.look.Paint(term.Cyan, cut(c, p.width)))
			continue
		}
		lines = append(lines, p.under(c, term.Cyan))
	}
	return lines
}

func askStyle(s plans.Status) term.Style {
	if s == plans.InReview {
		return term.Yellow
	}
	return term.Red
}

// waiting are the rows of the plans that wait for something else; those that wait for the same are one row.
func (p pen) waiting() []row {
	var order []string
	groups := map[string][]lifecycle.Waiting{}
	for _, w := range p.scene.Waiting {
		if _, known := groups[w.For]; !known {
			order = append(order, w.For)
		}
		groups[w.For] = append(groups[w.For], w)
	}
	rows := make([]row, 0, len(order))
	for _, reason := range order {
		group := groups[reason]
		words := "for " + shorten(oneLine(reason), p.scene.Name)
		if len(group) == 1 {
			rows = append(rows, small(p.waitingOne(group[0], words)))
			continue
		}
		names := make([]string, len(group))
		for i, w := range group {
			names[i] = p.scene.Name(w.Key)
		}
		// The reason comes whole; as many names as there is room for.
		line := fmt.Sprintf("  %s  %s", cut(strings.Join(names, " "), max(p.width-4-ansi.StringWidth(words), p.width/3)), words)
		rows = append(rows, small(cut(line, p.width)))
	}
	return rows
}

func (p pen) waitingOne(w lifecycle.Waiting, words string) string {
	name := cut(p.scene.Name(w.Key), p.width/3)
	room := p.width - 2 - ansi.StringWidth(name) - 1 - 2
	title := cut(oneLine(w.Title), max(room-ansi.StringWidth(words), room/3))
	return cut("  "+p.look.Paint(term.Bold, name)+" "+title+"  "+words, p.width)
}

// joined joins what is not empty.
func joined(sep string, parts ...string) string {
	var there []string
	for _, s := range parts {
		if s != "" {
			there = append(there, s)
		}
	}
	return strings.Join(there, sep)
}
