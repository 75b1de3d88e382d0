//go:build agents

package agentstest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/modelserver"
)

// A plan of 200 KB reaches the model as it is, and an answer of 10 MB comes back.
func TestALongPlanAndALongAnswer(t *testing.T) {
	long := planText + strings.Repeat("a line of a long plan, with \"quotes\" and ünïcödé\n", 4000)
	// Without repetition: some end an answer that goes round in circles.
	var words strings.Builder
	for i := 0; words.Len() < 10<<20; i++ {
		fmt.Fprintf(&words, "word %d of a long answer, ", i)
	}
	answer := words.String()
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "edit", body: long}, func(tree string) []modelserver.Turn {
			return []modelserver.Turn{
				{Name: "the plan", Want: []modelserver.Want{modelserver.Holds(modelserver.RoleUser, long)}, Answer: modelserver.Write(
					beginsGreeting, filepath.Join(tree, "greeting.txt"), "hello\n", modelserver.FirstUsage)},
				{Name: "done", Answer: modelserver.Say(answer+endsGreeting, modelserver.SecondUsage)},
			}
		})
		r.ok("run", "--once")
		r.byTheScript()
		r.status("in-review")
	})
}
