package check

import (
	"fmt"
	"strings"
	"testing"
)

// The outputs are what the runners print, cut to the lines that count.
func TestNoTestsIsToldFromKnownOutput(t *testing.T) {
	t.Parallel()
	const ran, none, unknown = "ran", "none", "unknown"
	for name, c := range map[string]struct{ want, out string }{
		"nothing":              {unknown, ""},
		"a linter":             {unknown, "checking\nno issues found in 12 files\n"},
		"go, no files":         {none, "?   \ttendril\t[no test files]\n?   \ttendril/x\t[no test files]\n"},
		"go, no match":         {none, "ok  \ttendril/x\t0.003s [no tests to run]\n"},
		"go, one package":      {ran, "?   \ttendril\t[no test files]\nok  \ttendril/x\t(cached)\n"},
		"go, verbose":          {ran, "=== RUN   TestX\n--- PASS: TestX (0.00s)\nPASS\nok  \tx\t0.1s\n"},
		"go, failed":           {ran, "?   \ta\t[no test files]\n--- FAIL: TestX (0.00s)\nFAIL\n"},
		"go -json, none":       {none, `{"Time":"x","Action":"output","Package":"a","Output":"?   \ta\t[no test files]\n"}` + "\n"},
		"go -json, ran":        {ran, `{"Time":"x","Action":"output","Package":"a","Output":"[no test files]"}` + "\n" + `{"Time":"x","Action":"pass","Package":"b","Test":"TestX","Elapsed":0}` + "\n"},
		"pytest, none":         {none, "============ test session starts ====\ncollected 0 items\n\n====== no tests ran in 0.01s ======\n"},
		"pytest, all skipped":  {none, "====== 2 skipped in 0.01s ======\n"},
		"pytest, ran":          {ran, "====== 1 skipped, 3 passed, 1 warning in 0.01s ======\n"},
		"pytest -q, none":      {none, "\nno tests ran in 0.00s\n"},
		"pytest -q, ran":       {ran, "...   [100%]\n3 passed in 0.00s\n"},
		"unittest, none":       {none, "\n----\nRan 0 tests in 0.000s\n\nOK\n"},
		"unittest, ran":        {ran, "\n----\nRan 12 tests in 0.000s\n\nOK\n"},
		"jest, none":           {none, "No tests found, exiting with code 0\n"},
		"jest, ran":            {ran, "Test Suites: 1 passed, 1 total\nTests:       10 passed, 10 total\n"},
		"jest, all skipped":    {none, "Tests:       3 skipped, 3 total\n"},
		"jest, total 0":        {none, "Test Suites: 0 of 1 total\nTests:       0 total\n"},
		"vitest, none":         {none, "\n No test files found, exiting with code 0\n"},
		"vitest, ran, colours": {ran, "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m3 passed\x1b[39m\x1b[22m\x1b[90m (3)\x1b[39m\n"},
		"vitest, skipped":      {none, "      Tests  2 skipped (2)\n"},
		"mocha, none":          {none, "\n\n  0 passing (1ms)\n\n"},
		"mocha, ran":           {ran, "\n\n  3 passing (1ms)\n\n"},
		"mocha, only failing":  {ran, "\n\n  0 passing (1ms)\n  2 failing\n"},
		"node, none":           {none, "# tests 0\n# suites 0\n# pass 0\n"},
		"node, ran":            {ran, "ℹ tests 4\nℹ pass 4\n"},
		"bun, none":            {none, " 0 pass\n 0 fail\n"},
		"deno, none":           {none, "ok | 0 passed | 0 failed (2ms)\n"},
		"deno, ran":            {ran, "ok | 2 passed | 0 failed (2ms)\n"},
		"cargo, none":          {none, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"},
		"cargo, ran and docs":  {ran, "test result: ok. 3 passed; 0 failed; 0 ignored;\n\ntest result: ok. 0 passed; 0 failed; 0 ignored;\n"},
		"cargo, all ignored":   {none, "test result: ok. 0 passed; 0 failed; 5 ignored; 0 measured\n"},
		"cargo, all failed":    {ran, "test result: FAILED. 0 passed; 2 failed; 0 ignored\n"},
		"rspec, none":          {none, "0 examples, 0 failures\n"},
		"phpunit, none":        {none, "No tests executed!\n"},
		"phpunit, ran":         {ran, "OK (3 tests, 5 assertions)\n"},
		"minitest, none":       {none, "0 runs, 0 assertions, 0 failures\n"},
		"ctest, none":          {none, "No tests were found!!!\n"},
		"maven, none":          {none, "[INFO] Tests run: 0, Failures: 0\n"},
		"crlf":                 {none, "0 examples, 0 failures\r\n"},
		"last line, no end":    {none, "No tests found, exiting with code 0"},
		"two runners, one ran": {ran, "Ran 0 tests in 0.000s\n3 passing\n  3 passing\n"},
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			s := &testScanner{}
			for out := c.out; out != ""; {
				n := min(piece, len(out))
				s.write([]byte(out[:n]))
				out = out[n:]
			}
			got := unknown
			if s.none() {
				got = none
			} else if s.ran {
				got = ran
			}
			if got != c.want {
				t.Errorf("%s in pieces of %d: %s, want %s", name, piece, got, c.want)
			}
		}
	}
}

func TestLongLinesTakeNoMemory(t *testing.T) {
	t.Parallel()
	s := &testScanner{}
	for range 1000 {
		s.write([]byte(strings.Repeat("x", 64<<10)))
	}
	if cap(s.line) > 4*maxLine {
		t.Errorf("keeps %d bytes of a line", cap(s.line))
	}
}

func BenchmarkScan(b *testing.B) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "line %d of an output that says nothing at all in 3 words\n", i)
	}
	piece := []byte(text.String())
	b.SetBytes(int64(len(piece)))
	s := &testScanner{}
	for range b.N {
		s.write(piece)
	}
}
