package runners

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// pace writes down how long an agent's stdout was when: few agents say at what time they did something. A line is the size
// in bytes and the time in milliseconds since 1970, at most two a second.
type pace struct {
	file *os.File
	size int64
}

// newPace begins a run's pace. Where it cannot be written, nobody learns how long the agent's tools took, and that is all.
func newPace(dir string) *pace {
	file, err := os.OpenFile(filepath.Join(dir, paceFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return &pace{}
	}
	return &pace{file: file}
}

// note takes down the size of stdout where it has grown.
func (p *pace) note(size int64, now time.Time) {
	if p.file == nil || size <= p.size {
		return
	}
	p.size = size
	if _, err := fmt.Fprintf(p.file, "%d %d\n", size, now.UnixMilli()); err != nil {
		p.close()
	}
}

func (p *pace) close() {
	if p.file != nil {
		_ = p.file.Close() // it is for whoever looks; nothing follows from it
		p.file = nil
	}
}

// paceMark is one line of a pace.
type paceMark struct {
	size int64
	at   time.Time
}

// readPace reads a run's pace; what cannot be read says nothing.
func readPace(dir string) []paceMark {
	data, err := os.ReadFile(filepath.Join(dir, paceFile))
	if err != nil {
		return nil
	}
	var marks []paceMark
	for line := range strings.Lines(string(data)) {
		left, right, _ := strings.Cut(strings.TrimSpace(line), " ")
		size, sizeErr := strconv.ParseInt(left, 10, 64)
		milli, timeErr := strconv.ParseInt(right, 10, 64)
		if sizeErr == nil && timeErr == nil {
			marks = append(marks, paceMark{size: size, at: time.UnixMilli(milli).UTC()})
		}
	}
	return marks
}
