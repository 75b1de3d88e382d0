package verify

import (
	"bytes"
	"fmt"
	"strings"

	"tendril/internal/redact"
	"tendril/plans"
)

const (
	// FeedbackLimit is the greatest size of a Result's Feedback, in bytes.
	FeedbackLimit = 30 << 10
	// tailLimit is how much of the end of a check's output verification.md shows, in bytes.
	tailLimit = 4 << 10
	// headings is what a check's name and command may take of the feedback, in bytes.
	headings = 1 << 10
)

// failure is a required check that failed, for the agent.
type failure struct {
	name, command, how string
	output             []byte
	// cases are the failed cases that its report names, of so many in all.
	cases  []plans.Case
	failed int
}

func (o outcome) failure(r *redact.Redactor) failure {
	f := failure{name: o.check.Name, command: o.check.Run, how: o.how(), output: r.Bytes(o.res.Tail)}
	f.cases, f.failed = o.cases(r)
	return f
}

// feedback is what the agent gets, nil when nothing failed. Each failure has an equal share of the room; what one does not
// need the later ones have.
func feedback(commit string, failures []failure) []byte {
	if len(failures) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("These checks failed")
	if commit != "" {
		fmt.Fprintf(&b, " on commit %.12s", commit)
	}
	b.WriteString(":\n")
	for i, f := range failures {
		share := (FeedbackLimit - b.Len()) / (len(failures) - i)
		var head bytes.Buffer
		fmt.Fprintf(&head, "\n## %s: %s\n", clip(f.name, headings/4), clip(f.how, headings))
		if f.command != "" {
			fmt.Fprintf(&head, "command: %s\n", clip(f.command, headings/2))
		}
		writeCases(&head, f, share/2)
		b.Write(head.Bytes())
		if out := endOf(fold(f.output), share-head.Len()-1); len(out) > 0 {
			b.Write(out)
			if out[len(out)-1] != '\n' {
				b.WriteByte('\n')
			}
		}
	}
	return b.Bytes()
}

// writeCases lists the failed cases, one a line, limit bytes at most; how many more there are is said.
func writeCases(b *bytes.Buffer, f failure, limit int) {
	shown := 0
	for _, c := range f.cases {
		line := "- "
		if where := c.Where(); where != "" {
			line += where + ": "
		}
		line += c.Name
		if c.Message != "" {
			line += ": " + c.Message
		}
		if limit -= len(line) + 1; limit < 0 {
			break
		}
		b.WriteString(line + "\n")
		shown++
	}
	if f.failed > shown {
		fmt.Fprintf(b, "- and %d more\n", f.failed-shown)
	}
	if f.failed > 0 && len(f.output) > 0 {
		b.WriteString("\nthe end of its output:\n")
	}
}

// fold makes one line of each run of equal ones, with their number.
func fold(out []byte) []byte {
	var b bytes.Buffer
	var last []byte
	times := 0
	flush := func() {
		switch {
		case times == 1:
			b.Write(last)
		case times > 1 && len(bytes.TrimSpace(last)) == 0:
			b.WriteByte('\n')
		case times > 1:
			fmt.Fprintf(&b, "%s (%d times)\n", bytes.TrimSuffix(last, []byte("\n")), times)
		}
	}
	for line := range bytes.Lines(out) {
		if times > 0 && bytes.Equal(line, last) {
			times++
			continue
		}
		flush()
		last, times = line, 1
	}
	flush()
	return b.Bytes()
}

// endOf is the end of out, limit bytes at most, from the start of a line, with a first line that says how much is missing.
func endOf(out []byte, limit int) []byte {
	if len(out) <= limit {
		return out
	}
	const room = len("[the first 18446744073709551615 bytes are left out]\n")
	if limit <= room {
		return nil
	}
	end := out[len(out)-(limit-room):]
	if i := bytes.IndexByte(end, '\n'); i >= 0 && i < len(end)-1 {
		end = end[i+1:]
	}
	end = bytes.ToValidUTF8(end, nil)
	return append(fmt.Appendf(nil, "[the first %d bytes are left out]\n", len(out)-len(end)), end...)
}

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
