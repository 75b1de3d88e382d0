package live

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tendril/internal/term"
)

// section is a part of the screen: a heading and rows.
type section struct {
	heading string
	rows    []row
	// count is how many plans there are, where the rows do not tell it (several in one row).
	count int
	// full is true where the rows are shown in full.
	full bool
	// weight is how many rows it gets in each round where there is too little room.
	weight int
}

// lines are the section's rows as lines.
func (s section) lines() []string {
	var out []string
	for _, r := range s.rows {
		if s.full {
			out = append(out, r.full...)
		} else {
			out = append(out, r.short)
		}
	}
	return out
}

// height is how many lines the rows of a section take.
func (s section) height() int { return len(s.lines()) }

// fit chooses how the sections are shown in so many lines, headings included: their rows in full where there is room, else
// in one line each, beginning with the last section; else as many rows as there is room for, with a count of the others. Empty
// sections are left out. Where there is no room for a line of each it returns false.
func fit(sections []section, lines int) (shown []section, given []int, ok bool) {
	for _, s := range sections {
		if len(s.rows) > 0 {
			s.full = true
			shown = append(shown, s)
		}
	}
	room := lines - len(shown)
	if room < len(shown) {
		return nil, nil, false
	}
	for i := len(shown) - 1; i >= 0 && total(shown) > room; i-- {
		shown[i].full = false
	}
	return shown, share(shown, room), true
}

// total is how many lines the rows of all sections take.
func total(sections []section) int {
	n := 0
	for _, s := range sections {
		n += s.height()
	}
	return n
}

// share gives lines to sections, in turns, until each has what it needs or none is left.
func share(sections []section, room int) []int {
	given := make([]int, len(sections))
	for moved := true; moved && room > 0; {
		moved = false
		for i, s := range sections {
			more := min(s.weight, room, s.height()-given[i])
			given[i] += more
			room -= more
			moved = moved || more > 0
		}
	}
	return given
}

// draw are the lines of a section in the lines given to it, heading first.
func (s section) draw(given, width int, look term.Info) []string {
	out := []string{heading(fmt.Sprintf("%s %d", s.heading, s.total()), width, look)}
	if lines := s.lines(); len(lines) <= given {
		return append(out, lines...)
	}
	shown := max(given-1, 0)
	for _, r := range s.rows[:shown] {
		out = append(out, r.short)
	}
	words := fmt.Sprintf("  … and %d more: tendril status", len(s.rows)-shown)
	if shown == 0 {
		words = "  tendril status shows them"
	}
	return append(out, look.Paint(term.Dim, cut(words, width)))
}

func (s section) total() int { return max(s.count, len(s.rows)) }

// heading is a rule with words in it.
func heading(words string, width int, look term.Info) string {
	words = cut("── "+words+" ", width)
	return look.Paint(term.Dim, words+strings.Repeat("─", max(0, width-ansi.StringWidth(words))))
}
