package promptware

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"tendril/plans"
)

// PromptInput is what a prompt is made from.
type PromptInput struct {
	// Plan is the plan; its text goes in as it is.
	Plan *plans.Plan
	// Round and Attempt count from 1.
	Round, Attempt int
	// Candidate is set in a race.
	Candidate string
	// Branch and Base say where the agent stands: the branch checked out, the branch it goes back to.
	Branch, Base string
	// Feedback is what failed in the attempt before, as the checks reported it; empty for none.
	Feedback []byte
	// Review is what the reviewer said in this round; empty for none.
	Review []byte
	// Words are what people said to the agent, each verbatim; none is the ordinary case.
	Words []string
	// Beside is true for a turn that only the words call for: work was done before it.
	Beside bool
	// Conflict names the files that clash with the base, when the run is to mend a merge.
	Conflict []string
	// Interrupted is true when the run before ended before the agent did (a limit, a stop, a crash).
	Interrupted bool
	// Resumed is true when the agent goes on with the session in which it read the whole prompt before: it is told only what
	// is new.
	Resumed bool
	// Checks names the checks, "name: command", in their order; Scope holds the globs the agent may change.
	Checks []string
	Scope  []string
	// Notes are what earlier plans learned and fits this one; Context is the preset's extra text.
	Notes   []Note
	Context []byte
	// Autonomy is "edit" or "full": with edit the agent is not told to run what it cannot run.
	Autonomy string
}

// Note is one thing learned: a file of a unit's Memory/.
type Note struct {
	// Name is the topic, Text what is known of it.
	Name string
	Text string
}

// view is what a program sees: words, lists and yes or no. Its fields are part of the format of a Program.md.
type view struct {
	Key, Title, Plan  string
	PlansDir          string
	Round, Attempt    int
	Candidate         string
	Branch, Base      string
	Feedback, Review  string
	Words             []string
	Conflict          []string
	Interrupted       bool
	Resumed           bool
	Later             bool // not the first attempt of the first round
	Quiet             bool // a later attempt of which nothing else is said
	Checks, Scope     []string
	Notes             []Note
	Context, Autonomy string
	Commands          bool // the agent may run commands
}

// autonomyFull is the autonomy that lets an agent run commands, as the configuration writes it.
const autonomyFull = "full"

// Prompt renders the unit for one run. What in carries is put in as it is, whatever it looks like; an error is the unit's
// (or a missing plan).
func (u *Unit) Prompt(in PromptInput) ([]byte, error) {
	if in.Plan == nil {
		return nil, errors.New("prompt: no plan")
	}
	var b bytes.Buffer
	if err := u.program.Execute(&b, viewOf(in)); err != nil {
		return nil, fmt.Errorf("unit %s: %w", u.Name, err)
	}
	out := append(bytes.TrimSpace(b.Bytes()), '\n')
	for _, word := range in.Words {
		// A unit of the repository's own may know nothing of words; nobody's are lost for that.
		if !bytes.Contains(out, []byte(spoken(word))) {
			out = fmt.Appendf(out, "\nA person who follows this work says:\n\n%s\n", fence(word))
		}
	}
	return out, nil
}

func viewOf(in PromptInput) view {
	v := view{
		Key: string(in.Plan.Key), Title: in.Plan.Title, Plan: strings.Trim(string(in.Plan.Body), "\r\n"),
		PlansDir: path.Dir(path.Dir(in.Plan.Path)),
		Round:    in.Round, Attempt: in.Attempt, Candidate: in.Candidate, Branch: in.Branch, Base: in.Base,
		Feedback: string(in.Feedback), Review: string(in.Review), Words: in.Words, Conflict: in.Conflict, Interrupted: in.Interrupted,
		Resumed: in.Resumed, Checks: in.Checks, Scope: in.Scope, Notes: in.Notes, Context: strings.TrimSpace(string(in.Context)),
		Autonomy: in.Autonomy, Commands: in.Autonomy == autonomyFull,
	}
	news := v.Feedback != "" || v.Review != "" || len(v.Conflict) > 0 || v.Interrupted
	v.Later = news || in.Round > 1 || in.Attempt > 1 || in.Beside
	v.Quiet = !news && len(in.Words) == 0 && (v.Later || v.Resumed)
	return v
}

// samples are one view with everything and one with nothing, to try a program on.
func samples() []view {
	everything := view{
		Key: "0001-x", Title: "x", Plan: "x", PlansDir: "plans", Round: 2, Attempt: 2, Candidate: "x", Branch: "x", Base: "x",
		Feedback: "x", Review: "x", Words: []string{"x"}, Conflict: []string{"x"}, Interrupted: true, Later: true, Quiet: true, Checks: []string{"x"},
		Scope: []string{"x"}, Notes: []Note{{Name: "x", Text: "x"}}, Context: "x", Autonomy: autonomyFull, Commands: true,
	}
	resumed := everything
	resumed.Resumed, resumed.Commands = true, false
	return []view{everything, resumed, {}}
}

// spoken is a text as fence puts it.
func spoken(text string) string { return strings.Trim(strings.ToValidUTF8(text, "\uFFFD"), "\r\n") }

// fence puts a text into a code fence that no line of it can end.
func fence(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	mark := strings.Repeat("`", longest+1)
	return mark + "text\n" + spoken(text) + "\n" + mark
}
