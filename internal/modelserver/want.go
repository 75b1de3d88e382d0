package modelserver

import (
	"fmt"
	"strings"
)

// Want is an expectation on a request: empty where it holds, else what is missing.
type Want func(Call) string

// Part is one thing that a conversation has to hold: words of one role.
type Part struct {
	// Role is RoleUser, RoleAssistant, RoleCall or RoleTool.
	Role Role
	// Text is what the message holds, exactly, among other words.
	Text string
}

// Conversation expects the parts in this order, each in a message after that of the part before.
func Conversation(parts ...Part) Want {
	return func(c Call) string {
		at := 0
		for i, p := range parts {
			for at < len(c.Messages) && !(c.Messages[at].Role == p.Role && strings.Contains(c.Messages[at].Text, p.Text)) {
				at++
			}
			if at == len(c.Messages) {
				return fmt.Sprintf("part %d of the conversation is missing or out of its place: %s: %q", i+1, p.Role, p.Text)
			}
			at++
		}
		return ""
	}
}

// Holds expects the text in some message, exactly.
func Holds(role Role, text string) Want { return Conversation(Part{role, text}) }

// Lacks expects the text in no message.
func Lacks(text string) Want {
	return func(c Call) string {
		for _, m := range c.Messages {
			if strings.Contains(m.Text, text) {
				return fmt.Sprintf("a message of %s holds %q", m.Role, text)
			}
		}
		return ""
	}
}

// Times expects the text in exactly n messages: a conversation that was begun anew inside the old one holds it twice.
func Times(n int, text string) Want {
	return func(c Call) string {
		got := 0
		for _, m := range c.Messages {
			if strings.Contains(m.Text, text) {
				got++
			}
		}
		if got != n {
			return fmt.Sprintf("%d messages hold %q, want %d", got, text, n)
		}
		return ""
	}
}

// Offers expects a tool that runs commands to be offered, or none.
func Offers(shell bool) Want {
	return func(c Call) string {
		if _, _, found := c.tool(Tool{Shell: "true"}); found != shell {
			return fmt.Sprintf("a tool for commands is offered: %v, want %v (%s)", found, shell, strings.Join(c.Tools, ", "))
		}
		return ""
	}
}

// unmet lists what does not hold.
func (t Turn) unmet(c Call) []string {
	var missing []string
	for _, want := range t.Want {
		if what := want(c); what != "" {
			missing = append(missing, what)
		}
	}
	return missing
}

// excerpt bounds one message in a complaint.
const excerpt = 300

// complaint says which turn a request does not fit, why, and what it held instead.
func complaint(where string, missing []string, c Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "request %d does not fit %s:\n", c.Number, where)
	for _, m := range missing {
		fmt.Fprintf(&b, "  %s\n", m)
	}
	fmt.Fprintf(&b, "it is %s %s, model %s, tools [%s], and holds:\n", c.Method, c.Path, c.Model, strings.Join(c.Tools, " "))
	for i, m := range c.Messages {
		text := m.Text
		if len(text) > excerpt {
			text = text[:excerpt/2] + " … " + text[len(text)-excerpt/2:]
		}
		fmt.Fprintf(&b, "  %2d %-9s %q\n", i+1, m.Role, text)
	}
	return b.String()
}
