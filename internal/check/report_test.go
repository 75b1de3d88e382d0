package check

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestReports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in          string
		ran, failed int
		want        string // name|file|line|message of each case, ; between
	}{
		"junit of pytest": {
			`<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="3"><testcase classname="tests.test_a" name="test_ok" time="0.0"/>` +
				`<testcase classname="tests.test_a" name="test_bad"><failure message="AssertionError: assert 1 == 2">def test_bad():
&gt;       assert 1 == 2

tests/test_a.py:7: AssertionError</failure></testcase><testcase classname="tests.test_a" name="test_skip"><skipped type="pytest.skip"/></testcase></testsuite></testsuites>`,
			2, 1, "tests.test_a test_bad|tests/test_a.py|7|AssertionError: assert 1 == 2",
		},
		"junit, nothing ran": {`<testsuite name="x" tests="1"><testcase name="a"><skipped/></testcase></testsuite>`, 0, 0, ""},
		"junit, an error, file and line as attributes": {
			`<testsuite><testcase name="a" file="spec\a.rb" line="3"><error type="NoMethodError">boom` + "\n" + `more</error></testcase></testsuite>`,
			1, 1, "a|spec/a.rb|3|boom",
		},
		"junit, suites within suites": {
			`<testsuites><testsuite><testsuite file="x/y.test.js"><testcase name="adds" classname="adds"><failure>Error: no
    at Object.<![CDATA[<anonymous>]]> (x/y.test.js:12:5)</failure></testcase></testsuite></testsuite></testsuites>`,
			1, 1, "adds|x/y.test.js|12|Error: no",
		},
		"sarif": {
			`{"version":"2.1.0","runs":[{"results":[{"ruleId":"S1","message":{"text":"bad\nvery"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/a.c"},"region":{"startLine":4}}}]},` +
				`{"ruleId":"N","level":"note","message":{"text":"x"}},{"ruleId":"Q","suppressions":[{"kind":"inSource"}],"message":{"text":"x"}}]}]}`,
			-1, 1, "S1|src/a.c|4|bad",
		},
		"go": {
			strings.Join([]string{
				`{"Action":"run","Package":"m/p","Test":"TestA"}`,
				`{"Action":"output","Package":"m/p","Test":"TestA/b","Output":"    a_test.go:9: got 1\n"}`,
				`{"Action":"fail","Package":"m/p","Test":"TestA/b"}`,
				`{"Action":"fail","Package":"m/p","Test":"TestA"}`,
				`{"Action":"pass","Package":"m/p","Test":"TestC"}`,
				`{"Action":"fail","Package":"m/p"}`,
				`go: a line of something else`,
				`{"ImportPath":"m/q [m/q.test]","Action":"build-output","Output":"# m/q\n"}`,
				`{"ImportPath":"m/q [m/q.test]","Action":"build-output","Output":"q/q.go:3:2: undefined: x\n"}`,
				`{"Action":"fail","Package":"m/q","FailedBuild":"m/q [m/q.test]"}`,
			}, "\n"),
			3, 2, "m/p TestA/b|a_test.go|9|got 1;m/q|q/q.go|3|undefined: x",
		},
		"go, no tests": {`{"Action":"skip","Package":"m/p"}`, 0, 0, ""},
	} {
		r, err := ParseReport([]byte(c.in))
		var got []string
		for _, x := range r.Cases {
			got = append(got, fmt.Sprintf("%s|%s|%d|%s", x.Name, x.File, x.Line, x.Message))
		}
		if err != nil || r.Ran != c.ran || r.Failed != c.failed || strings.Join(got, ";") != c.want {
			t.Errorf("%s: ran %d, failed %d, %v\n got %s\nwant %s", name, r.Ran, r.Failed, err, strings.Join(got, ";"), c.want)
		}
	}
}

func TestWhatIsNoReport(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "ok", "<html><body/></html>", "{}", `{"a": 1}`, "[]"} {
		if _, err := ParseReport([]byte(in)); !errors.Is(err, ErrNoReport) {
			t.Errorf("%q: %v", in, err)
		}
	}
	for _, in := range []string{`<testsuite><testcase name="a">`, `{"Action":"run","Pack`} {
		if _, err := ParseReport([]byte(in)); err == nil {
			t.Errorf("%q was read", in)
		}
	}
}

func TestManyCasesAreCountedAndSomeKept(t *testing.T) {
	t.Parallel()
	one := `<testcase name="` + strings.Repeat("n", 2000) + `"><failure message="\u001b[31mx"/></testcase>`
	r, err := ParseReport([]byte("<testsuite>" + strings.Repeat(one, MaxCases+50) + "</testsuite>"))
	if err != nil || r.Failed != MaxCases+50 || len(r.Cases) != MaxCases || len(r.Cases[0].Name) > maxMessage+len("…") {
		t.Errorf("%d, %d, %v", r.Failed, len(r.Cases), err)
	}
	sum := Report{Ran: -1}
	sum.Add(r)
	sum.Add(Report{Ran: 3, Failed: 1, Cases: []Case{{Name: "x"}}})
	if sum.Ran != MaxCases+53 || sum.Failed != MaxCases+51 || len(sum.Cases) != MaxCases {
		t.Errorf("%d, %d, %d", sum.Ran, sum.Failed, len(sum.Cases))
	}
}
