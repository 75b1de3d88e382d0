package live

import (
	"fmt"
	"strings"
	"time"

	"tendril/internal/term"
	"tendril/lifecycle"
)

// model is what there is to show; what it shows follows from it alone.
type model struct {
	// width and height are the terminal's.
	width, height int
	look          term.Info
	scene         lifecycle.Scene
	// looked is true once there was a scene.
	looked bool
	now    time.Time
	// notice stands at the end of the screen, in place of the hint.
	notice string
}

// lines are the lines of the screen: never so many that nothing of the record is seen, none as wide as the terminal.
func (m model) lines() []string {
	width := max(m.width-1, 1)
	budget := max(m.height-min(max(m.height/5, 2), 8), 1)
	foot := m.foot(width)
	notes := m.notes(width, budget/4)
	sections, given, ok := fit(m.sections(width), budget-len(foot)-len(notes))
	if !ok {
		words := fmt.Sprintf("%d at work, %d for you, %d waiting", len(m.scene.Working), len(m.scene.Asking), len(m.scene.Waiting))
		return narrow(append([]string{words}, foot[:min(len(foot), max(budget-1, 0))]...), width)
	}
	out := notes
	for i, s := range sections {
		out = append(out, s.draw(given[i], width, m.look)...)
	}
	if len(sections) == 0 {
		out = append(out, heading(m.idle(), width, m.look))
	}
	return narrow(append(out, foot...), width)
}

// narrow cuts lines to the width, on a terminal of a few columns no layout holds, and the space at their ends.
func narrow(lines []string, width int) []string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(cut(line, width), " ")
	}
	return lines
}

func (m model) sections(width int) []section {
	p := pen{scene: m.scene, now: m.now, width: width, look: m.look}
	return []section{
		{heading: "at work", rows: p.working(), weight: 2},
		{heading: "waiting", rows: p.waiting(), count: len(m.scene.Waiting), weight: 1},
		{heading: "waits for you", rows: p.asking(), weight: 2},
	}
}

// farewell are the lines that stay in the record when the screen goes: what waits for the person.
func (m model) farewell() []string {
	p := pen{scene: m.scene, now: m.now, width: max(m.width-1, 1), look: m.look}
	rows := p.asking()
	if len(rows) == 0 {
		return nil
	}
	s := section{heading: "waits for you", rows: rows, full: true}
	most := max(m.height/2, 4)
	s.full = s.height() <= most
	return s.draw(min(s.height(), most), p.width, m.look)
}

// idle says that nothing is there to be shown.
func (m model) idle() string {
	if !m.looked {
		return "looking at the plans"
	}
	return "nothing to do"
}

// notes are what concerns no single plan.
func (m model) notes(width, most int) []string {
	var out []string
	for _, n := range m.scene.Notes {
		for _, line := range wrap(oneLine(n), width) {
			out = append(out, m.look.Paint(term.Yellow, line))
		}
	}
	return out[:min(len(out), max(most, 1))]
}

// foot is what a person can do here.
func (m model) foot(width int) []string {
	if m.notice != "" {
		var out []string
		for _, line := range wrap(oneLine(m.notice), width) {
			out = append(out, m.look.Paint(term.Yellow, line))
		}
		return out
	}
	hint := "Ctrl-C ends the engine, agents go on"
	if n := m.scene.Drafts; n > 0 {
		hint += fmt.Sprintf(" · %d drafts: tendril list", n)
	}
	return []string{m.look.Paint(term.Dim, cut(hint, width))}
}
