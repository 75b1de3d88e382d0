package plans

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tendril/internal/md"
)

// BoardRow is one plan on the board.
type BoardRow struct {
	Key   Key
	Title string
	// Status is empty for a plan that cannot be read.
	Status Status
	// Note is a few words for people: why it failed, what is refused, UNVERIFIED.
	Note string
	// Files are further files of the plan's folder to link to ("verification.md").
	Files []string
}

// The lines between which the board stands in plans/README.md. All around them is a person's.
const (
	BoardBegin = "<!-- tendril:board:begin -->"
	BoardEnd   = "<!-- tendril:board:end -->"
)

// boardDone is how many merged and rejected plans are shown, the newest first: the page stays readable after years.
const boardDone = 50

// boardPart is one heading of the board and the states below it.
type boardPart struct {
	title  string
	states []Status
}

// boardParts is the order of the board: what waits for a person comes first. The empty status are plans that cannot be read.
func boardParts() []boardPart {
	return []boardPart{
		{"Waiting for you", []Status{"", InReview, Failed}},
		{"At work", []Status{Executing, Verifying, ChangesRequested, Approved, Accepted}},
		{"Not started", []Status{Draft, Icebox}},
		{"Done", []Status{Merged, Rejected}},
	}
}

// Board returns the page plans/README.md with the board made new between its two markers and every other byte as it was. A
// page without markers gets them at its end; existing nil is a page that is not there yet. Markers that do not pair up are a
// *SyntaxError: it cannot be told what is the person's.
func Board(rows []BoardRow, existing []byte) ([]byte, error) {
	begin, end, bad := boardMarkers(existing)
	if bad != nil {
		return nil, bad.at(BoardFile)
	}
	eol := "\n"
	if first := lineEnd(existing, 0); bytes.HasSuffix(existing[:first], []byte("\r\n")) {
		eol = "\r\n"
	}
	board := strings.ReplaceAll(boardText(rows), "\n", eol)
	if begin < 0 {
		var b bytes.Buffer
		b.Write(existing)
		switch {
		case len(bytes.TrimPrefix(existing, byteOrderMark)) == 0:
			b.WriteString("# Plans" + eol + eol)
		case bytes.HasSuffix(existing, []byte(eol+eol)):
		case bytes.HasSuffix(existing, []byte("\n")):
			b.WriteString(eol)
		default:
			b.WriteString(eol + eol)
		}
		b.WriteString(BoardBegin + eol + board + BoardEnd + eol)
		return b.Bytes(), nil
	}
	return slices.Concat(existing[:begin], []byte(board), existing[end:]), nil
}

// boardMarkers finds where the text between the markers begins and where the end marker does; -1 where there are none. Markers
// in code are an example.
func boardMarkers(page []byte) (begin, end int, bad *SyntaxError) {
	begin, end = -1, -1
	if !bytes.Contains(page, []byte("tendril:board:")) {
		return begin, end, nil
	}
	code := md.Code(page)
	for at := 0; at < len(page); {
		next := lineEnd(page, at)
		line := string(bytes.TrimSpace(bytes.TrimPrefix(page[at:next], byteOrderMark)))
		if (line == BoardBegin || line == BoardEnd) && !md.In(code, at) {
			switch {
			case line == BoardBegin && begin < 0:
				begin = next
			case line == BoardEnd && begin >= 0 && end < 0:
				end = at
			default:
				return -1, -1, &SyntaxError{
					Line: md.LineAt(page, at), Column: 1, Msg: "the board's markers do not pair up",
					Hint: "leave one " + BoardBegin + " and one " + BoardEnd + " below it, or none",
				}
			}
		}
		at = next
	}
	if begin >= 0 && end < 0 {
		return -1, -1, &SyntaxError{
			Line: md.LineAt(page, begin) - 1, Column: 1, Msg: "the board's end marker is missing",
			Hint: "put a line " + BoardEnd + " where your own text goes on, or delete the marker",
		}
	}
	return begin, end, nil
}

// boardText is what stands between the markers.
func boardText(rows []BoardRow) string {
	byState := map[Status][]BoardRow{}
	for _, r := range rows {
		byState[r.Status] = append(byState[r.Status], r)
	}
	var b strings.Builder
	b.WriteString("<!-- Written by Tendril: what is changed here is overwritten. -->\n")
	for _, part := range boardParts() {
		shown := false
		for _, state := range part.states {
			if rows := byState[state]; len(rows) > 0 {
				if !shown {
					b.WriteString("\n## " + part.title + "\n")
					shown = true
				}
				boardTable(&b, state, rows)
			}
		}
	}
	if len(rows) == 0 {
		b.WriteString("\nNo plans yet: `tendril new TITLE` makes one.\n")
	}
	b.WriteString("\n")
	return b.String()
}

func boardTable(b *strings.Builder, state Status, rows []BoardRow) {
	title := "cannot be read"
	if state != "" {
		title = string(state)
	}
	slices.SortStableFunc(rows, func(x, y BoardRow) int {
		order := cmp.Or(cmp.Compare(x.Key.Number(), y.Key.Number()), cmp.Compare(x.Key, y.Key))
		if state == Merged || state == Rejected {
			return -order
		}
		return order
	})
	more := 0
	if (state == Merged || state == Rejected) && len(rows) > boardDone {
		more = len(rows) - boardDone
		rows = rows[:boardDone]
	}
	fmt.Fprintf(b, "\n### %s\n\n| plan | title | |\n| --- | --- | --- |\n", title)
	for _, r := range rows {
		fmt.Fprintf(b, "| [%s](%s) | %s | %s |\n", r.Key, boardLink(r.Key, PlanFile), md.Text(r.Title), boardNote(r))
	}
	if more > 0 {
		fmt.Fprintf(b, "\nAnd %d older.\n", more)
	}
}

// boardNote is the last column: the note, then links to the files.
func boardNote(r BoardRow) string {
	parts := make([]string, 0, 1+len(r.Files))
	if note := md.Text(r.Note); note != "" {
		parts = append(parts, note)
	}
	for _, f := range r.Files {
		parts = append(parts, fmt.Sprintf("[%s](%s)", md.Text(strings.TrimSuffix(f, ".md")), boardLink(r.Key, f)))
	}
	return strings.Join(parts, " · ")
}

// boardLink is relative to the page, so that it works in any forge, on any branch and on disk.
func boardLink(k Key, file string) string {
	return url.PathEscape(string(k)) + "/" + url.PathEscape(file)
}
