package check

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// junitCase is a testcase of JUnit's XML, as far as runners agree on it.
type junitCase struct {
	Name      string         `xml:"name,attr"`
	Class     string         `xml:"classname,attr"`
	File      string         `xml:"file,attr"`
	Line      string         `xml:"line,attr"`
	Failures  []junitFailure `xml:"failure"`
	Errors    []junitFailure `xml:"error"`
	Skipped   *struct{}      `xml:"skipped"`
	SystemOut string         `xml:"system-out"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// parseJUnit reads the test cases, wherever in the document they stand.
func parseJUnit(text []byte) (Report, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	// Other encodings than UTF-8 are read as they are: names in them may come out wrong, figures do not.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var r Report
	suite := ""
	for root := true; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, fmt.Errorf("read the JUnit report: %w", err)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if root && start.Name.Local != "testsuites" && start.Name.Local != "testsuite" {
			return r, ErrNoReport
		}
		root = false
		switch start.Name.Local {
		case "testsuite":
			suite = attribute(start, "file")
		case "testcase":
			var c junitCase
			if err := d.DecodeElement(&c, &start); err != nil {
				return r, fmt.Errorf("read the JUnit report: %w", err)
			}
			c.take(&r, suite)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// take notes the case; suite is the file that its suite names.
func (c junitCase) take(r *Report, suite string) {
	if c.Skipped != nil {
		return
	}
	r.Ran++
	if all := append(c.Failures, c.Errors...); len(all) > 0 {
		f := all[0]
		out := Case{Name: c.Name, File: cmp.Or(c.File, suite), Message: cmp.Or(strings.TrimSpace(f.Message), strings.TrimSpace(f.Text), f.Type)}
		if c.Class != "" && !strings.Contains(c.Name, c.Class) {
			out.Name = c.Class + " " + c.Name
		}
		out.Line, _ = strconv.Atoi(c.Line) // a runner that counts otherwise names no line
		if file, line, _ := firstPlace(f.Message + "\n" + f.Text); line > 0 && (out.File == "" || strings.HasSuffix(out.File, file)) {
			out.File, out.Line = cmp.Or(out.File, file), line
		}
		r.note(out)
	}
}

// place is FILE:LINE at the beginning of a line or in brackets behind something, with what it says there.
var place = regexp.MustCompile(`(?m)^[ \t]*(?:at .*\(|--> |File ")?((?:[A-Za-z]:)?[^\s:()"]*\.[A-Za-z]{1,5})(?:", line |:)(\d{1,7})(?::\d+)?\)?(?::[ \t]*(.*))?`)

// firstPlace is the first place that an output names, and what it says of it.
func firstPlace(out string) (file string, line int, message string) {
	m := place.FindStringSubmatch(out)
	if m == nil {
		return "", 0, lastWords(out)
	}
	line, _ = strconv.Atoi(m[2]) // digits only, seven at most
	return m[1], line, cmp.Or(strings.TrimSpace(m[3]), lastWords(out))
}

// lastWords is the last line that says something and is not the frame of go test.
func lastWords(out string) string {
	last := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "FAIL") {
			last = line
		}
	}
	return last
}
