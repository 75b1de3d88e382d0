package git

import (
	"errors"
	"regexp"
	"strings"
)

// cause is something that git says when it cannot work, and what a person can do about it.
type cause struct {
	says   string
	advice string
}

// causes are looked for in their order in what git wrote to its standard error in the locale C.
func causes() []cause {
	return []cause{
		{"insufficient permission", noRight},
		{"Permission denied", noRight},
		{"Read-only file system", "it lies on a file system that cannot be written to"},
		{"No space left on device", "the disk is full: make room, then call again"},
		{".lock': File exists", "another git is at work in this repository, or one was killed: when none runs, remove that file"},
		{"bad config", "mend that line of git's configuration: git config --list reads it again"},
		{"index file", noIndex},
		{"bad index", noIndex},
		{"is corrupt", damaged},
		{"bad object", damaged},
		{"not a tree object", damaged},
		{"could not parse commit", damaged},
		{"missing object", damaged},
		{"unable to read tree", damaged},
		{"object file", damaged},
	}
}

const (
	noRight = "you have no right to write there: call as the repository's owner, or have the right given to you"
	noIndex = "git cannot read the index: move it away, then git reset makes a new one (files stay as they are)"
	damaged = "objects of the repository are missing or damaged: git fsck names them, git fetch may bring them back"
)

// Advice is what a person can do about a git that failed; empty where nothing is known that helps.
func Advice(err error) string {
	var failed *Error
	if errors.Is(err, ErrNoObject) {
		return damaged
	}
	if !errors.As(err, &failed) {
		return ""
	}
	for _, c := range causes() {
		if strings.Contains(failed.Stderr, c.says) {
			return c.advice
		}
	}
	return ""
}

var (
	dubious   = regexp.MustCompile(`detected dubious ownership in repository at '(.*)'`)
	badConfig = regexp.MustCompile(`bad config line (\d+) in file (.+)`)
)
