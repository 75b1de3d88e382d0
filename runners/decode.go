package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"tendril/internal/proc"
)

const (
	// maxEvents bounds the events of one line, and lineTime the time that the program may take for it: a jq program can
	// count for ever.
	maxEvents = 1000
	lineTime  = 5 * time.Second
	// plainTail is how much of what is no JSON, and of stderr, is kept for messages.
	plainTail = 4 << 10
)

// Decoder turns one run's output into events. It holds that run's state alone, and belongs to one goroutine.
type Decoder struct {
	code   *gojq.Code
	stderr bool // the program wants stderr
	plain  *proc.Tail
	odd    string
	unread int
	// said is a text that comes in pieces, as far as it came and is kept.
	said strings.Builder
}

// NewDecoder returns a decoder for one run of the agent. For an agent whose output is text every line is a text event.
func NewDecoder(a Agent) (*Decoder, error) {
	code, err := compileEvents(a.Events)
	if err != nil {
		return nil, fmt.Errorf("agent %s: events: %w", a.Name, err)
	}
	return &Decoder{code: code, stderr: strings.Contains(a.Events, "stderr"), plain: proc.NewTail(plainTail)}, nil
}

// compileEvents compiles a jq program; an empty one gives nil.
func compileEvents(src string) (*gojq.Code, error) {
	if strings.TrimSpace(src) == "" {
		return nil, nil
	}
	query, err := gojq.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	// No environment, no modules and no other input: the program sees the line alone.
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	return code, nil
}

// Unread returns how many lines or values were left out because the program failed on them or put out what is no event, and
// the first such complaint.
func (d *Decoder) Unread() (int, string) { return d.unread, d.odd }

// Plain returns the end of what was no JSON.
func (d *Decoder) Plain() string { return strings.TrimSpace(string(d.plain.Bytes())) }

// Stdout reads an agent's stdout to its end and hands each event to each. A line too long to be read becomes a text-less
// complaint in Unread; it loses nothing but itself.
func (d *Decoder) Stdout(ctx context.Context, r io.Reader, each func(Event)) error {
	return d.lines(ctx, r, func(line Line) { d.Line(ctx, line, each) })
}

// Stderr reads an agent's stderr to its end; only where the program asks for it are there events.
func (d *Decoder) Stderr(ctx context.Context, r io.Reader, each func(Event)) error {
	if !d.stderr || d.code == nil {
		return nil
	}
	return d.lines(ctx, r, func(line Line) {
		d.run(ctx, map[string]any{"stderr": string(line.Text)}, each)
	})
}

// File gives the program the content of the agent's usage file.
func (d *Decoder) File(ctx context.Context, content []byte, each func(Event)) {
	if d.code == nil {
		return
	}
	var v any
	if json.Unmarshal(content, &v) != nil {
		v = string(content)
	}
	d.run(ctx, map[string]any{"file": v}, each)
}

func (d *Decoder) lines(ctx context.Context, r io.Reader, do func(Line)) error {
	lines := newLineReader(r)
	for ctx.Err() == nil {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read output: %w", err)
		}
		do(line)
	}
	return ctx.Err()
}

// Line hands the events of one line of stdout to each.
func (d *Decoder) Line(ctx context.Context, line Line, each func(Event)) {
	if len(line.Text) == 0 {
		return
	}
	if d.code == nil {
		each(Event{Type: EventText, Text: shown(line)})
		return
	}
	var v any
	if line.Cut() {
		d.complain(fmt.Sprintf("a line of %d bytes was left out", line.Size))
		return
	}
	if err := json.Unmarshal(line.Text, &v); err != nil {
		_, _ = d.plain.Write(append(line.Text[:len(line.Text):len(line.Text)], '\n')) // a Tail never fails
		return
	}
	d.run(ctx, v, each)
}

// shown is a line for people, with a marker where it was cut.
func shown(line Line) string {
	if !line.Cut() {
		return string(line.Text)
	}
	return fmt.Sprintf("%s … [%d bytes in all]", line.Text, line.Size)
}

// run runs the program on one value.
func (d *Decoder) run(ctx context.Context, v any, each func(Event)) {
	ctx, cancel := context.WithTimeout(ctx, lineTime)
	defer cancel()
	iter := d.code.RunWithContext(ctx, v)
	for range maxEvents {
		out, ok := iter.Next()
		if !ok {
			return
		}
		if err, failed := out.(error); failed {
			d.complain(err.Error())
			return
		}
		ev, known := toEvent(out)
		if !known {
			d.complain("the events program put out what is no event")
			continue
		}
		each(d.joined(ev))
	}
	d.complain(fmt.Sprintf("more than %d events of one line", maxEvents))
}

// joined puts the pieces of a text together; whatever else is said or done ends it.
func (d *Decoder) joined(ev Event) Event {
	switch {
	case ev.Type == EventText && ev.Delta:
		// One byte more than is kept of a text, so that whoever keeps it sees that it was longer.
		if room := maxText + 1 - d.said.Len(); room > 0 {
			_, _ = d.said.WriteString(clip(ev.Text, room)) // a Builder never fails
		}
		ev.Text = d.said.String()
	case ev.Type == EventText, ev.Type == EventTool, ev.Type == EventResult:
		d.said.Reset()
	}
	return ev
}

func (d *Decoder) complain(what string) {
	d.unread++
	if d.odd == "" {
		d.odd = what
	}
}
