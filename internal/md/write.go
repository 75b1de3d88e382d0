package md

import (
	"strings"
	"unicode"
)

// Text returns s as Markdown that shows exactly its words on one line, also in the cell of a table: no markup, no HTML and
// no end of a cell comes out of it.
func Text(s string) string {
	var b strings.Builder
	for _, r := range fold(strings.ToValidUTF8(s, "\uFFFD")) {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '|':
			// A backslash before a bar is read in two ways by table extensions: an entity is not.
			b.WriteString("&#124;")
		case '\\':
			b.WriteString("&#92;")
		case '`':
			b.WriteString("&#96;")
		case '*', '_', '[', ']', '~', '$', '#', '!':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			if !unicode.IsControl(r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// fold makes one line of s, white space folded to single spaces.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// CodeBlock returns s as a fenced block, with a fence longer than any within: nothing in s ends it. Line ends become \n, and
// bytes that are not text are left out. info is not from strangers.
func CodeBlock(info, s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	longest, run := 0, 0
	for _, r := range s {
		if r == '\r' {
			r = '\n'
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			continue
		}
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
		b.WriteRune(r)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + info + "\n" + strings.TrimSuffix(b.String(), "\n") + "\n" + fence + "\n"
}
