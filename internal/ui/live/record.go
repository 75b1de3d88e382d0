package live

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

// narrowest is the least number of columns that text is wrapped to, however narrow the terminal.
const narrowest = 20

// recordLines are the lines that an event leaves in the scrollback: time, plan and words, wrapped under one another.
func recordLines(e lifecycle.Event, name func(plans.Key) string, width int, look term.Info) []string {
	who := "tendril"
	if e.Key != "" {
		who = name(e.Key)
	}
	head := e.At.Format(time.TimeOnly) + " " + term.Clean(who) + " "
	indent := ansi.StringWidth(head)
	if indent > width/2 {
		// A key with its slug leaves no room beside it.
		indent = 9
	}
	style := eventStyle(e.Kind)
	text := shorten(term.CleanText(e.Text), name)
	var lines []string
	if ansi.StringWidth(head) > width/2 {
		lines, head = append(lines, look.Paint(term.Dim, e.At.Format(time.TimeOnly))+" "+cut(who, max(width-9, 1))), strings.Repeat(" ", indent)
	}
	for part := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for _, line := range wrap(strings.ReplaceAll(part, "\t", " "), max(width-indent, narrowest)) {
			lines = append(lines, paintHead(head, look)+look.Paint(style, line))
			head = strings.Repeat(" ", indent)
		}
	}
	return lines
}

// paintHead sets the time off from the plan.
func paintHead(head string, look term.Info) string {
	at, who, ok := strings.Cut(head, " ")
	if !ok || at == "" {
		return head
	}
	return look.Paint(term.Dim, at) + " " + look.Paint(term.Bold, who)
}

func eventStyle(kind string) term.Style {
	switch kind {
	case lifecycle.EventFailed, lifecycle.EventProblem, lifecycle.EventRefused:
		return term.Red
	case lifecycle.EventWaiting, lifecycle.EventStopped, lifecycle.EventLeft:
		return term.Yellow
	case lifecycle.EventDelivered:
		return term.Green
	case lifecycle.EventRecorded:
		return term.Bold
	default:
		return term.Plain
	}
}
