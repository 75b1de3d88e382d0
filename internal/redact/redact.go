// Package redact finds what looks like a secret, by pattern and by value, and takes it out of text. It imports no room.
package redact

// Finding is one place where a secret was found.
type Finding struct {
	// Rule says what it looks like: "github token", "value of $NPM_TOKEN".
	Rule string
	// Line counts from 1.
	Line int
}
