package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Told is one event of a transcript, or with a nil Event a line that holds none.
type Told struct {
	Event *Event
	// At is when its line was written, as far as the agent says so or its supervisor saw it; zero is unknown.
	At time.Time
}

// Transcript reads what a run's agent wrote on stdout, each line once: a second Read goes on where the first ended. It
// belongs to one goroutine.
type Transcript struct {
	dir     string
	decoder *Decoder
	offset  int64
	marks   []paceMark
	mark    int
}

// Transcript begins to read a run from its beginning.
func (r Runs) Transcript(id string) (*Transcript, error) {
	spec, err := r.Spec(id)
	if err != nil {
		return nil, err
	}
	decoder, err := NewDecoder(spec.Agent)
	if err != nil {
		return nil, err
	}
	return &Transcript{dir: r.folder(id), decoder: decoder}, nil
}

// Read hands what was written since the last time to each, as far as it is whole lines; ended takes a last line without an
// end as whole. An error of each ends the reading.
func (t *Transcript) Read(ctx context.Context, ended bool, each func(Told) error) error {
	file, size, err := openLog(filepath.Join(t.dir, stdoutFile))
	if err != nil || file == nil {
		return err
	}
	defer func() { _ = file.Close() }() // read only
	if size <= t.offset {
		return nil
	}
	t.marks = readPace(t.dir)
	end := size
	if !ended {
		if end, err = lastLineEnd(file, t.offset, size); err != nil || end <= t.offset {
			return err
		}
	}
	if _, err := file.Seek(t.offset, io.SeekStart); err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	lines := newLineReader(io.LimitReader(file, end-t.offset))
	for ctx.Err() == nil {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			t.offset = end
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the transcript: %w", err)
		}
		t.offset = min(t.offset+line.Size+1, end)
		if err := t.line(ctx, line, each); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// lastLineEnd is where the last whole line between two offsets ends; from where there is none.
func lastLineEnd(file *os.File, from, size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end := size; end > from; {
		start := max(from, end-int64(len(block)))
		n, err := file.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return from, fmt.Errorf("read the transcript: %w", err)
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return from, nil
}

// line tells one line.
func (t *Transcript) line(ctx context.Context, line Line, each func(Told) error) error {
	at := t.at(line)
	told := false
	var failed error
	t.decoder.Line(ctx, line, func(ev Event) {
		if told = true; failed == nil {
			failed = each(Told{Event: &ev, At: at})
		}
	})
	if failed == nil && !told {
		failed = each(Told{At: at})
	}
	return failed
}

// at is when the line before the present offset was written.
func (t *Transcript) at(line Line) time.Time {
	if at := stampOf(line); !at.IsZero() {
		return at
	}
	for t.mark < len(t.marks) && t.marks[t.mark].size < t.offset {
		t.mark++
	}
	if t.mark == len(t.marks) {
		return time.Time{}
	}
	return t.marks[t.mark].at
}

// stampOf is the time that several agents put on each line, as "timestamp": RFC 3339, or milliseconds since 1970.
func stampOf(line Line) time.Time {
	if line.Cut() || !bytes.Contains(line.Text, []byte(`"timestamp"`)) {
		return time.Time{}
	}
	var stamped struct {
		Timestamp any `json:"timestamp"`
	}
	if json.Unmarshal(line.Text, &stamped) != nil {
		return time.Time{}
	}
	switch v := stamped.Timestamp.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC()
		}
	case float64:
		if v > 1e12 && v < 1e14 {
			return time.UnixMilli(int64(v)).UTC()
		}
	}
	return time.Time{}
}
