package plans

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adrg/frontmatter"
	"go.yaml.in/yaml/v3"
)

// document is a plan.md whose front matter was decoded into nodes, which know where they stand.
type document struct {
	src  []byte
	at   parts
	root *yaml.Node
	// lines are the offsets into src where the front matter's lines begin.
	lines []int
}

// maxMatter is far more than any plan needs, and so little that no YAML takes long to refuse.
const maxMatter = 64 << 10

// read splits and decodes the front matter.
func read(src []byte) (*document, *SyntaxError) {
	at, bad := split(src)
	if bad != nil {
		return nil, bad
	}
	if at.close-at.matter > maxMatter {
		return nil, &SyntaxError{
			Line: 1, Column: 1, Msg: fmt.Sprintf("the front matter is too big: %d bytes, the limit is %d", at.close-at.matter, maxMatter),
			Hint: "put the text below the front matter, behind the closing ---",
		}
	}
	if bad := findConflict(src, at.matter, at.close, nil); bad != nil {
		return nil, bad
	}
	d := &document{src: src, at: at, lines: lineStarts(src, at.matter, at.close)}
	if bad := d.checkControl(); bad != nil {
		return nil, bad
	}
	// The front matter library decides once more where the matter is. It also ends it at an indented ---, so what it
	// found must be what was split; then both read the file in one way, and so does a person.
	format := frontmatter.NewFormat("---", "---", func(data []byte, v any) error {
		if !bytes.Equal(data, src[at.matter:at.close]) {
			return &SyntaxError{
				Line: d.lineOf(at.matter + len(data)), Column: 1, Msg: "a line --- within the front matter can be read as its end",
				Hint: "write the value in another way, so that no line in it is only ---",
			}
		}
		return strictYAML(data, v)
	})
	var root yaml.Node
	rest, err := frontmatter.MustParse(bytes.NewReader(src[at.open:at.body]), &root, format)
	if err != nil {
		return nil, d.yamlError(err)
	}
	if len(rest) != 0 {
		return nil, &SyntaxError{Line: 1, Column: 1, Msg: "it cannot be told where the front matter ends", Hint: noFrontMatterHint}
	}
	return d, d.setRoot(&root)
}

// setRoot takes the mapping out of the decoded document and refuses keys that stand twice.
func (d *document) setRoot(doc *yaml.Node) *SyntaxError {
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return &SyntaxError{Line: 2, Column: 1, Msg: "the front matter holds no keys", Hint: "it needs at least title: and status:"}
	}
	d.root = doc.Content[0]
	if d.root.Style&yaml.FlowStyle != 0 {
		return d.fail(d.root, "the front matter is written in braces", "write one key a line: title: …")
	}
	return d.checkKeys(d.root)
}

// strictYAML decodes exactly one document into v. The decoder reports what it found wrong by an error; that it could panic on
// a stranger's file instead is turned into one, since one plan must not stop the others.
func strictYAML(data []byte, v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return fmt.Errorf("yaml: line %d: a second document", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// checkKeys refuses a key that stands twice in a mapping, anywhere, and YAML's merge key at the top: both make a plan mean
// something else than a reader sees.
func (d *document) checkKeys(n *yaml.Node) *SyntaxError {
	if n.Kind == yaml.MappingNode {
		first := make(map[string]*yaml.Node, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || n == d.root && key.Tag == "!!merge" {
				if n == d.root {
					return d.fail(key, "a key that is not a plain word", "write keys as in title: …")
				}
				continue
			}
			if other, twice := first[key.Value]; twice {
				return d.fail(key, fmt.Sprintf("key %q stands twice, here and on line %d", key.Value, d.line(other)), "keep one of the two")
			}
			first[key.Value] = key
		}
	}
	for _, c := range n.Content {
		if bad := d.checkKeys(c); bad != nil {
			return bad
		}
	}
	return nil
}

// field returns the key and value nodes of a top-level key.
func (d *document) field(name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if d.root.Content[i].Value == name {
			return d.root.Content[i], d.root.Content[i+1]
		}
	}
	return nil, nil
}

// fail makes an error at a node.
func (d *document) fail(n *yaml.Node, msg, hint string) *SyntaxError {
	line, column := position(d.src, d.offset(n))
	return &SyntaxError{Line: line, Column: column, Msg: msg, Hint: hint}
}

// offset is where a node begins in src.
func (d *document) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(d.lines) {
		return d.at.close
	}
	at := d.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(d.src[at:])
		at += size
	}
	return min(at, len(d.src))
}

