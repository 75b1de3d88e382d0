// Package term knows what the process's streams are (a terminal or not, how wide, whether colours are wanted), cleans
// text before a terminal gets it, and prints tables. It imports no room.
package term

import (
	"os"
	"strings"

	"github.com/cli/go-gh/v2/pkg/term"
)

// fallbackWidth is what a terminal is taken for whose width cannot be told.
const fallbackWidth = 80

// Info says what the streams of a process are. The zero value is three pipes without colour.
type Info struct {
	// InTTY, OutTTY and ErrTTY are true for terminals.
	InTTY, OutTTY, ErrTTY bool
	// Width is the terminal's, in columns; 0 without one.
	Width int
	// Color is true when standard output may be coloured: a terminal (or CLICOLOR_FORCE), and neither NO_COLOR,
	// CLICOLOR=0 nor TERM=dumb.
	Color bool
}

// Detect looks at this process's own streams and environment.
func Detect() Info {
	t := term.FromEnv()
	info := Info{
		InTTY: term.IsTerminal(os.Stdin), OutTTY: t.IsTerminalOutput(), ErrTTY: term.IsTerminal(os.Stderr),
		Color: t.IsColorEnabled() && (os.Getenv("TERM") != "dumb" || term.IsColorForced()),
	}
	if info.OutTTY {
		info.Width = fallbackWidth
		if width, _, err := t.Size(); err == nil && width > 0 {
			info.Width = width
		}
	}
	return info
}

// Style is a way of writing on a terminal.
type Style string

// The styles in use: few, and readable on dark and light grounds.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint wraps s in a style where colours are wanted; s must be clean (see Clean).
func (i Info) Paint(style Style, s string) string {
	if !i.Color || style == Plain || s == "" {
		return s
	}
	var b strings.Builder
	b.WriteString("\x1b[")
	b.WriteString(string(style))
	b.WriteByte('m')
	b.WriteString(s)
	b.WriteString("\x1b[0m")
	return b.String()
}
