package plans

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"tendril/internal/md"
)

// MaxPlanSize is the size in bytes from which a file of a plan is refused unread.
const MaxPlanSize = 1 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

const noFrontMatterHint = "begin the file with a line ---, then title: and status:, then another line ---"

// parts says where the pieces of a plan.md are, as offsets into it: the YAML between the fences and the body behind them.
type parts struct {
	open, matter, close, body int
}

// split finds the front matter: between a first line that is --- and the next line that is --- from column 0. Blanks behind
// the three hyphens, CRLF, a byte order mark and a missing last newline are read past, and survive since nothing is rewritten.
func split(src []byte) (parts, *SyntaxError) {
	if err := checkText(src); err != nil {
		return parts{}, err
	}
	p := parts{}
	if bytes.HasPrefix(src, byteOrderMark) {
		p.open = len(byteOrderMark)
	}
	first := lineEnd(src, p.open)
	if !isFence(src[p.open:first]) {
		if err := findConflict(src, 0, len(src), nil); err != nil {
			return parts{}, err
		}
		return parts{}, &SyntaxError{Line: 1, Column: 1, Msg: "no front matter: the first line is not ---", Hint: noFrontMatterHint}
	}
	p.matter = first
	for at := first; at < len(src); {
		end := lineEnd(src, at)
		if isFence(src[at:end]) {
			p.close, p.body = at, end
			return p, nil
		}
		at = end
	}
	if err := findConflict(src, 0, len(src), nil); err != nil {
		return parts{}, err
	}
	return parts{}, &SyntaxError{Line: 1, Column: 1, Msg: "the front matter has no end", Hint: "close it by a line --- of its own, from the first column"}
}

// checkText refuses what is no text that a person could have written as a plan.
func checkText(src []byte) *SyntaxError {
	if len(src) > MaxPlanSize {
		return tooBig(int64(len(src)))
	}
	bad, what := -1, ""
	if !utf8.Valid(src) {
		what = "not UTF-8"
		for at := 0; at < len(src); {
			r, n := utf8.DecodeRune(src[at:])
			if r == utf8.RuneError && n == 1 {
				bad = at
				break
			}
			at += n
		}
	} else if bad = bytes.IndexByte(src, 0); bad >= 0 {
		what = "a NUL byte: not a text"
	}
	if bad < 0 {
		return nil
	}
	line, column := position(src, bad)
	return &SyntaxError{Line: line, Column: column, Msg: what, Hint: "save the file as UTF-8"}
}

func tooBig(size int64) *SyntaxError {
	return &SyntaxError{
		Msg:  fmt.Sprintf("too big: %d bytes, the limit is %d", size, MaxPlanSize),
		Hint: "keep the plan short, and link to what is long",
	}
}

// findConflict looks for the marker lines of an unresolved merge between two offsets, except in the ranges of code: there
// they are an example.
func findConflict(src []byte, from, to int, code []md.Range) *SyntaxError {
	for at := from; at < to; {
		end := lineEnd(src, at)
		if isConflictMarker(src[at:end]) && !md.In(code, at) {
			return &SyntaxError{
				Line: md.LineAt(src, at), Column: 1, Msg: "unresolved conflict markers",
				Hint: "finish the merge: choose one side, delete the marker lines and commit",
			}
		}
		at = end
	}
	return nil
}

// isConflictMarker knows the lines that begin or end a side. ======= is left out: it also underlines a heading, and never
// stands alone.
func isConflictMarker(line []byte) bool {
	for _, marker := range [...]string{"<<<<<<<", ">>>>>>>", "|||||||"} {
		if rest, ok := bytes.CutPrefix(line, []byte(marker)); ok {
			return len(rest) == 0 || rest[0] == ' ' || rest[0] == '\r' || rest[0] == '\n'
		}
	}
	return false
}

func isFence(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && len(bytes.Trim(rest, " \t\r\n")) == 0
}

// lineEnd is the offset behind the line that holds at, its newline included.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// position is the line and the column, in characters, of an offset, both from 1. A byte order mark takes no column.
func position(src []byte, offset int) (line, column int) {
	start := 0
	if i := bytes.LastIndexByte(src[:offset], '\n'); i >= 0 {
		start = i + 1
	} else if bytes.HasPrefix(src, byteOrderMark) {
		start = min(len(byteOrderMark), offset)
	}
	return md.LineAt(src, offset), 1 + utf8.RuneCount(src[start:offset])
}
