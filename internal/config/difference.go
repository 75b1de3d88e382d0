package config

import (
	"fmt"
	"strings"
	"unicode"
)

// difference writes what is gone ("-") and new ("+") from one list of commands to another.
func difference(old, new []Command) string {
	before := map[string]string{}
	for _, c := range old {
		before[c.Where] = c.Text
	}
	var b strings.Builder
	for _, c := range new {
		was, had := before[c.Where]
		delete(before, c.Where)
		if !had || was != c.Text {
			changed(&b, c.Where, was, c.Text, had)
		}
	}
	for _, c := range old {
		if was, gone := before[c.Where]; gone {
			changed(&b, c.Where, was, "", true)
		}
	}
	return b.String()
}

// changed writes one place; of texts with many lines those at the beginning and end that are the same are left out.
func changed(b *strings.Builder, where, was, is string, had bool) {
	var from, to []string
	if had {
		from = strings.Split(strings.TrimSuffix(was, "\n"), "\n")
	}
	if is != "" || !had {
		to = strings.Split(strings.TrimSuffix(is, "\n"), "\n")
	}
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	from, to = from[head:], to[head:]
	for len(from) > 0 && len(to) > 0 && from[len(from)-1] == to[len(to)-1] {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	place := where
	if head > 0 {
		place = fmt.Sprintf("%s:%d", where, head+1)
	}
	for _, line := range from {
		fmt.Fprintf(b, "- %s: %s\n", place, printable(line))
	}
	for _, line := range to {
		fmt.Fprintf(b, "+ %s: %s\n", place, printable(line))
	}
}

// printable escapes what is not seen: what a person is asked to trust must not hide itself by moving the terminal's
// cursor, or by turning the direction of writing.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
