package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Rehearsal is what a recorded run comes to by an agent's file.
type Rehearsal struct {
	Events  []Event `json:"events"`
	Outcome Outcome `json:"outcome"`
	// Missing says what the file gives no event for, and what it left out.
	Missing []string `json:"missing"`
}

// recordedEnd is the part of a recording's .meta.json that is read.
type recordedEnd struct {
	// ExitCode is the program's; -N where signal N ended it.
	ExitCode int `json:"exit_code"`
	// Signals are what whoever recorded it sent to the program, each with the second: ["TERM", 8.03].
	Signals [][]any `json:"signals_sent"`
	// Command is what was called.
	Command []string `json:"cmd"`
}

// Rehearse reads a recording by the agent's file: base.stdout, and beside it, where they are there, base.stderr,
// base.usage.json (what the agent wrote to {{.UsageFile}}) and base.meta.json ({"exit_code": N}, and "signals_sent" where
// somebody stopped it). base may be named with .stdout at its end. No program is run.
func Rehearse(ctx context.Context, a Agent, base string) (Rehearsal, error) {
	base = strings.TrimSuffix(base, ".stdout")
	if _, err := os.Stat(base + ".stdout"); err != nil {
		return Rehearsal{}, fmt.Errorf("recording: %w", err)
	}
	meta, err := readMeta(base + ".meta.json")
	if err != nil {
		return Rehearsal{}, err
	}
	files := logs{stdout: base + ".stdout", stderr: base + ".stderr", usage: base + ".usage.json"}
	r, err := files.rehearse(ctx, a, func(read *reading) Outcome { return compose(Spec{Agent: a}, meta.ending(), read, onDesk{}) })
	if err == nil && a.Usage == UsageCumulative && meta.resumed(a) {
		r.Missing = append(r.Missing, "what earlier runs in the session used: it is in these figures")
	}
	return r, err
}

// Rehearsal is the same of a run that has ended.
func (r Runs) Rehearsal(ctx context.Context, id string) (Rehearsal, error) {
	dir, err := r.existing(id)
	if err != nil {
		return Rehearsal{}, err
	}
	stored, err := readSpec(dir)
	if err != nil {
		return Rehearsal{}, err
	}
	out, err := r.Finish(ctx, id)
	if err != nil {
		return Rehearsal{}, err
	}
	return logsOf(dir).rehearse(ctx, stored.Spec.Agent, func(*reading) Outcome { return out })
}

// rehearse reads the files twice: for the outcome, which is made of what they say, and for the events.
func (l logs) rehearse(ctx context.Context, a Agent, end func(*reading) Outcome) (Rehearsal, error) {
	read, err := l.read(ctx, a)
	if err != nil {
		return Rehearsal{}, err
	}
	decoder, err := NewDecoder(a)
	if err != nil {
		return Rehearsal{}, err
	}
	r := Rehearsal{Outcome: end(read)}
	keep := func(ev Event) {
		// Of words that come in pieces the longest is kept.
		if n := len(r.Events); ev.Delta && n > 0 && r.Events[n-1].Delta && strings.HasPrefix(ev.Text, r.Events[n-1].Text) {
			r.Events[n-1] = ev
			return
		}
		r.Events = append(r.Events, ev)
	}
	if err := errors.Join(
		withFile(l.stdout, func(f io.Reader) error { return decoder.Stdout(ctx, f, keep) }),
		withFile(l.usage, func(f io.Reader) error {
			content, err := io.ReadAll(io.LimitReader(f, maxLine))
			if len(content) > 0 {
				decoder.File(ctx, content, keep)
			}
			return err
		}),
		withFile(l.stderr, func(f io.Reader) error { return decoder.Stderr(ctx, f, keep) }),
	); err != nil {
		return Rehearsal{}, err
	}
	r.Missing = missing(a, r, read, decoder)
	return r, nil
}

// readMeta reads how a recorded run was called and ended; without the file it ended well.
func readMeta(name string) (recordedEnd, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return recordedEnd{}, nil
	}
	var meta recordedEnd
	if err == nil {
		err = json.Unmarshal(data, &meta)
	}
	if err != nil {
		return recordedEnd{}, fmt.Errorf("%s: %w", name, err)
	}
	return meta, nil
}

// ending is the end as a supervisor would have seen it. One that was sent a signal was stopped, whatever its exit code.
func (m recordedEnd) ending() ending {
	end := ending{seen: true, exit: m.ExitCode}
	if m.ExitCode < 0 {
		names := map[int]string{-1: "SIGHUP", -2: "SIGINT", -9: "SIGKILL", -15: "SIGTERM"}
		end.exit, end.signal = -1, names[m.ExitCode]
		if end.signal == "" {
			end.signal = fmt.Sprintf("signal %d", -m.ExitCode)
		}
	}
	for _, sent := range m.Signals {
		if len(sent) > 0 {
			end.cause, end.why = Stopped, fmt.Sprintf("it was sent %v", sent[0])
		}
	}
	return end
}

// resumed says that the call has a word of the agent's resume list that its command list does not have.
func (m recordedEnd) resumed(a Agent) bool {
	return slices.ContainsFunc(a.Resume, func(word string) bool {
		return !strings.Contains(word, "{{") && !slices.Contains(a.Command, word) && slices.Contains(m.Command, word)
	})
}

// missing says what there was no event for.
func missing(a Agent, r Rehearsal, read *reading, d *Decoder) []string {
	list := []string{}
	say := func(when bool, what string) {
		if when {
			list = append(list, what)
		}
	}
	o := r.Outcome
	say(read.session == "", "no session: the next attempt cannot go on with it")
	say(read.text == "" && (read.result == nil || read.result.Text == ""), "no text: it has no last words")
	say(read.result == nil && a.Output == OutputJSONL, "no result: the run counts as failed")
	say(read.model == "", "no model: the one that was asked for stands in the costs")
	if a.Usage != UsageNone {
		say(o.Usage.Input == nil, "no input tokens")
		say(o.Usage.Output == nil, "no output tokens")
		say(o.Usage.USD == nil, "no cost: it is unknown")
	}
	if n, odd := d.Unread(); n > 0 {
		say(true, fmt.Sprintf("%d lines or values were left out: %s", n, odd))
	}
	say(read.plain != "", "not JSON on stdout: "+clip(lastLine(read.plain), maxMessage))
	return list
}
