// Package logfile writes a log of JSON lines into a file that is put aside when it gets long, for its owner's eyes and
// without secrets.
package logfile

import (
	"fmt"
	"io"
	"log/slog"
	"os"
)

const (
	// Most is how many bytes a file holds before it is put aside.
	Most = 4 << 20
	// Kept is how many files that were put aside are kept: NAME.1 is the newest.
	Kept = 2
)

// Open opens the log at name, which one process writes at a time, to be written on. Strings go through mask first. What
// cannot be written later is lost in silence: a full disk must not stop what is logged.
func Open(name string, mask func([]byte) []byte) (*slog.Logger, io.Closer, error) {
	return open(name, Most, mask)
}

func open(name string, most int64, mask func([]byte) []byte) (*slog.Logger, io.Closer, error) {
	f := &file{name: name, most: most}
	if err := f.begin(); err != nil {
		return nil, nil, err
	}
	handler := slog.NewJSONHandler(f, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Value.Kind() {
		case slog.KindString, slog.KindAny:
			if _, level := a.Value.Any().(slog.Level); !level {
				a.Value = slog.StringValue(string(mask([]byte(a.Value.String()))))
			}
		default:
		}
		return a
	}})
	return slog.New(handler), f, nil
}

// file is the log's file; the logger's handler writes one whole line at a time.
type file struct {
	name string
	most int64
	// out is nil while none can be begun.
	out  *os.File
	size int64
}

func (f *file) begin() error {
	out, err := os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	info, err := out.Stat()
	if err != nil {
		_ = out.Close() // nothing was written
		return fmt.Errorf("open the log %s: %w", f.name, err)
	}
	f.out, f.size = out, info.Size()
	return nil
}

// Write adds a line, in a new file where the old one is full.
func (f *file) Write(line []byte) (int, error) {
	var err error
	switch {
	case f.out == nil:
		err = f.begin()
	case f.size > 0 && f.size+int64(len(line)) > f.most:
		err = f.rotate()
	}
	if err != nil {
		return 0, err
	}
	n, err := f.out.Write(line)
	f.size += int64(n)
	return n, err
}

// rotate puts the file aside and begins a new one. Where names cannot be changed the old one is written on. Where none can
// be begun nothing is put aside again until one can.
func (f *file) rotate() error {
	_ = f.out.Close() // every line was written whole
	f.out = nil
	for i := Kept - 1; i >= 0; i-- {
		// A number that is not there yet is no error; one that cannot be moved is overwritten or written on.
		_ = os.Rename(f.numbered(i), f.numbered(i+1))
	}
	return f.begin()
}

func (f *file) numbered(i int) string {
	if i == 0 {
		return f.name
	}
	return fmt.Sprintf("%s.%d", f.name, i)
}

// Close ends the log.
func (f *file) Close() error {
	if f.out == nil {
		return nil
	}
	return f.out.Close()
}
