package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"tendril/internal/proc"
)

const (
	// maxText is how much of an agent's last words is kept, textTail how much of the output of one that prints text.
	maxText  = 64 << 10
	textTail = 8 << 10
	// maxDenied bounds the list of refused tools; one refusal too many tells no more than the first.
	maxDenied = 20
)

// reading is what one run's output says, gathered.
type reading struct {
	session, model string
	// spoke is true when there was any output on stdout.
	spoke  bool
	text   string
	result *Event // the last one
	errs   []Event
	// retries are the errors after which it tries again by itself.
	retries []Event
	denied  []string
	usage   *usageCount
	// plain is the end of stdout that was no JSON, stderr the end of stderr.
	plain, stderr string
}

func newReading(a Agent) *reading { return &reading{usage: newUsageCount(a.Usage)} }

// take adds one event.
func (r *reading) take(ev Event) {
	switch ev.Type {
	case EventSession:
		r.session, r.model = ev.ID, cmp.Or(r.model, ev.Model)
	case EventText:
		r.model = cmp.Or(r.model, ev.Model)
		if strings.TrimSpace(ev.Text) != "" {
			r.text = ev.Text
		}
	case EventUsage:
		r.model = cmp.Or(r.model, ev.Model)
		r.usage.add(ev)
	case EventResult:
		if r.result == nil || !r.result.Final {
			r.result = &ev
		}
	case EventError:
		switch {
		case ev.Retry:
			// One that retries for hours says the same again and again.
			r.retries = []Event{ev}
		case ev.Kind != KindDenied:
			r.errs = append(r.errs, ev)
		case !slices.Contains(r.denied, ev.Message) && len(r.denied) < maxDenied:
			r.denied = append(r.denied, ev.Message)
		}
	case EventTool:
		r.model = cmp.Or(r.model, ev.Model)
	}
}

// lastWords returns what the agent said at its end.
func (r *reading) lastWords() string {
	text := r.text
	if r.result != nil && strings.TrimSpace(r.result.Text) != "" {
		text = r.result.Text
	}
	return clip(strings.TrimSpace(text), maxText)
}

// logs are the files that hold a run's output; one that is not there says nothing.
type logs struct{ stdout, stderr, usage string }

// read gathers what the files say. What the program does not understand is no error; that a file cannot be read is one.
func (l logs) read(ctx context.Context, a Agent) (*reading, error) {
	decoder, err := NewDecoder(a)
	if err != nil {
		return nil, err
	}
	r := newReading(a)
	if info, err := os.Stat(l.stdout); err == nil {
		r.spoke = info.Size() > 0
	}
	// First, so that what the output itself says at the end has the last word.
	if err := withFile(l.stderr, func(f io.Reader) error { return decoder.Stderr(ctx, f, r.take) }); err != nil {
		return nil, err
	}
	if a.Output == OutputText {
		r.text, err = tailOf(l.stdout, textTail)
	} else {
		err = withFile(l.stdout, func(f io.Reader) error { return decoder.Stdout(ctx, f, r.take) })
	}
	if err != nil {
		return nil, err
	}
	if err := withFile(l.usage, func(f io.Reader) error {
		content, err := io.ReadAll(io.LimitReader(f, maxLine))
		if len(content) > 0 {
			decoder.File(ctx, content, r.take)
		}
		return err
	}); err != nil {
		return nil, err
	}
	r.plain = decoder.Plain()
	r.stderr, err = tailOf(l.stderr, plainTail)
	return r, err
}

// withFile opens a file for do; one that is not there is an empty one.
func withFile(name string, do func(io.Reader) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read output: %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	return do(f)
}

// tailOf returns the end of a file, at most limit bytes, without the space around it.
func tailOf(name string, limit int) (string, error) {
	tail := proc.NewTail(limit)
	err := withFile(name, func(r io.Reader) error {
		if f, ok := r.(*os.File); ok {
			// From near the end; a file shorter than that is read from its beginning.
			_, _ = f.Seek(-int64(limit), io.SeekEnd)
		}
		_, err := io.Copy(tail, r)
		return err
	})
	return strings.TrimSpace(strings.ToValidUTF8(string(tail.Bytes()), "\uFFFD")), err
}

// clip cuts a text to limit bytes at a character's end, with a mark.
func clip(s string, limit int) string {
	// Cut first: what is cut off may be long, and is asked for again and again while a text comes in pieces.
	end := ""
	if len(s) > limit {
		for s, end = s[:limit], " …"; len(s) > 0; s = s[:len(s)-1] {
			if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 || limit-len(s) >= utf8.UTFMax {
				break
			}
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD") + end
}
