package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// MaxReport is the greatest report that is read, in bytes.
	MaxReport = 64 << 20
	// MaxCases is how many failed cases of one check are kept; Report.Failed counts the others, too.
	MaxCases = 200
	// maxMessage bounds what a case says, in bytes.
	maxMessage = 500
)

// ErrNoReport says that data is neither JUnit XML, SARIF nor the output of go test -json.
var ErrNoReport = errors.New("this is neither JUnit XML, SARIF nor go test -json")

// Case is one failed test, or one finding of an analyser.
type Case struct {
	// Name is the test's, with its class or package; a finding's rule.
	Name string
	// File is slash-separated, as the report names it; Line counts from 1. Both are zero where it names none.
	File string
	Line int
	// Message is what it says in one line, 500 bytes at most.
	Message string
}

// Report is what a test runner or an analyser wrote of what it did.
type Report struct {
	// Ran is how many tests ran, failed ones included and skipped ones not; -1 where the format does not tell.
	Ran int
	// Failed is how many failed; of an analyser, how many errors it found.
	Failed int
	// Cases are the first MaxCases of those.
	Cases []Case
}

// Tests reports whether the report is of tests: then a failed case is a failure, whatever the exit code.
func (r Report) Tests() bool { return r.Ran >= 0 }

// Add takes in another report of the same check.
func (r *Report) Add(other Report) {
	if other.Ran >= 0 {
		r.Ran = max(r.Ran, 0) + other.Ran
	}
	r.Failed += other.Failed
	r.Cases = append(r.Cases, other.Cases[:min(len(other.Cases), max(MaxCases-len(r.Cases), 0))]...)
}

// note takes in one failed case.
func (r *Report) note(c Case) {
	r.Failed++
	if len(r.Cases) == MaxCases {
		return
	}
	c.Name, c.Message = oneLine(c.Name), oneLine(c.Message)
	c.File = strings.TrimPrefix(strings.ReplaceAll(oneLine(c.File), `\`, "/"), "./")
	c.Line = max(c.Line, 0)
	r.Cases = append(r.Cases, c)
}

// oneLine is the first line of s that says something, cut to maxMessage.
func oneLine(s string) string {
	s = strings.TrimSpace(string(plainText([]byte(s))))
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return strings.TrimSpace(s)
}

// ParseReport reads a report, its format being told by its content. What is cut off or no report is an error; one that is
// none of the known formats wraps ErrNoReport.
func ParseReport(data []byte) (Report, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	switch {
	case len(text) > 0 && text[0] == '<':
		return parseJUnit(text)
	case isSARIF(text):
		return parseSARIF(text)
	case bytes.Contains(text, []byte(`"Action":`)):
		return parseGo(text)
	default:
		return Report{}, ErrNoReport
	}
}

func isSARIF(text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	// Only the names at the top are looked at: a line of go test -json is an object, too.
	var top struct {
		Runs json.RawMessage `json:"runs"`
	}
	return json.Unmarshal(text, &top) == nil && len(top.Runs) > 0
}

// sarif is what of SARIF 2.1 is read.
type sarif struct {
	Runs []struct {
		Results []struct {
			RuleID       string          `json:"ruleId"`
			Level        string          `json:"level"`
			Kind         string          `json:"kind"`
			Message      sarifText       `json:"message"`
			Suppressions []any           `json:"suppressions"`
			Locations    []sarifLocation `json:"locations"`
		} `json:"results"`
	} `json:"runs"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// parseSARIF takes findings of the level error or warning, which is the level of those that name none; notes are not
// failures, nor is what was suppressed.
func parseSARIF(text []byte) (Report, error) {
	var s sarif
	if err := json.Unmarshal(text, &s); err != nil {
		return Report{}, fmt.Errorf("read the SARIF report: %w", err)
	}
	r := Report{Ran: -1}
	for _, run := range s.Runs {
		for _, f := range run.Results {
			if f.Level == "note" || f.Level == "none" || f.Kind != "" && f.Kind != "fail" || len(f.Suppressions) > 0 {
				continue
			}
			c := Case{Name: f.RuleID, Message: f.Message.Text}
			if len(f.Locations) > 0 {
				at := f.Locations[0].Physical
				c.File, c.Line = strings.TrimPrefix(at.Artifact.URI, "file://"), at.Region.StartLine
			}
			r.note(c)
		}
	}
	return r, nil
}

// goEvent is a line of go test -json.
type goEvent struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
}

// parseGo reads the lines that are events; a runner may print others between them.
func parseGo(text []byte) (Report, error) {
	g := goRead{output: map[string]string{}}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var e goEvent
		if err := json.Unmarshal(line, &e); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected end") {
				return g.report, fmt.Errorf("read the output of go test -json: %w", err)
			}
			continue
		}
		g.event(e)
	}
	return g.finish(), nil
}

// goRead collects what the events say.
type goRead struct {
	report Report
	// output is what each test, or package, printed, and the failed tests in the order of their end.
	output map[string]string
	failed []goEvent
}

func (g *goRead) event(e goEvent) {
	id := e.Package + "\x00" + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Action == "build-output" {
			id = e.ImportPath + "\x00"
		}
		if len(g.output[id]) < 64<<10 {
			g.output[id] += e.Output
		}
	case "pass", "fail":
		if e.Test != "" {
			g.report.Ran++
		}
		if e.Action == "fail" {
			g.failed = append(g.failed, e)
			return
		}
		delete(g.output, id)
	}
}

// finish keeps of the failures those that no failure within explains: the subtest, not its parent; the package only where
// none of its tests failed.
func (g *goRead) finish() Report {
	explained := map[string]bool{}
	for _, e := range g.failed {
		if e.Test != "" {
			explained[e.Package+"\x00"] = true
		}
		for i, r := range e.Test {
			if r == '/' {
				explained[e.Package+"\x00"+e.Test[:i]] = true
			}
		}
	}
	for _, e := range g.failed {
		id := e.Package + "\x00" + e.Test
		if explained[id] {
			continue
		}
		out := g.output[id]
		if e.FailedBuild != "" {
			out = g.output[e.FailedBuild+"\x00"] + out
		}
		c := Case{Name: strings.TrimSpace(e.Package + " " + e.Test)}
		c.File, c.Line, c.Message = firstPlace(out)
		if c.Message == "" {
			c.Message = "it failed"
		}
		g.report.note(c)
	}
	return g.report
}
