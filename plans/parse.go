package plans

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"tendril/internal/md"
)

// Parse reads one plan.md. key is its folder's name, path the file's for messages, format the repository's object format
// ("sha1" or "sha256"). The plan keeps src, which must not change afterwards. What is wrong with the file is a *SyntaxError.
// A plan that Parse accepts is one whose status SetStatus can change.
func Parse(key Key, path string, src []byte, format string) (*Plan, error) {
	d, bad := read(src)
	if bad != nil {
		return nil, bad.at(path)
	}
	p := &Plan{Key: key, Path: path, Text: src, Body: src[d.at.body:]}
	for _, step := range []func(*Plan) *SyntaxError{d.readStatus, d.readFields, d.readTitle, d.checkBody} {
		if bad := step(p); bad != nil {
			return nil, bad.at(path)
		}
	}
	var err error
	if p.Blob, err = blobID(format, src); err != nil {
		return nil, err
	}
	if p.TextID, err = blobID(format, d.withoutLines(src, "status", "choose")); err != nil {
		return nil, err
	}
	return p, nil
}

// TextID returns the git blob id, in the object format, of a plan.md without its status and choose lines. Of a file without
// readable front matter it is an error (*SyntaxError).
func TextID(src []byte, format string) (string, error) {
	d, bad := read(src)
	if bad != nil {
		return "", bad
	}
	return blobID(format, d.withoutLines(src, "status", "choose"))
}

// StatusOf reads the status line and nothing else of the plan, as history needs it: other keys may be wrong. Errors are
// *SyntaxError.
func StatusOf(src []byte) (Status, error) {
	d, bad := read(src)
	if bad != nil {
		return "", bad
	}
	var p Plan
	if bad := d.readStatus(&p); bad != nil {
		return "", bad
	}
	return p.Status, nil
}

func (d *document) readStatus(p *Plan) *SyntaxError {
	s, bad := d.locate("status")
	if bad != nil {
		return bad
	}
	st, ok := ParseStatus(s.value)
	if !ok {
		return d.fail(s.node, fmt.Sprintf("%q is not a status", clip(s.value)), "one of "+statusNames())
	}
	p.Status = st
	return nil
}

func (d *document) readFields(p *Plan) *SyntaxError {
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		key, value := d.root.Content[i], d.root.Content[i+1]
		set, known := fields[key.Value]
		switch {
		case !known:
			p.Unknown = append(p.Unknown, key.Value)
		case absent(value):
		case key.Value == "choose":
			// Its line is left out of the text id, so nothing else may depend on it or stand there.
			if _, bad := d.locate("choose"); bad != nil {
				return bad
			}
			fallthrough
		default:
			if bad := set(d, p, value); bad != nil {
				bad.Msg = key.Value + ": " + bad.Msg
				return bad
			}
		}
	}
	return nil
}

// readTitle takes the first heading's text where the front matter has no title.
func (d *document) readTitle(p *Plan) *SyntaxError {
	if p.Title == "" {
		p.Title = md.Title(p.Body)
	}
	if p.Title == "" {
		return d.fail(d.root, "the plan has no title", "add title: to the front matter, or a heading to the text")
	}
	return nil
}

// checkBody refuses what would make the body mean something else than its author thinks. Markdown is only parsed where
// there may be something to find.
func (d *document) checkBody(p *Plan) *SyntaxError {
	if line := md.TooDeep(p.Body); line > 0 {
		return &SyntaxError{
			Line: md.LineAt(d.src, d.at.body) + line - 1, Column: 1, Msg: "more lists and quotes within each other than can be read", Hint: "write it flatter",
		}
	}
	if mayConflict(p.Body) {
		code := md.Code(p.Body)
		for i := range code {
			code[i].Start += d.at.body
			code[i].End += d.at.body
		}
		if bad := findConflict(d.src, d.at.body, len(d.src), code); bad != nil {
			return bad
		}
	}
	if !bytes.Contains(p.Body, []byte("run")) {
		return nil
	}
	for _, f := range md.Fences(p.Body) {
		if _, _, err := runInfo(f.Info); err != nil {
			line := md.LineAt(d.src, d.at.body) + f.Line - 1
			return &SyntaxError{Line: line, Column: 1, Msg: err.Error(), Hint: "write ```sh run, or ```sh run attempt=2 for one attempt only"}
		}
	}
	return nil
}

func mayConflict(body []byte) bool {
	return bytes.Contains(body, []byte("<<<<<<<")) || bytes.Contains(body, []byte(">>>>>>>")) || bytes.Contains(body, []byte("|||||||"))
}

// withoutLines returns src without the lines of the top-level keys and their values.
func (d *document) withoutLines(src []byte, names ...string) []byte {
	out := make([]byte, 0, len(src))
	from := 0
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		key, value := d.root.Content[i], d.root.Content[i+1]
		for _, name := range names {
			if key.Value == name {
				start := bytes.LastIndexByte(src[:d.offset(key)], '\n') + 1
				out = append(out, src[from:start]...)
				from = lineEnd(src, max(d.offset(key), d.end(value)))
			}
		}
	}
	return append(out, src[from:]...)
}

// end is an offset on the last line of a value.
func (d *document) end(n *yaml.Node) int {
	at := d.offset(n)
	for _, c := range n.Content {
		at = max(at, d.end(c))
	}
	return at
}
