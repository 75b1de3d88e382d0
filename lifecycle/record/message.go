package record

import (
	"fmt"
	"strings"

	"tendril/plans"
)

// Change is what a commit does to one plan: the states it goes through, from the one it had to the one it gets.
type Change struct {
	Key   plans.Key
	Steps []plans.Status
}

// Subject is the first line of a commit that makes the changes: the plan and its new state, or how many plans.
func Subject(changes []Change) string {
	if len(changes) != 1 {
		return fmt.Sprintf("tendril: %d plans", len(changes))
	}
	c := changes[0]
	if len(c.Steps) == 0 {
		return fmt.Sprintf("tendril: %s", c.Key)
	}
	return fmt.Sprintf("tendril: %s %s", c.Key, c.Steps[len(c.Steps)-1])
}

// Trailer is the line of the message that names every step of a plan: "Tendril-Status: KEY executing -> in-review".
func Trailer(key plans.Key, steps []plans.Status) string {
	words := make([]string, len(steps))
	for i, s := range steps {
		words[i] = string(s)
	}
	return fmt.Sprintf("Tendril-Status: %s %s", key, strings.Join(words, " -> "))
}
