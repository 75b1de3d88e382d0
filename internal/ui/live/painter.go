package live

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// painter draws the screen at the end of what is on the terminal, again and again on the same place, and the record above
// it. It writes each picture whole, and in between leaves the cursor at the end of the last line: so it knows where the
// picture begins even after the terminal broke its lines anew for another width.
type painter struct {
	out   io.Writer
	drawn []string
	// reflows is true for terminals that break long lines anew when they get narrower.
	reflows bool
}

// Sequences of a terminal, as ECMA-48 has them.
const (
	eraseRow = "\x1b[2K"
	down     = "\x1b[B"
	// A terminal that knows these shows what is between them at once; others ignore them.
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
)

// paint adds lines to the record and draws the screen below it, on a terminal of that width; no line may be as wide. Where
// nothing changed it writes nothing.
func (p *painter) paint(record, screen []string, width int) error {
	if len(record) == 0 && slices.Equal(screen, p.drawn) {
		return nil
	}
	var b strings.Builder
	b.WriteString(beginFrame + p.erase(width))
	for _, line := range record {
		b.WriteString(line + "\r\n")
	}
	b.WriteString(strings.Join(screen, "\r\n") + endFrame)
	p.drawn = slices.Clone(screen)
	if _, err := io.WriteString(p.out, b.String()); err != nil {
		return fmt.Errorf("draw the screen: %w", err)
	}
	return nil
}

// erase takes away what is drawn and leaves the cursor where it began. It does so row by row: to erase all that is below at
// once makes some terminals put a copy into the scrollback, and rows that are only written over stay joined to the next where
// the terminal had broken a line there.
func (p *painter) erase(width int) string {
	rows := 0
	for _, line := range p.drawn {
		rows += p.height(line, width)
	}
	if rows == 0 {
		return "\r"
	}
	up := ""
	if rows > 1 {
		up = fmt.Sprintf("\x1b[%dA", rows-1)
	}
	return "\r" + up + strings.Repeat(eraseRow+down, rows-1) + eraseRow + up
}

// height is how many rows a line takes that was drawn on a terminal of whatever width.
func (p *painter) height(line string, width int) int {
	if !p.reflows || width <= 0 || ansi.StringWidth(line) <= width {
		return 1
	}
	return 1 + strings.Count(ansi.Hardwrap(line, width, true), "\n")
}

// forget leaves what is drawn where it is: the next picture begins where the cursor stands.
func (p *painter) forget() { p.drawn = nil }

// reflows says whether a terminal breaks its lines anew for another width: most do.
func reflows(env func(string) string) bool {
	kind := env("TERM")
	return env("XTERM_VERSION") == "" && kind != "linux" && (!strings.HasPrefix(kind, "screen") || env("TMUX") != "")
}
