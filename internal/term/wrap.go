package term

import (
	"strings"

	"github.com/cli/go-gh/v2/pkg/text"
)

// Wrap breaks the lines of a text between words, so that they fit a terminal of that many columns. What follows a break is
// set in four columns further than its line. A word that is wider stays whole: keys, paths and commands are copied from
// the screen. Without a width the text stays as it is.
func Wrap(s string, width int) string {
	if width <= 0 {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		line, ended := strings.CutSuffix(line, "\n")
		wrapLine(&b, line, width)
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func wrapLine(b *strings.Builder, line string, width int) {
	if text.DisplayWidth(line) <= width {
		b.WriteString(line)
		return
	}
	words := strings.Split(line, " ")
	depth := 0
	for depth < len(words) && words[depth] == "" {
		depth++
	}
	indent := strings.Repeat(" ", min(depth+4, width/2))
	used := 0
	for i, word := range words {
		w := text.DisplayWidth(word)
		switch {
		case i == 0:
		case word != "" && used > len(indent) && used+1+w > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += w
	}
}
