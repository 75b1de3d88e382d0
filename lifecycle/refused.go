package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"tendril/plans"
	"tendril/runners"
)

// refusedWords names the tools that a run was refused, to be put behind how it ended; empty where there are none. Some agents
// name the whole command.
func refusedWords(denied []string) string {
	const most, longest = 3, 60
	if len(denied) == 0 {
		return ""
	}
	var names []string
	for _, d := range denied[:min(most, len(denied))] {
		name := []rune(oneLine(d))
		if len(name) > longest {
			name = append(name[:longest-1], '…')
		}
		names = append(names, string(name))
	}
	words := "; it was refused " + strings.Join(names, ", ")
	if more := len(denied) - most; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// refusals says what the round's last run was refused, where that may be why there is nothing to show for it.
func (w *work) refusals(reason plans.Reason) string {
	if reason != plans.NoChanges && reason != plans.Checks && reason != plans.Attempts {
		return ""
	}
	for _, r := range slices.Backward(ofRound(w.snap.runs[w.key()], w.rec.Round)) {
		if r.outcome != nil && r.outcome.Result != runners.Lost {
			return refusedWords(r.outcome.Denied)
		}
	}
	return ""
}
