package plans

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tendril/internal/md"
)

// Round is what a reviewer said about one round of a plan.
type Round struct {
	// Number is the round's, By the reviewer's name.
	Number int
	Date   time.Time
	By     string
	// Text is all that stands below the heading, comments on lines included, without the blank lines around it.
	Text []byte
	// Comments are the lines "- path:line: words" of it.
	Comments []Comment
}

// Comment is a reviewer's word on one line of the diff.
type Comment struct {
	Path string
	Line int
	Text string
}

const reviewDate = "2006-01-02"

// ParseReview reads review.md: a heading "## Round N, date, name" for each round. Other headings belong to the text that they
// stand in. A heading that begins so and goes on otherwise is a *SyntaxError: its words would reach nobody.
func ParseReview(src []byte) ([]Round, error) {
	if bad := checkText(src); bad != nil {
		return nil, bad
	}
	if line := md.TooDeep(src); line > 0 {
		return nil, &SyntaxError{Line: line, Column: 1, Msg: "more lists and quotes within each other than can be read", Hint: "write it flatter"}
	}
	var out []Round
	begin := 0 // where the last round's text begins
	for _, s := range md.Sections(src, 2) {
		r, is, ok := roundHeading(s.Title)
		if is && !ok {
			return nil, &SyntaxError{
				Line: s.Line, Column: 1, Msg: fmt.Sprintf("%q is not a round's heading", clip(s.Title)), Hint: "write ## Round 2, 2026-11-30, Pat",
			}
		}
		if is {
			begin = s.Body.Start
			out = append(out, r)
		}
		if len(out) > 0 {
			last := &out[len(out)-1]
			last.Text = bytes.TrimSpace(src[begin:s.Body.End])
			last.Comments = append(last.Comments, comments(src[s.Body.Start:s.Body.End])...)
		}
	}
	return out, nil
}

// roundHeading takes "Round N, date, name" apart: whether it is meant as one, and whether it is well formed.
func roundHeading(title string) (r Round, is, ok bool) {
	rest, is := strings.CutPrefix(title, "Round ")
	number, rest, commas := strings.Cut(rest, ",")
	if !is || leadingDigits(number) == 0 {
		return Round{}, false, false
	}
	date, name, _ := strings.Cut(rest, ",")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	when, dateErr := time.Parse(reviewDate, strings.TrimSpace(date))
	if err != nil || n < 1 || !commas || dateErr != nil {
		return Round{}, true, false
	}
	return Round{Number: n, Date: when, By: strings.TrimSpace(name)}, true, true
}

// comments finds the entries "path:line: words".
func comments(body []byte) []Comment {
	var out []Comment
	for _, item := range md.Items(body) {
		rest, from := item.Text, 0
		for {
			i := strings.IndexByte(rest[from:], ':')
			if i < 0 {
				break
			}
			path, after := rest[:from+i], rest[from+i+1:]
			from += i + 1
			digits := leadingDigits(after)
			words, ok := strings.CutPrefix(after[digits:], ":")
			line, err := strconv.Atoi(after[:digits])
			if ok && err == nil && line > 0 && path != "" && (words == "" || words[0] == ' ') {
				out = append(out, Comment{Path: strings.Trim(path, "`"), Line: line, Text: strings.TrimSpace(words)})
				break
			}
		}
	}
	return out
}

// AppendReview returns review.md with a round added at its end; existing may be nil. The round's Comments follow its Text. All
// that stands in the file already stays, byte for byte.
func AppendReview(existing []byte, r Round) []byte {
	var b bytes.Buffer
	b.Write(existing)
	switch {
	case len(existing) == 0 || bytes.HasSuffix(existing, []byte("\n\n")):
	case bytes.HasSuffix(existing, []byte("\n")):
		b.WriteString("\n")
	default:
		b.WriteString("\n\n")
	}
	name := strings.Join(strings.Fields(strings.ReplaceAll(r.By, "\x00", " ")), " ")
	fmt.Fprintf(&b, "## Round %d, %s, %s\n", r.Number, r.Date.Format(reviewDate), md.Text(name))
	if text := bytes.TrimSpace(r.Text); len(text) > 0 {
		b.WriteString("\n")
		b.Write(text)
		b.WriteString("\n")
	}
	for i, c := range r.Comments {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s:%d: %s\n", c.Path, c.Line, strings.Join(strings.Fields(c.Text), " "))
	}
	return b.Bytes()
}