func (d *document) line(n *yaml.Node) int { return d.lineOf(d.offset(n)) }

func (d *document) lineOf(offset int) int {
	line, _ := position(d.src, offset)
	return line
}

// checkControl finds the characters that YAML refuses, since its own error does not say where, and those that end a line for
// YAML and for nobody else: behind one of them a key could hide on the status line, which no text id holds.
func (d *document) checkControl() *SyntaxError {
	matter := d.src[d.at.matter:d.at.close]
	for i, r := range string(matter) {
		odd := unicode.IsControl(r)
		switch r {
		case '\n', '\t':
			odd = false
		case '\r':
			odd = i+1 >= len(matter) || matter[i+1] != '\n'
		case '\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff':
			odd = true
		}
		if odd {
			line, column := position(d.src, d.at.matter+i)
			return &SyntaxError{Line: line, Column: column, Msg: fmt.Sprintf("the character %U is not allowed here", r), Hint: "delete it"}
		}
	}
	return nil
}

// lineStarts returns where the lines of src[from:to] begin.
func lineStarts(src []byte, from, to int) []int {
	lines := []int{from}
	for at := lineEnd(src[:to], from); at < to; at = lineEnd(src[:to], at) {
		lines = append(lines, at)
	}
	return append(lines, to)
}

// yamlError gives the decoder's error its place in the file. The decoder names a line, and not always the right one: so the
// keys are decoded one by one, and the first that is wrong by itself is the place.
func (d *document) yamlError(err error) *SyntaxError {
	var own *SyntaxError
	if errors.As(err, &own) {
		return own
	}
	line, msg := yamlMessage(err)
	at := d.at.matter
	if line > 0 && line <= len(d.lines) {
		at = d.lines[line-1]
	}
	for _, chunk := range d.topLevel() {
		var n yaml.Node
		part := strictYAML(d.src[chunk[0]:chunk[1]], &n)
		if part == nil {
			continue
		}
		within, text := yamlMessage(part)
		at, msg = chunk[0], text
		starts := lineStarts(d.src, chunk[0], chunk[1])
		// What is never closed is wrong where it opens, not where the piece ends.
		if within > 0 && within < len(starts) && !strings.Contains(text, "end of stream") {
			at = starts[within-1]
		}
		break
	}
	for at < d.at.close && (d.src[at] == ' ' || d.src[at] == '\t') {
		at++
	}
	l, c := position(d.src, at)
	return &SyntaxError{Line: l, Column: c, Msg: "the front matter is not YAML: " + msg, Hint: yamlHint(msg)}
}

// topLevel returns the pieces of the front matter that each begin with a line that is neither indented nor a comment.
func (d *document) topLevel() [][2]int {
	var chunks [][2]int
	for at := d.at.matter; at < d.at.close; {
		end := lineEnd(d.src, at)
		switch {
		case !strings.ContainsRune(" \t\r\n#-]}", rune(d.src[at])) || len(chunks) == 0:
			chunks = append(chunks, [2]int{at, end})
		default:
			chunks[len(chunks)-1][1] = end
		}
		at = end
	}
	return chunks
}

// yamlMessage takes the line out of "yaml: line 3: what".
func yamlMessage(err error) (line int, msg string) {
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	rest, ok := strings.CutPrefix(msg, "line ")
	if !ok {
		return 0, msg
	}
	number, what, ok := strings.Cut(rest, ": ")
	if !ok {
		return 0, msg
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0, msg
	}
	return n, what
}

func yamlHint(msg string) string {
	switch {
	case strings.Contains(msg, "second document"):
		return "a plan has one front matter: take the second one out"
	case strings.Contains(msg, "mapping values are not allowed"):
		return "put a value that holds a colon into quotes"
	case strings.Contains(msg, "tab"), strings.Contains(msg, "cannot start any token"):
		return "indent by spaces, and put a value that begins with a sign into quotes"
	}
	return "put values that hold signs such as : # [ { & * into quotes"
}
