package plans

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// decodeVersioned decodes the YAML of a file that Tendril wrote into v, whose field version tells its format. Older versions
// are migrated; newer ones, unknown keys (rewriting would lose them) and second documents are refused.
func decodeVersioned(src []byte, v any, version *int, present int, migrations map[int]func(*yaml.Node) error) *SyntaxError {
	if bad := checkText(src); bad != nil {
		return bad
	}
	err := decodeKnown(src, v)
	if err == nil && *version == present {
		return nil
	}
	if bad := findConflict(src, 0, len(src), nil); bad != nil {
		return bad
	}
	root, from, bad := findVersion(src, present)
	switch {
	case bad != nil:
		return bad
	case from == present && err != nil:
		return ownYAMLError(err)
	}
	for ; from < present; from++ {
		step := migrations[from]
		if step == nil {
			return &SyntaxError{Msg: fmt.Sprintf("version %d is no longer read", from), Hint: "let an older tendril finish this plan"}
		}
		if err := step(root); err != nil {
			return &SyntaxError{Msg: fmt.Sprintf("version %d cannot be brought to version %d: %v", from, from+1, err), Hint: recordHint}
		}
	}
	migrated, err := yaml.Marshal(root)
	if err == nil {
		err = decodeKnown(migrated, v)
	}
	if err != nil {
		return &SyntaxError{Msg: "after its migration: " + ownYAMLError(err).Msg, Hint: recordHint}
	}
	*version = present
	return nil
}

// findVersion reads the version key alone, whatever else the file holds.
func findVersion(src []byte, present int) (root *yaml.Node, version int, bad *SyntaxError) {
	var doc yaml.Node
	if err := strictYAML(src, &doc); err != nil {
		return nil, 0, ownYAMLError(err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, 0, &SyntaxError{Msg: "it holds no keys", Hint: recordHint}
	}
	root = doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "version" {
			continue
		}
		node := root.Content[i+1]
		version, err := strconv.Atoi(node.Value)
		switch {
		case err != nil || version < 1:
			return nil, 0, &SyntaxError{Line: node.Line, Column: node.Column, Msg: fmt.Sprintf("version: %q is not one", clip(node.Value)), Hint: recordHint}
		case version > present:
			return nil, 0, &SyntaxError{
				Line: node.Line, Column: node.Column, Hint: "upgrade tendril here",
				Msg: fmt.Sprintf("version %d was written by a newer tendril, this one knows up to %d", version, present),
			}
		}
		return root, version, nil
	}
	return nil, 0, &SyntaxError{Msg: "it has no version", Hint: recordHint}
}

// decodeKnown decodes one document into a struct and refuses keys that it does not have.
func decodeKnown(src []byte, v any) (err error) {
	defer func() {
		// As in strictYAML: one file must not stop the others.
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(src))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		return err
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return errors.New("yaml: a second document")
	}
	return nil
}

// ownYAMLError says what the decoder says, without the names of Go.
func ownYAMLError(err error) *SyntaxError {
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) && len(wrong.Errors) > 0 {
		err = errors.New(wrong.Errors[0])
	}
	line, msg := yamlMessage(err)
	if field, _, ok := strings.Cut(strings.TrimPrefix(msg, "field "), " not found in type "); ok {
		msg = fmt.Sprintf("unknown key %q", field)
	}
	return &SyntaxError{Line: line, Msg: msg, Hint: recordHint}
}

// marshalYAML writes v with an indent of two.
func marshalYAML(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// seconds shortens a duration to what people read: milliseconds.
func seconds(v float64) float64 {
	return float64(time.Duration(v*float64(time.Second)).Round(time.Millisecond)) / float64(time.Second)
}
