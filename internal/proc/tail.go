package proc

import (
	"sync"
	"unicode/utf8"
)

// Tail is a writer that keeps the end of what was written: what a person or an agent needs of a check's output. Several
// writers may share it.
type Tail struct {
	mu    sync.Mutex
	limit int
	buf   []byte
	total int64
}

// NewTail returns a Tail that keeps the last limit bytes.
func NewTail(limit int) *Tail { return &Tail{limit: max(limit, 0)} }

// Write takes all of p and never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(p))
	kept := p
	if len(kept) > t.limit {
		kept = kept[len(kept)-t.limit:]
	}
	// Twice the limit before the old half is dropped: each byte moves once.
	if len(t.buf)+len(kept) > 2*t.limit {
		drop := max(len(t.buf)-t.limit+len(kept), 0)
		t.buf = append(t.buf[:0], t.buf[min(drop, len(t.buf)):]...)
	}
	t.buf = append(t.buf, kept...)
	return len(p), nil
}

// Bytes returns the end of what was written, at most the limit; where something is missing in front it begins with a
// whole character.
func (t *Tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.buf[max(len(t.buf)-t.limit, 0):]
	if t.total > int64(len(end)) {
		for i := 0; i < utf8.UTFMax && len(end) > 0 && !utf8.RuneStart(end[0]); i++ {
			end = end[1:]
		}
	}
	return append([]byte(nil), end...)
}

// Total returns how many bytes were written in all.
func (t *Tail) Total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}
