package plans

import (
	"fmt"
	"strings"
)

// SyntaxError is what is wrong with one file of one plan (or with the plans folder itself), and where. What concerns one
// plan never concerns another.
type SyntaxError struct {
	// Path is the file, relative to the repository; it may be empty where only bytes were given.
	Path string
	// Line and Column count from 1, in characters; 0 is the file as a whole.
	Line, Column int
	// Msg says what is wrong, Hint what to do about it.
	Msg, Hint string
}

// Error returns "path:line:column: what", and the hint on a second line.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, max(e.Column, 1))
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString("\n  " + e.Hint)
	}
	return b.String()
}

// at returns the error with its file named, unless it names one.
func (e *SyntaxError) at(path string) *SyntaxError {
	if e.Path == "" {
		e.Path = path
	}
	return e
}
