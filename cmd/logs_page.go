package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/text"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

// talkPage writes a conversation for a person to read.
type talkPage struct {
	out  io.Writer
	term term.Info
	zone *time.Location
	// last is what was printed last.
	last lifecycle.TalkType
}

// toldLines is how many lines are shown of what an agent was told of failures; the checks' own logs have the rest.
const toldLines = 20

// print writes one utterance. Agents wrote most of it: what would steer a terminal is taken out.
func (p *talkPage) print(u lifecycle.Utterance) error {
	body, style := p.words(u)
	if body == "" {
		return nil
	}
	body = term.Wrap(body, p.term.Width)
	if p.apart(u.Type) {
		body = "\n" + body
	}
	p.last = u.Type
	for line := range strings.Lines(body) {
		bare, ended := strings.CutSuffix(line, "\n")
		end := map[bool]string{true: "\n"}[ended]
		if _, err := fmt.Fprint(p.out, p.term.Paint(style, bare), end); err != nil {
			return err
		}
	}
	return nil
}

// apart says whether an empty line stands before what comes: between what is said and what is done.
func (p *talkPage) apart(now lifecycle.TalkType) bool {
	doing := func(t lifecycle.TalkType) bool {
		return t == lifecycle.TalkTool || t == lifecycle.TalkTook || t == lifecycle.TalkError
	}
	switch {
	case p.last == "":
		return false
	case now == lifecycle.TalkRun:
		return true
	case now == lifecycle.TalkStderr || p.last == lifecycle.TalkStderr || p.last == lifecycle.TalkRun && now == lifecycle.TalkEnd:
		return false
	case now == p.last && now == lifecycle.TalkText, now == lifecycle.TalkChecks, now == lifecycle.TalkRest:
		return false
	}
	return !doing(now) || !doing(p.last)
}

// words are an utterance in lines, each with its end, and how they are painted.
func (p *talkPage) words(u lifecycle.Utterance) (string, term.Style) {
	clean := func(s string) string { return strings.TrimRight(term.CleanText(s), "\n") }
	switch u.Type {
	case lifecycle.TalkRun:
		return p.heading(u), term.Bold
	case lifecycle.TalkTold:
		return "What failed before:\n" + indent(firstLines(clean(u.Text), toldLines)) + "\n", term.Dim
	case lifecycle.TalkSaid:
		return fmt.Sprintf("%s said: %s\n", term.Clean(u.By), clean(u.Text)), term.Cyan
	case lifecycle.TalkText, lifecycle.TalkStderr:
		return clean(u.Text) + "\n", term.Plain
	case lifecycle.TalkTool:
		line := strings.TrimRight("  → "+term.Clean(u.Name)+" "+oneLineOf(u.Target), " ")
		if p.term.Width > 0 {
			line = text.Truncate(p.term.Width, line)
		}
		return line + "\n", term.Dim
	case lifecycle.TalkTook:
		return "    took " + roughly(seconds(u.Took)) + "\n", term.Dim
	case lifecycle.TalkError:
		return "  ! " + term.Clean(u.Name) + suffix(": ", oneLineOf(u.Text)) + "\n", term.Yellow
	case lifecycle.TalkEnd:
		return endWords(u.End), endStyle(u.End)
	case lifecycle.TalkChecks:
		return checksWords(u), term.Bold
	case lifecycle.TalkRest:
		return "-- " + term.Clean(u.Text) + "\n", term.Dim
	}
	return "", term.Plain
}

// heading begins a run.
func (p *talkPage) heading(u lifecycle.Utterance) string {
	words := fmt.Sprintf("== round %d, attempt %d", u.Round, u.Attempt)
	switch u.Turn {
	case plans.TurnSay:
		words += ", a person's words"
	case plans.TurnAttach:
		words += ", a person at the agent's program"
	}
	words += ": " + term.Clean(u.Agent) + suffix(":", term.Clean(u.Model))
	if u.At != nil {
		words += ", " + u.At.In(p.zone).Format("2006-01-02 15:04")
	}
	return words + "\n"
}

// endWords say how a run ended and what it cost.
func endWords(e *lifecycle.TalkEnding) string {
	if e == nil {
		return ""
	}
	words := "-- " + e.Outcome
	if e.Seconds != nil {
		words += " after " + roughly(seconds(e.Seconds))
	}
	if e.Tokens != nil {
		words += fmt.Sprintf(", %s tokens", shortCount(*e.Tokens))
	}
	if e.USD != nil {
		words += ", $" + money(e.USD)
	} else {
		words += ", cost unknown"
	}
	return words + suffix(": ", term.Clean(e.Why)) + "\n"
}

func endStyle(e *lifecycle.TalkEnding) term.Style {
	if e != nil && e.Outcome == "ok" {
		return term.Green
	}
	return term.Red
}

// checksWords say what the checks said.
func checksWords(u lifecycle.Utterance) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checks: %s\n", term.Clean(u.Text))
	for _, c := range u.Checks {
		took := ""
		if c.Seconds >= 0.05 {
			took = fmt.Sprintf(" (%.1f s)", c.Seconds)
		}
		fmt.Fprintf(&b, "    %-8s %s%s\n", term.Clean(c.Result), term.Clean(c.Name), took)
	}
	return b.String()
}

// firstLines are the first lines of a text, and how many more there are.
func firstLines(s string, most int) string {
	lines := strings.Split(s, "\n")
	if len(lines) <= most {
		return s
	}
	return strings.Join(lines[:most], "\n") + fmt.Sprintf("\n… %d lines more", len(lines)-most)
}

// oneLineOf is a text in one line.
func oneLineOf(s string) string { return strings.Join(strings.Fields(term.Clean(s)), " ") }

func seconds(v *float64) time.Duration {
	if v == nil {
		return 0
	}
	return time.Duration(*v * float64(time.Second))
}
