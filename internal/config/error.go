package config

import "fmt"

// Error is something wrong in a configuration file, and where.
type Error struct {
	// Path is the file as a person would name it; Line and Column count from 1.
	Path         string
	Line, Column int
	// Msg says what is wrong; Hint, where there is one, what to do.
	Msg, Hint string
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Msg)
	if e.Hint != "" {
		s += "\n  " + e.Hint
	}
	return s
}
