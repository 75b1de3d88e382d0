package term

import (
	"strings"
	"unicode"
)

// Clean makes text of a plan, an agent or git fit for one line of a terminal: control characters, which could move the
// cursor or colour what follows, and characters that turn the direction of writing become spaces or vanish.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, s)
}

// CleanText is Clean for text of several lines: line ends and tabs stay.
func CleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && r != '\n' && hidden(r) {
			return -1
		}
		return r
	}, s)
}

// hidden reports whether r changes what is seen without being seen.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\ufeff':
		return true
	}
	return false
}
