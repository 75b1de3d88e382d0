package cmd

import (
	"fmt"
	"time"

	"tendril/lifecycle"
)

// chainText is the way of a plan from its approvals to what was delivered: who passed which gate for what, what ran where.
func chainText(links []lifecycle.Link, line func(name, value string)) {
	for _, l := range links {
		at := suffix(", ", timeWords(l.At))
		pending := ""
		if l.Pending {
			pending = "; no engine has acted on it yet"
		}
		switch l.What {
		case lifecycle.LinkApproved:
			line("approved", fmt.Sprintf("by %s%s, commit %.10s, text %.10s%s", l.By, at, l.Commit, l.Text, pending))
		case lifecycle.LinkTakenOver:
			line("taken over", fmt.Sprintf("by %s from %s%s", l.Where, l.By, at))
		case lifecycle.LinkRan:
			line("ran", fmt.Sprintf("round %d attempt %d%s: %s%s, %s, %.0f s%s", l.Round, l.Attempt, suffix(" ", l.Turn), l.By, suffix(" on ", l.Where), l.Outcome,
				l.Seconds, suffix(", head ", fmt.Sprintf("%.10s", l.Head))))
		case lifecycle.LinkAccepted:
			line("accepted", fmt.Sprintf("by %s%s, commit %.10s, head %.10s%s", l.By, at, l.Commit, l.Head, pending))
		case lifecycle.LinkDelivered:
			line("delivered", fmt.Sprintf("%s%s, commit %.10s", l.Outcome, at, l.Commit))
		}
	}
}

func timeWords(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format(time.DateTime)
}
