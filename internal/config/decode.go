package config

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tendril/internal/nearest"
)

// MaxBytes is the largest YAML file that is read.
const MaxBytes = 1 << 20

// maxNodes bounds the walk, so that aliases of aliases cannot make a small file large.
const maxNodes = 100_000

// Decode reads one strict YAML document over the struct that into points to: what the file does not name stays as it is,
// a mapping is merged key by key, a list is replaced, null means not set. A key twice, an unknown key, a wrong type and
// a second document are errors with line and column: all of them, joined, each an *Error. path is for the messages.
//
// The walk is over yaml v3's nodes and not its own decoder, which forgets columns, lets `no` and 0o12 become other
// values, and is not strict below a custom type.
func Decode(path string, src []byte, into any) error {
	d, err := newDecoder(path, src)
	if err != nil {
		return err
	}
	d.document(reflect.ValueOf(into).Elem())
	return d.err()
}

// decoder walks one document.
type decoder struct {
	path string
	root *yaml.Node
	errs []*Error
	// at is where each value stands, by its name: "checks[0].timeout".
	at    map[string]*yaml.Node
	nodes int
}

func newDecoder(path string, src []byte) (*decoder, error) {
	d := &decoder{path: path, at: map[string]*yaml.Node{}}
	if len(src) > MaxBytes {
		return nil, &Error{Path: path, Line: 1, Column: 1, Msg: fmt.Sprintf("larger than %d bytes", MaxBytes)}
	}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		return nil, syntaxError(path, err)
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, d.errorAt(&second, "a second document begins here", "one file holds one document: remove the line ---")
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(path, err)
	}
	if len(doc.Content) == 1 {
		d.root = doc.Content[0]
	}
	return d, nil
}

// syntaxError takes the line out of yaml's message; it tells no column.
func syntaxError(path string, err error) *Error {
	said := strings.TrimPrefix(err.Error(), "yaml: ")
	e := &Error{
		Path: path, Line: 1, Column: 1, Msg: "this is not YAML: " + said,
		Hint: "put values that hold signs such as : # [ { & * into quotes",
	}
	var line int
	if n, scanErr := fmt.Sscanf(said, "line %d:", &line); n == 1 && scanErr == nil {
		_, said, _ = strings.Cut(said, ": ")
		e.Line, e.Msg = line, "this is not YAML: "+said
	}
	return e
}

func (d *decoder) document(into reflect.Value) {
	if d.root != nil {
		d.value(d.root, into, "")
	}
}

func (d *decoder) err() error {
	slices.SortStableFunc(d.errs, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	errs := make([]error, len(d.errs))
	for i, e := range d.errs {
		errs[i] = e
	}
	return errors.Join(errs...)
}

func (d *decoder) errorAt(n *yaml.Node, msg, hint string) *Error {
	return &Error{Path: d.path, Line: max(n.Line, 1), Column: max(n.Column, 1), Msg: msg, Hint: hint}
}

// seeHelp is the hint of what explains itself.
const seeHelp = "tendril help config explains every key"

func (d *decoder) fail(n *yaml.Node, hint, format string, args ...any) {
	if hint == "" {
		hint = seeHelp
	}
	d.errs = append(d.errs, d.errorAt(n, fmt.Sprintf(format, args...), hint))
}

// value decodes n into v; where is the value's name in messages.
func (d *decoder) value(n *yaml.Node, v reflect.Value, where string) {
	if d.nodes++; d.nodes > maxNodes {
		if d.nodes == maxNodes+1 {
			d.fail(n, "make the file smaller", "too many values")
		}
		return
	}
	d.at[where] = n
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.text(n, text, where)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.pointer(n, v, where)
	case reflect.Struct:
		d.structure(n, v, where)
	case reflect.Map:
		d.mapping(n, v, where)
	case reflect.Slice:
		d.list(n, v, where)
	default:
		d.scalar(n, v, where)
	}
}

func (d *decoder) pointer(n *yaml.Node, v reflect.Value, where string) {
	fresh := reflect.New(v.Type().Elem())
	if !v.IsNil() {
		fresh.Elem().Set(v.Elem())
	}
	d.value(n, fresh.Elem(), where)
	v.Set(fresh)
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, where string) {
	if !d.expect(n, yaml.MappingNode, where, "a mapping (key: value)") {
		return
	}
	fields := map[string]int{}
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); name != "" && name != "-" {
			fields[name] = i
		}
	}
	d.eachPair(n, where, func(key, value *yaml.Node, name string) {
		i, known := fields[key.Value]
		if !known {
			d.unknown(key, fields)
			return
		}
		d.value(value, v.Field(i), name)
	})
}

func (d *decoder) unknown(key *yaml.Node, fields map[string]int) {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	hint := "known here: " + strings.Join(names, ", ")
	if word := nearest.Word(key.Value, names); word != "" {
		hint = "did you mean " + word + "?"
	}
	d.fail(key, hint, "unknown key %q", key.Value)
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, where string) {
	if !d.expect(n, yaml.MappingNode, where, "a mapping (key: value)") {
		return
	}
	merged := reflect.MakeMap(v.Type())
	for _, k := range v.MapKeys() {
		merged.SetMapIndex(k, v.MapIndex(k))
	}
	d.eachPair(n, where, func(key, value *yaml.Node, name string) {
		k, item := reflect.ValueOf(key.Value), reflect.New(v.Type().Elem()).Elem()
		if old := merged.MapIndex(k); old.IsValid() {
			item.Set(old)
		}
		d.value(value, item, name)
		merged.SetMapIndex(k, item)
	})
	v.Set(merged)
}

// eachPair calls visit for each pair of a mapping; a key twice is an error that names both lines.
func (d *decoder) eachPair(n *yaml.Node, where string, visit func(key, value *yaml.Node, name string)) {
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			d.fail(key, "put it into quotes", "a key must be a plain word")
			continue
		}
		if first := seen[key.Value]; first != nil {
			d.fail(key, fmt.Sprintf("it stands in line %d already", first.Line), "key %q twice", key.Value)
			continue
		}
		seen[key.Value] = key
		name := key.Value
		if where != "" {
			name = where + "." + name
		}
		visit(key, value, name)
	}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, where string) {
	if !d.expect(n, yaml.SequenceNode, where, "a list ([a, b])") {
		return
	}
	items := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		if item.Kind == yaml.ScalarNode && item.Tag == "!!null" {
			d.fail(item, "write it, or remove the dash or comma", "an empty entry in %s", where)
			continue
		}
		d.value(item, items.Index(i), fmt.Sprintf("%s[%d]", where, i))
	}
	v.Set(items)
}

// shape is how a kind of value is written.
func shape(kind yaml.Kind) string {
	switch kind {
	case yaml.MappingNode:
		return "key: value, a line for each, or {key: value}"
	case yaml.SequenceNode:
		return "[a, b], or a line with a dash for each"
	default:
		return "one word or text behind the colon, in quotes where it holds signs"
	}
}

// expect reports whether n is of a kind, and says what is wanted when it is not.
func (d *decoder) expect(n *yaml.Node, kind yaml.Kind, where, want string) bool {
	if n.Kind == kind {
		return true
	}
	if where == "" {
		where = "the file"
	}
	d.fail(n, "write "+shape(kind), "%s must be %s", where, want)
	return false
}
