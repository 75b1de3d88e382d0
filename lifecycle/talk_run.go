package lifecycle

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tendril/plans"
	"tendril/runners"
)

// longTool is from how many seconds on it is said how long a tool took.
const longTool = 2.0

// runTalk tells one run.
type runTalk struct {
	*talker
	spec       runners.Spec
	transcript *runners.Transcript
	// begun is true once its heading was told, over once its end was.
	begun, over bool
	// pieces is a text that comes in pieces, as far as it came.
	pieces *Utterance
	// toolAt is when the tool was used whose end was not seen yet.
	toolAt time.Time
	// stderr is how far that file was read.
	stderr int64
}

// tell tells what is new of the run.
func (r *runTalk) tell(ctx context.Context, started time.Time) error {
	if !r.begun {
		r.begun = true
		if err := r.begin(started); err != nil {
			return err
		}
	}
	// Asked first: what is written after that is read the next time.
	out, ended, err := r.outcomeOf(r.spec.Run)
	if err != nil {
		return err
	}
	if !r.spec.Attached() {
		if err := r.transcript.Read(ctx, ended, r.told); err != nil {
			return err
		}
		if r.spec.Agent.Output == runners.OutputText {
			if err := r.tellStderr(ended); err != nil {
				return err
			}
		}
	}
	if !ended {
		return nil
	}
	r.over = true
	if err := r.whole(); err != nil {
		return err
	}
	return r.end(out)
}

func (r *runTalk) say(u Utterance) error {
	u.Run, u.Round, u.Attempt = r.spec.Run, r.spec.Round, r.spec.Attempt
	return r.each(u)
}

// begin tells who was started, and what it was told.
func (r *runTalk) begin(started time.Time) error {
	u := Utterance{Type: TalkRun, Agent: r.spec.Agent.Name, Model: r.spec.Model, Turn: turnKind(r.spec)}
	if !started.IsZero() {
		u.At = &started
	}
	if err := r.say(u); err != nil {
		return err
	}
	feedback, err := r.p.runs().Feedback(r.spec.Run)
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(string(feedback)); text != "" {
		if err := r.say(Utterance{Type: TalkTold, Text: text}); err != nil {
			return err
		}
	}
	for _, w := range r.spec.Said {
		if err := r.say(Utterance{Type: TalkSaid, At: &w.At, By: cmp.Or(w.By, "a person"), Text: w.Text}); err != nil {
			return err
		}
	}
	return nil
}

// told tells what a line of the transcript holds.
func (r *runTalk) told(line runners.Told) error {
	if err := r.took(line.At); err != nil || line.Event == nil {
		return err
	}
	u := Utterance{}
	if !line.At.IsZero() {
		u.At = &line.At
	}
	switch e := line.Event; e.Type {
	case runners.EventText:
		if strings.TrimSpace(e.Text) == "" && r.spec.Agent.Output != runners.OutputText {
			return nil
		}
		u.Type, u.Text = TalkText, e.Text
		if e.Delta {
			r.pieces = &u
			return nil
		}
	case runners.EventTool:
		u.Type, u.Name, u.Target = TalkTool, e.Name, e.Target
		r.toolAt = line.At
	case runners.EventError:
		u.Type, u.Name, u.Text = TalkError, string(e.Kind), e.Message
	case runners.EventResult:
		return r.whole()
	case runners.EventSession, runners.EventUsage:
		return nil
	}
	if err := r.whole(); err != nil {
		return err
	}
	return r.say(u)
}

// whole tells a text that came in pieces, now that nothing more of it comes.
func (r *runTalk) whole() error {
	if r.pieces == nil {
		return nil
	}
	u := *r.pieces
	r.pieces = nil
	return r.say(u)
}

// took tells how long the tool took that was used last, at the first line after it.
func (r *runTalk) took(at time.Time) error {
	if r.toolAt.IsZero() || at.IsZero() {
		return nil
	}
	seconds := at.Sub(r.toolAt).Seconds()
	r.toolAt = time.Time{}
	if seconds < longTool {
		return nil
	}
	return r.say(Utterance{Type: TalkTook, Took: &seconds})
}

// tellStderr tells the whole lines that stderr gained; all of it once the run ended. A line that is longer than a block is
// told in parts.
func (r *runTalk) tellStderr(ended bool) error {
	file, err := os.Open(filepath.Join(r.p.Runtime, "runs", r.spec.Run, "stderr.log"))
	if err != nil {
		return nil // not there yet
	}
	defer func() { _ = file.Close() }() // read only
	block := make([]byte, 64<<10)
	for {
		n, _ := file.ReadAt(block, r.stderr)
		text := string(block[:n])
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[:i+1]
		} else if !ended && n < len(block) {
			return nil
		}
		if text == "" {
			return nil
		}
		r.stderr += int64(len(text))
		if err := r.say(Utterance{Type: TalkStderr, Text: strings.TrimSuffix(text, "\n")}); err != nil {
			return err
		}
	}
}

// end tells how the run ended, what it used and cost.
func (r *runTalk) end(out *runners.Outcome) error {
	if out == nil {
		return r.say(Utterance{Type: TalkEnd, End: &TalkEnding{Outcome: string(runners.Lost), Why: "its supervisor died; tendril run takes it up"}})
	}
	used := r.prices.priced(r.spec.Agent.Name, out.Started, *out)
	end := &TalkEnding{Outcome: string(out.Result), Seconds: costRow(*out, r.spec).Seconds, Tokens: tokensOf(used), USD: used.USD}
	if out.Result == runners.Stopped {
		end.Why = out.Stop
	} else if out.Err != nil {
		end.Why = oneLine(out.Err.Error())
	}
	return r.say(Utterance{Type: TalkEnd, Model: out.Model, End: end})
}

// RunLog is where the raw transcript of a run lies.
type RunLog struct {
	Run            string
	Round, Attempt int
	Agent          string
	// Stdout and Stderr are files, which may not be there yet.
	Stdout, Stderr string
}

// RawLog is the transcript of an attempt, the newest one where attempt is empty, as the agent wrote it.
func (p *Project) RawLog(ctx context.Context, name, attempt string) (RunLog, error) {
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return RunLog{}, err
	}
	chosen, err := chooseRuns(snap.runs[one.entry.Key], attempt)
	if err != nil {
		return RunLog{}, err
	}
	for i := len(chosen) - 1; i >= 0; i-- {
		if s := chosen[i].spec; turnKind(s) != plans.TurnAttach {
			dir := filepath.Join(p.Runtime, "runs", s.Run)
			return RunLog{s.Run, s.Round, s.Attempt, s.Agent.Name, filepath.Join(dir, "stdout.log"), filepath.Join(dir, "stderr.log")}, nil
		}
	}
	return RunLog{}, noRun(one)
}
