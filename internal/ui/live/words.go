package live

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

// cut shortens clean text to width columns, with a mark where something is missing.
func cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// pad fills s with spaces to width columns; what is wider is cut.
func pad(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// padLeft is pad with the spaces before.
func padLeft(s string, width int) string {
	s = cut(s, width)
	return strings.Repeat(" ", max(0, width-ansi.StringWidth(s))) + s
}

// wrap breaks clean text into lines of at most width columns, at spaces where it can.
func wrap(s string, width int) []string {
	return strings.Split(ansi.Wrap(s, max(width, 1), ""), "\n")
}

// oneLine makes text fit for a part of a line.
func oneLine(s string) string { return strings.Join(strings.Fields(term.Clean(s)), " ") }

// elapsed is a time that passed, in two units at most.
func elapsed(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
}

// tokens is a count of tokens; empty where nothing is known of it.
func tokens(s lifecycle.Spent) string {
	if s.Tokens == nil {
		return ""
	}
	n := float64(*s.Tokens)
	words := fmt.Sprintf("%d", *s.Tokens)
	switch {
	case n >= 999_950:
		words = fmt.Sprintf("%.1fM", n/1e6)
	case n >= 1000:
		words = fmt.Sprintf("%.1fk", n/1e3)
	}
	return words + more(s.MoreTokens) + " tokens"
}

// cost is what was spent: "$?" where it is not known, a mark behind it where there is more, nothing where nothing is paid.
func cost(s lifecycle.Spent) string {
	switch {
	case s.Free, s.USD == nil && !s.MoreUSD:
		return ""
	case s.USD == nil:
		return "$?"
	case *s.USD > 0 && *s.USD < 0.005:
		return "<$0.01" + more(s.MoreUSD)
	default:
		return fmt.Sprintf("$%.2f", *s.USD) + more(s.MoreUSD)
	}
}

// costOf is what was spent on a plan, and of how much where it has a budget.
func costOf(w lifecycle.Working) string {
	spent := cost(w.Spent)
	if w.Budget == nil || spent == "" {
		return spent
	}
	return fmt.Sprintf("%s/$%.2f", spent, w.Budget.USD)
}

func more(there bool) string {
	if there {
		return "+"
	}
	return ""
}

// keyInText finds plans' keys that stand for themselves: not a part of a branch, a path or a run's id.
var keyInText = regexp.MustCompile(`(^|[\s(,;:])([0-9]{4,9}-[a-z0-9-]*[a-z0-9])($|[\s),;:])`)

// shorten puts the short names of plans for their keys: what a person types, and a third of the width.
func shorten(text string, name func(plans.Key) string) string {
	return keyInText.ReplaceAllStringFunc(text, func(found string) string {
		parts := keyInText.FindStringSubmatch(found)
		key, err := plans.ParseKey(parts[2])
		if err != nil {
			return found
		}
		return parts[1] + name(key) + parts[3]
	})
}
