package plans

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// SetStatus returns src with another status and every other byte as it was: the value alone is replaced, in the quotes, the
// case and with the separators that the file had. What cannot be edited so (no status key, one that stands twice, a value
// over several lines, with an anchor, tag or alias) is refused by a *SyntaxError.
func SetStatus(src []byte, to Status) ([]byte, error) {
	if st, ok := ParseStatus(string(to)); !ok || st != to {
		return nil, fmt.Errorf("%q is not a status\n  one of %s", clip(string(to)), statusNames())
	}
	d, bad := read(src)
	if bad != nil {
		return nil, bad
	}
	at, bad := d.locate("status")
	if bad != nil {
		return nil, bad
	}
	value := styled(to, at.value)
	out, bad := d.splice(at, value, value)
	if bad != nil {
		return nil, bad
	}
	return out, nil
}

// SetScalar returns src with the top-level key set to value and every other byte as it was; a key that is not there is added
// as the last one. The value is quoted where it must be. It refuses as SetStatus does, and values that are not one line.
func SetScalar(src []byte, key, value string) ([]byte, error) {
	if !isName(key) || value == "" || strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
		return nil, fmt.Errorf("key %q cannot be set to %q: one line of text is needed", clip(key), clip(value))
	}
	if key == "status" {
		st, ok := ParseStatus(value)
		if !ok {
			return nil, fmt.Errorf("%q is not a status\n  one of %s", clip(value), statusNames())
		}
		return SetStatus(src, st)
	}
	d, bad := read(src)
	if bad != nil {
		return nil, bad
	}
	var out []byte
	if _, node := d.field(key); node == nil {
		out, bad = d.insert(key, value)
	} else {
		var at place
		if at, bad = d.locate(key); bad == nil {
			out, bad = d.splice(at, value, quoted(at.quote, value))
		}
	}
	if bad != nil {
		return nil, bad
	}
	return out, nil
}

// place is where a scalar's text stands in the file, without its quotes.
type place struct {
	key, node  *yaml.Node
	start, end int
	// quote is the quotation mark around it, or 0; value is what it reads as.
	quote byte
	value string
}

// locate finds the text of a top-level scalar that can be replaced without touching anything else.
func (d *document) locate(name string) (place, *SyntaxError) {
	key, n := d.field(name)
	if n == nil {
		line, column := position(d.src, d.at.close)
		return place{}, &SyntaxError{
			Line: line, Column: column, Msg: "the front matter has no " + name, Hint: fmt.Sprintf("add a line %s: above the closing ---", name),
		}
	}
	const hint = "write it as one word behind the key, on the key's line"
	switch {
	case n.Kind != yaml.ScalarNode, n.Anchor != "", n.Style&yaml.TaggedStyle != 0:
		return place{}, d.fail(n, name+": the value is not a plain one", hint)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return place{}, d.fail(n, name+": the value stands on several lines", hint)
	}
	p := place{key: key, node: n, value: n.Value}
	ok := false
	if absent(n) {
		ok = d.placeEmpty(&p)
	} else {
		ok = d.placeText(&p)
	}
	if !ok {
		return place{}, d.fail(n, name+": the value stands on several lines", hint)
	}
	return p, nil
}

// placeEmpty finds where a value would stand that was left empty: right behind the colon.
func (d *document) placeEmpty(p *place) bool {
	at := d.offset(p.key)
	line := d.src[at:lineEnd(d.src, at)]
	after := len(p.key.Value)
	if p.key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		after += 2
	}
	if p.key.Anchor != "" || p.key.Style&yaml.TaggedStyle != 0 || after >= len(line) {
		return false
	}
	blanks := len(line[after:]) - len(bytes.TrimLeft(line[after:], " \t"))
	after += blanks
	if after >= len(line) || line[after] != ':' || !onlyComment(line[after+1:]) {
		return false
	}
	p.start = at + after + 1
	p.end = p.start
	return true
}

// placeText finds a value that is there, and checks that the file holds just what it reads as, on one line.
func (d *document) placeText(p *place) bool {
	at := d.offset(p.node)
	line := d.src[at:lineEnd(d.src, at)]
	switch p.node.Style {
	case 0:
		p.start, p.end = at, at+len(p.value)
		return bytes.HasPrefix(line, []byte(p.value)) && onlyComment(line[len(p.value):])
	case yaml.SingleQuotedStyle:
		p.quote = '\''
	case yaml.DoubleQuotedStyle:
		p.quote = '"'
	}
	if len(line) < 2 || line[0] != p.quote {
		return false
	}
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && p.quote == '"':
			i++
		case line[i] == p.quote && p.quote == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
		case line[i] == p.quote:
			p.start, p.end = at+1, at+i
			return onlyComment(line[i+1:])
		}
	}
	return false
}

// onlyComment tells whether nothing but blanks and a comment follows on the line.
func onlyComment(rest []byte) bool {
	trimmed := bytes.TrimLeft(rest, " \t")
	return len(bytes.TrimRight(trimmed, "\r\n")) == 0 || trimmed[0] == '#' && len(trimmed) < len(rest)
}

// splice replaces the text at a place, and proves that the file then reads the same but for that one value.
func (d *document) splice(at place, value, text string) ([]byte, *SyntaxError) {
	if at.start == at.end && at.quote == 0 {
		text = " " + text
	}
	out := make([]byte, 0, len(d.src)+len(text))
	out = append(append(append(out, d.src[:at.start]...), text...), d.src[at.end:]...)
	return out, d.prove(out, at.key.Value, value)
}

// insert adds a key as the last one of the front matter.
func (d *document) insert(key, value string) ([]byte, *SyntaxError) {
	eol := "\n"
	if fence := d.src[d.at.open:d.at.matter]; bytes.HasSuffix(fence, []byte("\r\n")) {
		eol = "\r\n"
	}
	line := strings.Repeat(" ", max(d.root.Column-1, 0)) + key + ": " + quoted(0, value) + eol
	out := make([]byte, 0, len(d.src)+len(line))
	out = append(append(append(out, d.src[:d.at.close]...), line...), d.src[d.at.close:]...)
	return out, d.prove(out, key, value)
}

// prove reads the edited file again: the key must say value, everything else must be equal. It guards against every form of
// YAML that nobody thought of.
func (d *document) prove(out []byte, key, value string) *SyntaxError {
	refused := &SyntaxError{
		Line: d.lineOf(d.at.matter), Column: 1, Msg: "the " + key + " line cannot be changed without changing something else",
		Hint: fmt.Sprintf("write it in the simplest form, %s: %s", key, value),
	}
	e, bad := read(out)
	if bad != nil || !bytes.Equal(e.src[e.at.body:], d.src[d.at.body:]) {
		return refused
	}
	if _, n := e.field(key); n == nil || n.Kind != yaml.ScalarNode || n.Value != value {
		return refused
	}
	if !equalBut(d.root, e.root, key) {
		return refused
	}
	return nil
}

// equalBut compares two front matters key by key, in order, all but one.
func equalBut(a, b *yaml.Node, but string) bool {
	rest := func(n *yaml.Node) []*yaml.Node {
		out := make([]*yaml.Node, 0, len(n.Content))
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value != but {
				out = append(out, n.Content[i], n.Content[i+1])
			}
		}
		return out
	}
	return equalNodes(rest(a), rest(b))
}

func equalNodes(a, b []*yaml.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		same := x.Kind == y.Kind && x.Tag == y.Tag && x.Value == y.Value && x.Style == y.Style && x.Anchor == y.Anchor
		if !same || !equalNodes(x.Content, y.Content) {
			return false
		}
	}
	return true
}
