package live

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// vt is a terminal that knows what painter writes: rows of text, the first of which have scrolled off.
type vt struct {
	t     *testing.T
	rows  [][]rune
	x, y  int
	lines int // the height
}

var sequence = regexp.MustCompile(`^\x1b\[(\?2026[hl]|(\d*)([ABK]))`)

// Write shows what is written.
func (v *vt) Write(p []byte) (int, error) {
	s := string(p)
	for s != "" {
		if m := sequence.FindStringSubmatch(s); m != nil {
			v.control(m[2], m[3])
			s = s[len(m[0]):]
			continue
		}
		r := []rune(s)[0]
		s = s[len(string(r)):]
		switch r {
		case '\r':
			v.x = 0
		case '\n':
			v.y++
		case '\x1b':
			v.t.Fatalf("unknown sequence %q", s)
		default:
			v.grow()
			row := v.rows[v.y]
			for len(row) <= v.x {
				row = append(row, ' ')
			}
			row[v.x] = r
			v.rows[v.y], v.x = row, v.x+1
		}
	}
	v.grow()
	return len(p), nil
}

func (v *vt) grow() {
	for len(v.rows) <= v.y {
		v.rows = append(v.rows, nil)
	}
}

func (v *vt) control(number, what string) {
	n, _ := strconv.Atoi(number)
	switch what {
	case "A":
		v.y = max(v.y-max(n, 1), len(v.rows)-v.lines, 0)
	case "B":
		v.y = min(v.y+max(n, 1), len(v.rows)-1)
	case "K":
		v.grow()
		v.rows[v.y] = nil
	}
}

func (v *vt) text() string {
	var b strings.Builder
	for _, r := range v.rows {
		b.WriteString(strings.TrimRight(string(r), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (v *vt) shows(want ...string) {
	v.t.Helper()
	if got := v.text(); got != strings.Join(want, "\n") {
		v.t.Errorf("the terminal shows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestPaintKeepsTheRecordAboveTheScreen(t *testing.T) {
	t.Parallel()
	v := &vt{t: t, lines: 24}
	p := painter{out: v}
	paint := func(record, screen []string) {
		t.Helper()
		if err := p.paint(record, screen, 80); err != nil {
			t.Fatal(err)
		}
	}
	paint(nil, []string{"head", "foot"})
	v.shows("head", "foot")
	paint([]string{"first"}, []string{"head", "one", "two", "foot"})
	v.shows("first", "head", "one", "two", "foot")
	paint([]string{"second", "third"}, []string{"hd"})
	v.shows("first", "second", "third", "hd")
	before := v.text()
	paint(nil, []string{"hd"})
	v.shows(before)
	paint([]string{"last"}, nil)
	v.shows("first", "second", "third", "last")
	if v.x != 0 || v.y != 4 {
		t.Errorf("the cursor is at %d,%d", v.x, v.y)
	}
}

// A lot scrolls by: the record has each line once, in order, and one screen is left.
func TestPaintOnASmallTerminal(t *testing.T) {
	t.Parallel()
	v := &vt{t: t, lines: 5}
	p := painter{out: v}
	var want []string
	for i := range 200 {
		line := fmt.Sprintf("line %d", i)
		want = append(want, line)
		if err := p.paint([]string{line}, []string{"head", "foot"}[:1+i%2], 80); err != nil {
			t.Fatal(err)
		}
	}
	v.shows(append(want, "head", "foot")...)
}

func TestEraseCountsTheRowsOfATerminalThatGotNarrower(t *testing.T) {
	t.Parallel()
	p := painter{drawn: []string{strings.Repeat("x", 79), "short", strings.Repeat("字", 39)}, reflows: true}
	for width, rows := range map[int]int{80: 3, 79: 3, 50: 5, 40: 5, 20: 4 + 1 + 4, 0: 3} {
		if got := strings.Count(p.erase(width), eraseRow); got != rows {
			t.Errorf("at %d columns: %d rows, want %d", width, got, rows)
		}
	}
	p.reflows = false
	if got := strings.Count(p.erase(20), eraseRow); got != 3 {
		t.Errorf("on a terminal that cuts lines: %d rows", got)
	}
}
