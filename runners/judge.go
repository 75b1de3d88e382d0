package runners

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// maxMessage bounds an error's message: it is shown in one line of a status.
const maxMessage = 500

// ending is how the agent's process ended, and why if somebody ended it.
type ending struct {
	// cause is why it was ended from outside: Timeout, Stalled, Stopped or Lost; empty when it ended by itself.
	cause Result
	// why goes with Stopped and Lost.
	why string
	// seen is true when the exit code is known; only a supervisor sees it.
	seen   bool
	exit   int
	signal string
}

// judge decides what a run's end means: a cause from outside first, whatever the exit code says (agents exit with 0 after a
// signal); then the output's last result, with whatever exit code; for agents that print text the exit code.
func judge(a Agent, end ending, r *reading) (Result, *AgentError) {
	result := verdict(a, end, r)
	switch result {
	case OK:
		return OK, nil
	case Failed:
		return Failed, explain(a, end, r)
	case Timeout:
		return result, &AgentError{Kind: KindOther, Message: "its time limit was over" + waiting(r)}
	case Stalled:
		return result, &AgentError{Kind: KindOther, Message: "no output and no working process for the stall limit" + waiting(r)}
	case Stopped:
		return result, &AgentError{Kind: KindOther, Message: "stopped: " + end.why}
	default:
		return Lost, &AgentError{Kind: KindOther, Message: end.why}
	}
}

func verdict(a Agent, end ending, r *reading) Result {
	said := r.result != nil && r.result.OK
	switch {
	case end.cause == Lost && !end.seen && r.result != nil:
		// Nobody saw its end, but it had said by itself that it was done: that is not run, and paid for, again.
		if said {
			return OK
		}
		return Failed
	case end.cause != "":
		return end.cause
	case end.signal != "":
		return Failed
	case a.Output == OutputText && end.exit == 0, a.Output != OutputText && said:
		// It said that it is done: a bad exit code after that does not undo the work, and the checks look at it anyway.
		return OK
	}
	return Failed
}

// explain says why a run failed.
func explain(a Agent, end ending, r *reading) *AgentError {
	e := worst(r.errs)
	if e == nil && r.result == nil {
		// It had not given up: what it was waiting for is why there is no result.
		e = worst(r.retries)
	}
	if e == nil {
		e = &AgentError{Kind: KindOther}
		if r.result != nil && !r.result.OK {
			e.Message = r.result.Text
		}
	}
	if strings.TrimSpace(e.Message) == "" {
		e.Message = ended(end)
		if r.result == nil && a.Output == OutputJSONL {
			e.Message += " without a result"
		}
		if last := lastLine(r.stderr, r.plain, textOnly(a, r)); last != "" {
			e.Message += ": " + last
		}
	}
	e.Message = clip(strings.Join(strings.Fields(e.Message), " "), maxMessage)
	words := []string{e.Message}
	if r.result == nil {
		// Where it gave its verdict, what it wrote beside that may be of a limit that passed.
		words = append(words, r.stderr, r.plain)
	}
	// A patterns file is compiled when the agent is read; one that fails now matches nothing.
	if limits, err := compileLimits(a.Limits); err == nil && e.Kind == KindOther && matches(limits, words...) {
		e.Kind = KindLimit
	}
	if e.Kind == KindLogin && a.Login != "" {
		e.Message += "\n  " + a.Login
	}
	return e
}

func textOnly(a Agent, r *reading) string {
	if a.Output == OutputText {
		return r.text
	}
	return ""
}

// worst returns the error that counts: the last one of a kind that says something, else the last one, with the latest
// reset that any of its kind named.
func worst(errs []Event) *AgentError {
	var found *AgentError
	for _, ev := range errs {
		if found != nil && ev.Kind == KindOther && found.Kind != KindOther {
			continue
		}
		var reset *time.Time
		if found != nil && found.Kind == ev.Kind {
			reset = found.Reset
		}
		if ev.Reset != nil {
			reset = ev.Reset
		}
		found = &AgentError{Kind: ev.Kind, Message: ev.Message, Reset: reset}
	}
	return found
}

// waiting says what a run that was ended had tried again and again; empty where it had not.
func waiting(r *reading) string {
	e := worst(r.retries)
	if e == nil || r.result != nil {
		return ""
	}
	return clip("; it tried again: "+strings.Join(strings.Fields(e.Message), " "), maxMessage)
}

func ended(end ending) string {
	switch {
	case end.signal != "":
		return "ended by " + end.signal
	case !end.seen:
		return "ended, nobody saw how,"
	default:
		return fmt.Sprintf("exit code %d", end.exit)
	}
}

// lastLine returns the last line of the first text that has one.
func lastLine(texts ...string) string {
	for _, t := range texts {
		// Some colour even what no terminal reads.
		lines := strings.Split(strings.TrimSpace(ansi.Strip(t)), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return last
		}
	}
	return ""
}

func matches(patterns []*regexp.Regexp, texts ...string) bool {
	for _, re := range patterns {
		for _, t := range texts {
			if re.MatchString(t) {
				return true
			}
		}
	}
	return false
}
