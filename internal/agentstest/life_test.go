//go:build agents

package agentstest

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tendril/internal/modelserver"
)

// The words of the model in mending, and what it uses from the third request on.
const (
	beginsNotes, endsNotes, beginsGreeting, endsGreeting = "I will write notes.", "The notes are written.", "I forgot the greeting.", "Now it greets."
)

var (
	thirdUsage  = modelserver.Usage{Input: 103, CacheRead: 7203, CacheWrite: 503, Output: 44, Reasoning: 83}
	fourthUsage = modelserver.Usage{Input: 104, CacheRead: 9304, CacheWrite: 604, Output: 25, Reasoning: 36}
)

func user(text string) modelserver.Part {
	return modelserver.Part{Role: modelserver.RoleUser, Text: text}
}

func model(text string) modelserver.Part {
	return modelserver.Part{Role: modelserver.RoleAssistant, Text: text}
}

// mending is a plan whose check fails once: the first run forgets the greeting, the second writes it in the same session.
// Each request must hold the plan's exact text, once, and all that was said before.
func mending(tree string) []modelserver.Turn {
	said := []modelserver.Part{user(planText)}
	turn := func(name string, next modelserver.Part, a modelserver.Answer) modelserver.Turn {
		if next.Text != "" {
			said = append(said, next)
		}
		t := modelserver.Turn{
			Name: name, Answer: a,
			Want: []modelserver.Want{modelserver.Conversation(append([]modelserver.Part{}, said...)...), modelserver.Times(1, planText)},
		}
		said = append(said, model(a.Text))
		return t
	}
	turns := []modelserver.Turn{
		turn("the plan", modelserver.Part{}, modelserver.Write(beginsNotes, filepath.Join(tree, "notes.txt"), "notes\n", modelserver.FirstUsage)),
		turn("the notes are written", modelserver.Part{}, modelserver.Say(endsNotes, modelserver.SecondUsage)),
		turn("the check failed", user(complaint), modelserver.Write(beginsGreeting, filepath.Join(tree, "greeting.txt"), "hello\n", thirdUsage)),
		turn("the greeting is written", modelserver.Part{}, modelserver.Say(endsGreeting, fourthUsage)),
	}
	turns[0].Want = append(turns[0].Want, modelserver.Lacks(complaint))
	return turns
}

func TestAFailingCheckIsMendedInTheSameSession(t *testing.T) {
	t.Parallel()
	for _, a := range agents {
		for _, autonomy := range []string{"edit", "full"} {
			t.Run(a.name+"/"+autonomy, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, setup{agent: a, autonomy: autonomy}, mending)
				r.ok("run", "--once")
				r.byTheScript()
				r.status("in-review")
				if diff := cmp.Diff(a.mended, r.costs()); diff != "" {
					t.Errorf("costs.csv (-want +got)\n%s", diff)
				}
				if summary := r.repo.Read("plans/" + key + "/summary.md"); summary != endsGreeting+"\n" {
					t.Errorf("summary %q", summary)
				}
				r.ok("accept", "1", "--quiet")
				r.ok("run", "--once")
				r.status("merged")
				// The work and nothing of the agent's own.
				if diff := cmp.Diff([]string{".tendril/config.yaml", "README.md", "greeting.txt", "notes.txt"}, r.filesBesidePlans()); diff != "" {
					t.Errorf("files on main (-want +got)\n%s", diff)
				}
				if got := r.repo.Read("greeting.txt"); got != "hello\n" {
					t.Errorf("greeting %q", got)
				}
				r.nothingLeft()
			})
		}
	}
}

// row is what the tests look at in costs.csv; empty is unknown.
type row struct {
	Agent, Model                                    string
	Input, CacheRead, CacheWrite, Output, Reasoning string
	USD, Source, Outcome                            string
}

// costs reads costs.csv.
func (r *rig) costs() []row {
	r.t.Helper()
	lines := strings.Split(strings.TrimSpace(r.repo.Read("plans/"+key+"/costs.csv")), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(lines[0], ",") {
		column[name] = i
	}
	var rows []row
	for _, line := range lines[1:] {
		f := strings.Split(line, ",")
		at := func(name string) string { return f[column[name]] }
		rows = append(rows, row{
			at("agent"), at("model"), at("input"), at("cache_read"), at("cache_write"), at("output"), at("reasoning"), at("usd"), at("source"), at("outcome"),
		})
	}
	return rows
}

// uses is a row with these tokens; -1 is unknown.
func uses(agent, model string, input, read, write, output, reasoning int, usd, source string) row {
	n := func(i int) string {
		if i < 0 {
			return ""
		}
		return strconv.Itoa(i)
	}
	return row{agent, model, n(input), n(read), n(write), n(output), n(reasoning), usd, source, "ok"}
}
