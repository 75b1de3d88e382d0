package md

import (
	"github.com/yuin/goldmark/ast"
)

// Section is a heading outside all lists and quotes, and what follows it up to the next one.
type Section struct {
	// Title is the heading's text without markup.
	Title string
	// Line is the heading's, from 1.
	Line int
	// Start is where the heading's line begins, Body what follows the heading up to where the section ends.
	Start int
	Body  Range
}

// Sections returns the sections that begin with a heading of the level or above it, in the order of the text. Deeper headings
// are part of the section that they stand in.
func Sections(src []byte, level int) []Section {
	var out []Section
	lines := newLineIndex(src)
	for n := parse(src).FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > level || h.Lines().Len() == 0 {
			continue
		}
		start := lineStart(src, h.Lines().At(0).Start)
		if len(out) > 0 {
			out[len(out)-1].Body.End = start
		}
		out = append(out, Section{
			Title: unmark(raw(h, src)), Line: lines.at(start), Start: start, Body: Range{headingEnd(src, h), len(src)},
		})
	}
	return out
}

// headingEnd is where the line after a heading begins. A heading that is underlined is one line longer than its text.
func headingEnd(src []byte, h *ast.Heading) int {
	first := h.Lines().At(0)
	last := h.Lines().At(h.Lines().Len() - 1)
	end := nextLine(src, max(last.Stop-1, last.Start))
	for _, c := range src[lineStart(src, first.Start):first.Start] {
		if c == '#' {
			return end
		}
	}
	return nextLine(src, end)
}

func lineStart(src []byte, offset int) int {
	for offset > 0 && src[offset-1] != '\n' {
		offset--
	}
	return offset
}

func nextLine(src []byte, offset int) int {
	for offset < len(src) && src[offset] != '\n' {
		offset++
	}
	return min(offset+1, len(src))
}

// Item is one entry of a list.
type Item struct {
	// Text is the first paragraph's source, its lines joined by spaces; Line is its first line's, from 1.
	Text string
	Line int
}

// Items returns the entries of all lists, in the order of the text.
func Items(src []byte) []Item {
	var out []Item
	lines := newLineIndex(src)
	each(parse(src), func(n ast.Node) {
		if _, ok := n.(*ast.ListItem); !ok || n.FirstChild() == nil {
			return
		}
		first := n.FirstChild()
		if k := first.Kind(); k != ast.KindTextBlock && k != ast.KindParagraph || first.Lines().Len() == 0 {
			return
		}
		out = append(out, Item{Text: raw(first, src), Line: lines.at(first.Lines().At(0).Start)})
	})
	return out
}
