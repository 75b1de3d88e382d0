// Package redact finds what looks like a secret, by pattern and by value, and takes it out of text. It imports no room.
package redact

import (
	"bytes"
	"cmp"
	"slices"
)

// Finding is one place where a secret was found.
type Finding struct {
	// Rule says what it looks like: "github token", "value of $NPM_TOKEN".
	Rule string
	// Line counts from 1, Offset is in bytes from the start.
	Line, Offset int
	// Value is the secret itself. It is for comparing; show Rule and Line instead.
	Value string
}

// Redactor knows the patterns and the values of one environment. It does not change and may be shared.
type Redactor struct{ values []value }

// value is a secret that is known exactly, and how it is named when it is found.
type value struct{ name, text string }

// mask is what Bytes puts in a secret's place.
const mask = "[redacted]"

// Find returns what looks like a secret by pattern, in order of place.
func Find(data []byte) []Finding { return (&Redactor{}).Find(data) }

// Bytes returns data with everything that looks like a secret, and every one of values, masked. Values of fewer than
// MinValue bytes are ignored. data is not changed.
func Bytes(data []byte, values []string) []byte {
	r := &Redactor{}
	for _, v := range values {
		r.add("a secret value", v)
	}
	return r.Bytes(data)
}

// Find returns every secret in data, in order of place.
func (r *Redactor) Find(data []byte) []Finding {
	spans := r.spans(data)
	found := make([]Finding, 0, len(spans))
	line, counted := 1, 0
	for _, s := range spans {
		line += bytes.Count(data[counted:s.from], []byte{'\n'})
		counted = s.from
		found = append(found, Finding{Rule: s.rule, Line: line, Offset: s.from, Value: string(data[s.from:s.to])})
	}
	return found
}

// Bytes returns data with every secret masked; data itself when there is none.
func (r *Redactor) Bytes(data []byte) []byte {
	spans := r.spans(data)
	if len(spans) == 0 {
		return data
	}
	out := make([]byte, 0, len(data))
	at := 0
	for _, s := range spans {
		out = append(append(out, data[at:s.from]...), mask...)
		at = s.to
	}
	return append(out, data[at:]...)
}

// span is one secret's place; spans never overlap.
type span struct {
	from, to int
	rule     string
}

func (r *Redactor) spans(data []byte) []span {
	var all []span
	for _, rule := range rules {
		all = append(all, rule.spans(data)...)
	}
	for _, v := range r.values {
		for at := 0; ; {
			i := bytes.Index(data[at:], []byte(v.text))
			if i < 0 {
				break
			}
			all = append(all, span{at + i, at + i + len(v.text), v.name})
			at += i + len(v.text)
		}
	}
	return merge(all)
}

// spans finds one rule's secrets: the literal fast, the pattern only where the literal begins a word.
func (r rule) spans(data []byte) []span {
	var found []span
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(r.literal))
		if i < 0 {
			return found
		}
		from := at + i
		at = from + len(r.literal)
		if from > 0 && isWordByte(data[from-1]) && isWordByte(r.literal[0]) {
			continue
		}
		if m := r.pattern.FindIndex(data[from:]); m != nil {
			found = append(found, span{from, from + m[1], r.name})
			at = from + m[1]
		}
	}
}

// merge orders spans by place and joins those that overlap; the first, then the longer one's rule names the whole.
func merge(all []span) []span {
	slices.SortStableFunc(all, func(a, b span) int {
		if c := cmp.Compare(a.from, b.from); c != 0 {
			return c
		}
		return cmp.Compare(b.to, a.to)
	})
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
