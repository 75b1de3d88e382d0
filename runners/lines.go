package runners

import (
	"bufio"
	"errors"
	"io"
)

const (
	// maxLine is the longest line of output that is read as JSON. An agent's last line holds its last words, its verdict and
	// what it used, so that an answer of ten million bytes must fit, escaped; what is longer (an echo of a file, a picture) is
	// left out, so that memory stays bounded.
	maxLine = 16 << 20
	// keptBuffer is the largest buffer that is kept for the next line.
	keptBuffer = 1 << 20
	// keptOfLong is how much of a longer line is kept, to show what it was.
	keptOfLong = 1 << 10
)

// Line is one line of output, without its end.
type Line struct {
	// Text is the line; of one longer than is read, its beginning.
	Text []byte
	// Size is the line's whole length.
	Size int64
}

// Cut reports whether Text is not the whole line.
func (l Line) Cut() bool { return l.Size > int64(len(l.Text)) }

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line, valid until the call after, or io.EOF. A last line without an end counts.
func (l *lineReader) next() (Line, error) {
	if l.buf = l.buf[:0]; cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	var size int64
	for {
		part, err := l.r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		size += int64(len(part))
		if size <= maxLine {
			l.buf = append(l.buf, part...)
		} else if len(l.buf) > keptOfLong {
			l.buf = append(make([]byte, 0, keptOfLong), l.buf[:keptOfLong]...)
		}
		switch {
		case ended:
			return l.line(size), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && size > 0:
			return l.line(size), nil
		default:
			return Line{}, err
		}
	}
}

func (l *lineReader) line(size int64) Line {
	if n := len(l.buf); n > 0 && int64(n) == size && l.buf[n-1] == '\r' {
		return Line{Text: l.buf[:n-1], Size: size - 1}
	}
	return Line{Text: l.buf, Size: size}
}
