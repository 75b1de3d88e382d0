package runners

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Follower reads what a run's agent says while it works, each byte once: what Read took in is not read again, and no more of
// it is kept than the last event and the counts. It belongs to one goroutine.
type Follower struct {
	agent   Agent
	decoder *Decoder
	stdout  string
	stderr  string

	// offset is how far stdout was taken in; skipping is true inside a line that is too long to be read.
	offset   int64
	skipping bool
	// errorSize is how long stderr was when it was last looked at.
	errorSize int64

	last    *Event
	model   string
	usage   *usageCount
	resumed bool
	before  *Usage
}

// followStep is how much of stdout one Read takes in at most: one that comes late to a long transcript catches up bit by bit,
// and a line that is longer is not shown.
const followStep = 4 << 20

// followedWords is how much of an event's text is kept.
const followedWords = 4 << 10

// Follow begins to follow a run, from its beginning; of an agent whose output is text only the end is read.
func (r Runs) Follow(id string) (*Follower, error) {
	spec, err := r.Spec(id)
	if err != nil {
		return nil, err
	}
	return newFollower(spec, r.folder(id))
}

func newFollower(spec Spec, dir string) (*Follower, error) {
	decoder, err := NewDecoder(spec.Agent)
	if err != nil {
		return nil, err
	}
	return &Follower{
		agent: spec.Agent, decoder: decoder, stdout: filepath.Join(dir, stdoutFile), stderr: filepath.Join(dir, stderrFile),
		model: spec.Model, usage: newUsageCount(spec.Agent.Usage), resumed: spec.Session != "", before: spec.SessionUsage,
	}, nil
}

// Last is the newest thing that the agent said or did: an event of type text, tool or error; nil before the first.
func (f *Follower) Last() *Event { return f.last }

// Usage is what the run used as far as it said so: a bucket that it did not tell of is nil.
func (f *Follower) Usage() Usage {
	used, _ := f.usage.spent(f.resumed, f.before)
	return used
}

// Outcome is what is known of the run's outcome until now: its usage and its model.
func (f *Follower) Outcome() Outcome {
	used := f.Usage()
	return Outcome{Model: f.model, Usage: used, Parts: kept(f.usage.parts(f.resumed, f.before, f.model), f.model)}
}

// Agent is the agent's name.
func (f *Follower) Agent() string { return f.agent.Name }

// Read takes in what was written since the last call, as far as it is whole lines, and says whether there was anything new.
func (f *Follower) Read(ctx context.Context) (bool, error) {
	if f.agent.Output == OutputText {
		return f.readText()
	}
	file, size, err := openLog(f.stdout)
	if err != nil || file == nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // read only
	if size <= f.offset {
		return false, nil
	}
	block := make([]byte, min(size-f.offset, followStep))
	n, err := file.ReadAt(block, f.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("follow the run: %w", err)
	}
	return f.takeIn(ctx, block[:n])
}

// takeIn decodes the whole lines of a block. The rest of it is read again, with what follows, the next time.
func (f *Follower) takeIn(ctx context.Context, block []byte) (bool, error) {
	end := bytes.LastIndexByte(block, '\n') + 1
	if end == 0 {
		if len(block) == followStep {
			f.skipping = true
			f.offset += int64(len(block))
		}
		return false, nil
	}
	f.offset += int64(end)
	lines := block[:end]
	if f.skipping {
		_, lines, _ = bytes.Cut(lines, []byte{'\n'})
		f.skipping = false
	}
	return true, f.decoder.Stdout(ctx, bytes.NewReader(lines), f.take)
}

func (f *Follower) take(ev Event) {
	switch ev.Type {
	case EventUsage:
		f.model = cmp.Or(ev.Model, f.model)
		f.usage.add(ev)
	case EventText:
		if strings.TrimSpace(ev.Text) != "" {
			ev.Text = clip(ev.Text, followedWords)
			f.last = &ev
		}
	case EventTool, EventError:
		ev.Target, ev.Message = clip(ev.Target, followedWords), clip(ev.Message, followedWords)
		f.last = &ev
	case EventSession:
		f.model = cmp.Or(ev.Model, f.model)
	case EventResult:
	}
}

// readText finds the last line of what an agent without events wrote, on either stream, finished or not.
func (f *Follower) readText() (bool, error) {
	out, err := grown(f.stdout, &f.offset)
	if err != nil {
		return false, err
	}
	errs, err := grown(f.stderr, &f.errorSize)
	if err != nil || out.IsZero() && errs.IsZero() {
		return false, err
	}
	from := f.stdout
	if errs.After(out) {
		from = f.stderr
	}
	tail, err := tailOf(from, textTail)
	if err != nil {
		return false, err
	}
	// A line that a program draws anew, again and again, ends in a carriage return.
	line := tail[strings.LastIndexAny(tail, "\r\n")+1:]
	if line == "" {
		return false, nil
	}
	f.last = &Event{Type: EventText, Text: line}
	return true, nil
}

// grown says when a file was last written, where it is longer than size, and remembers how long it is; else the zero time.
func grown(name string, size *int64) (time.Time, error) {
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("follow the run: %w", err)
	}
	if info.Size() <= *size {
		return time.Time{}, nil
	}
	*size = info.Size()
	return info.ModTime(), nil
}

// openLog opens a log with its size; nil where it is not there yet.
func openLog(name string) (*os.File, int64, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("follow the run: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("follow the run: %w", err), file.Close())
	}
	return file, info.Size(), nil
}
