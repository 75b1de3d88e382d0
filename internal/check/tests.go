package check

import (
	"bytes"
	"regexp"
)

// maxLine is how much of a line is looked at: what a test runner says of itself is short.
const maxLine = 1 << 10

// testScanner reads the output as it comes and looks for what test runners say about how many tests they ran.
type testScanner struct {
	line         []byte
	ran, sawNone bool
}

// none reports whether a test runner said that it ran nothing, and none that it ran something.
func (s *testScanner) none() bool {
	s.judge(s.line)
	s.line = nil
	return s.sawNone && !s.ran
}

func (s *testScanner) write(p []byte) {
	for !s.ran && len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.keep(p)
			return
		}
		if len(s.line) == 0 {
			s.judge(p[:i])
		} else {
			s.keep(p[:i])
			s.judge(s.line)
			s.line = s.line[:0]
		}
		p = p[i+1:]
	}
}

func (s *testScanner) keep(p []byte) {
	s.line = append(s.line, p[:min(len(p), maxLine-len(s.line))]...)
}

// sayings are how runners report. A capturing group holds how many tests did run, zero being none; without one the line
// says that none did. word is looked for first, because that is fast.
var sayings = []struct {
	word    string
	pattern *regexp.Regexp
}{
	// go test, plain and -json
	{"[no test files]", regexp.MustCompile(`\[no test files\]`)},
	{"[no tests to run]", regexp.MustCompile(`\[no tests to run\]`)},
	// pytest, unittest
	{" in ", regexp.MustCompile(`^=+ (?:.*?\b(\d+) (?:passed|failed|errors?|xfailed|xpassed)\b.*|[^=]*) in [\d.]+s`)},
	{" in ", regexp.MustCompile(`^(?:(\d+) (?:passed|failed|errors?)\b.*|no tests ran|\d+ (?:skipped|deselected)) in [\d.]+s`)},
	{"Ran ", regexp.MustCompile(`^Ran (\d+) tests? in `)},
	{"NO TESTS RAN", regexp.MustCompile(`^NO TESTS RAN`)},
	// jest, vitest, mocha, node, bun, deno
	{"No tests found", regexp.MustCompile(`^\s*No tests found\b`)},
	{"No test files found", regexp.MustCompile(`^\s*No test files found\b`)},
	{"Tests", regexp.MustCompile(`^\s*Tests:?\s+(?:.*?\b(\d+) (?:passed|failed)\b.*|.*\d+ total|no tests|\d+ skipped.*)`)},
	{" passing", regexp.MustCompile(`^\s*(\d+) passing\b`)},
	{" failing", regexp.MustCompile(`^\s*(\d+) failing\b`)},
	{" tests ", regexp.MustCompile(`^(?:#|ℹ) tests (\d+)$`)},
	{" pass", regexp.MustCompile(`^\s*(\d+) pass$`)},
	{" passed | ", regexp.MustCompile(`\b(\d+) passed(?: \(\d+ steps?\))? \| \d+ failed`)},
	// cargo
	{"test result: ", regexp.MustCompile(`^test result: \w+\. (?:([1-9]\d*) passed; \d+ failed|0 passed; (\d+) failed);`)},
	// others
	{" examples, ", regexp.MustCompile(`^(\d+) examples, `)},
	{"No tests executed!", regexp.MustCompile(`^No tests executed!`)},
	{"OK (", regexp.MustCompile(`^OK \((\d+) tests?,`)},
	{" runs, ", regexp.MustCompile(`^(\d+) runs, \d+ assertions`)},
	{"No tests were found!!!", regexp.MustCompile(`^No tests were found!!!`)},
	{"Tests run: ", regexp.MustCompile(`\bTests run: (\d+),`)},
	{"No test is available", regexp.MustCompile(`^No test is available in `)},
	{"Executed ", regexp.MustCompile(`\bExecuted (\d+) tests?`)},
}

// hints: a line without any of them says nothing of tests. Most output is passed over so.
var hints = [...]string{"est", "EST", "pass", "fail", "example", " runs, ", "skipped in", "deselected in"}

func hinted(line []byte) bool {
	for _, h := range hints {
		if bytes.Contains(line, []byte(h)) {
			return true
		}
	}
	return bytes.HasPrefix(line, []byte("ok  \t")) || bytes.HasPrefix(line, []byte("--- "))
}

// judge looks at one line.
func (s *testScanner) judge(line []byte) {
	const shortest = len(" 0 pass") - 1
	if s.ran || len(line) < shortest {
		return
	}
	if line = line[:min(len(line), maxLine)]; !hinted(line) {
		return
	}
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = terminalSequence.ReplaceAll(line, nil)
	}
	line = bytes.TrimRight(line, "\r ")
	if goRan(line) {
		s.ran = true
		return
	}
	for _, saying := range sayings {
		if !bytes.Contains(line, []byte(saying.word)) {
			continue
		}
		m := saying.pattern.FindSubmatch(line)
		if m == nil {
			continue
		}
		if count := bytes.Join(m[1:], nil); len(bytes.Trim(count, "0")) > 0 {
			s.ran = true
			return
		}
		s.sawNone = true
	}
}

// goRan reports whether a line of go test says that a package's tests ran.
func goRan(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("ok  \t")):
		return !bytes.Contains(line, []byte("[no tests to run]"))
	case bytes.HasPrefix(line, []byte("--- PASS: ")), bytes.HasPrefix(line, []byte("--- FAIL: ")):
		return true
	case bytes.HasPrefix(line, []byte(`{"Time":`)):
		return bytes.Contains(line, []byte(`"Test":"`)) &&
			(bytes.Contains(line, []byte(`"Action":"pass"`)) || bytes.Contains(line, []byte(`"Action":"fail"`)))
	}
	return false
}
