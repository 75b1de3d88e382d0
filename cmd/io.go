package cmd

import (
	"io"
	"os"

	"tendril/internal/term"
)

// IO is what a call reads and writes. Commands never touch the process's own streams or environment.
type IO struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Env reads an environment variable; empty is unset.
	Env func(name string) string
	// Term says what the three streams are.
	Term term.Info
}

// System is the process's own IO.
func System() IO {
	return IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Term: term.Detect()}
}

// Version says which build this is.
type Version struct {
	// Version is "dev" outside a release; Commit and Date (RFC 3339) are empty where unknown.
	Version, Commit, Date string
	// Modified is true when the build held changes that no commit has.
	Modified bool
}
