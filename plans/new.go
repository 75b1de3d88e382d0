package plans

import (
	"strings"
	"unicode"
)

// newBody is what a plan without a text starts from.
const newBody = `## Problem

## Approach

## Acceptance

- [ ] 
`

// New returns the plan.md of a new draft: the title on one line, quoted where YAML would read it as something else, and a
// comment line above and below status, so that edits beside it do not conflict with it. An empty body is replaced by
// headings to fill in.
func New(title, body string) []byte {
	title = strings.ToValidUTF8(title, "\uFFFD")
	title = strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
	}), " ")
	if body == "" {
		body = newBody
	}
	if !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return []byte("---\ntitle: " + quoted(0, title) + "\n" +
		"# draft, approved, … : see tendril help states\n" +
		"status: " + string(Draft) + "\n" +
		"# more: priority, depends_on, scope, agent, profile, skip, max_attempts, base\n" +
		"---\n" + body)
}
