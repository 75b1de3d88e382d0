package plans

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tendril/internal/md"
)

func someVerification() *Verification {
	zero, one := 0, 1
	return &Verification{
		Commit: "1234567890abcdef1234567890abcdef12345678", Base: "abcdef1234567890abcdef1234567890abcdef12", Result: ResultFailed,
		Checks: []CheckResult{
			{Name: "scope", Result: ResultPassed, Required: true},
			{
				Name: "test|x", Command: "go test ./... | tee log", Result: ResultFailed, Exit: &one, Seconds: 75.2504, Required: true, Log: "aa", LogName: "02-test-x.log", Tail: "FAIL\n```\n# out\n",
				Cases: []Case{{Name: "adds|x", File: "a.go", Line: 3, Message: "got 1"}}, FailedCases: 2,
			},
			{Name: "lint", Command: "lint", Result: ResultSkipped, Tail: "generated code only"},
			{Name: "flaky", Command: "t", Result: ResultFlaky, Exit: &zero, Seconds: 0.25, Required: true},
		},
		Diff: DiffSummary{Files: 3, Added: 120, Deleted: 4, Tests: 1, Outside: []string{"a|b.go"}, Generated: []string{"go.sum"}},
	}
}

// TestVerificationFile holds the bytes of version 1.
func TestVerificationFile(t *testing.T) {
	t.Parallel()
	const want = `---
version: 1
commit: 1234567890abcdef1234567890abcdef12345678
base: abcdef1234567890abcdef1234567890abcdef12
result: failed
checks:
  - name: scope
    result: passed
    seconds: 0
    required: true
  - name: test|x
    command: go test ./... | tee log
    result: failed
    exit: 1
    seconds: 75.25
    required: true
    log: aa
  - name: lint
    command: lint
    result: skipped
    seconds: 0
    required: false
  - name: flaky
    command: t
    result: flaky
    exit: 0
    seconds: 0.25
    required: true
---
# Failed: test&#124;x

**flaky failed, and passed only when it was run again.**

2 of 3 required checks passed on 1234567890ab, compared with abcdef123456.

| check | result | time | required |
| --- | --- | ---: | --- |
| scope | passed | 0.0 s | yes |
| test&#124;x | **failed**, exit 1 | 1m15s | yes |
| lint | skipped: generated code only | 0.0 s | no |
| flaky | **flaky** | 0.2 s | yes |

## The change

3 files, 120 lines added, 4 deleted; 1 of the files is a test.

Outside the scope:

- a&#124;b.go

Generated, and not counted:

- go.sum

## test&#124;x: failed, exit 1

` + "```sh\ngo test ./... | tee log\n```\n\n| failed | where | what it says |\n| --- | --- | --- |\n| adds&#124;x | a.go:3 | got 1 |\n\nand 1 more\n\n````text\nFAIL\n```\n# out\n````\n\nThe whole output: 02-test-x.log in the logs of the clone that ran it, SHA-256 aa.\n" + `
## flaky: flaky, exit 0

` + "```sh\nt\n```\n\nIt printed nothing.\n"
	v := someVerification()
	got, err := v.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if v.Version != 0 || v.Checks[1].Seconds != 75.2504 {
		t.Error("Marshal changed the value")
	}
	for _, src := range []string{want, strings.ReplaceAll(want, "\n", "\r\n")} {
		back, err := ParseVerification("v", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		v.Version, v.Checks[1].Seconds = 1, 75.25
		if diff := cmp.Diff(v, back, cmpopts.IgnoreFields(CheckResult{}, "Tail", "LogName", "Cases", "FailedCases"), cmpopts.IgnoreFields(Verification{}, "Diff")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestVerificationHeadlines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    Verification
		want string
	}{
		{Verification{Result: ResultPassed, Checks: []CheckResult{{Name: "a", Result: ResultPassed, Required: true}}}, "# Passed\n\n1 of 1 required check passed on nothing"},
		{Verification{Result: ResultUnverified, Commit: "c", Base: "b"}, "# UNVERIFIED\n\nNo check of the project vouches for this change.\n\n0 of 0 required checks passed on c, compared with b.\n\n## The change\n\n0 files, 0 lines added, 0 deleted; no tests touched.\n"},
	} {
		got, err := c.v.Marshal()
		if err != nil || !strings.Contains(string(got), "---\n"+c.want) {
			t.Errorf("got %v\n%s\nwant\n%s", err, got, c.want)
		}
	}
	for name, v := range map[string]Verification{"result": {Result: "fine"}, "check": {Result: ResultPassed, Checks: []CheckResult{{Name: "a", Result: "ok"}}}} {
		if got, err := v.Marshal(); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestParseVerificationRefuses(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"---\nversion: 2\nresult: passed\n---\n":                      "v:2:10: version 2 was written by a newer tendril",
		"---\nversion: 1\nresult: fine\n---\n":                        `v: result: "fine" is not one`,
		"---\nversion: 1\nresult: passed\nchecks: [{name: a}]\n---\n": `v: check "a": result "" is not one`,
		"---\nversion: 1\nresult: passed\nextra: 1\n---\n":            `v:4:1: unknown key "extra"`,
		"# no front matter\n":                                         "v:1:1: no front matter",
		"---\nversion: 1\n<<<<<<< a\nresult: x\n=======\n>>>>>>> b\n": "v:3:1: unresolved conflict",
	} {
		_, err := ParseVerification("v", []byte(src))
		var bad *SyntaxError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

func TestManyLongTailsStaySmall(t *testing.T) {
	t.Parallel()
	v := Verification{Result: ResultFailed}
	for range 200 {
		v.Checks = append(v.Checks, CheckResult{Name: "n", Result: ResultFailed, Required: true, Tail: strings.Repeat("a line of output\n", 4000)})
	}
	got, err := v.Marshal()
	if err != nil || len(got) > 256<<10 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if _, err := ParseVerification("v", got); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(got), "left out here") {
		t.Error("nothing says that output is left out")
	}
}

// TestNoOutputBecomesStructure: whatever a check prints or is called, the page has the same headings, tables and blocks.
func TestNoOutputBecomesStructure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.StringOf(rapid.SampledFrom([]rune("ab`~#-=|>\n\r\t \\*_[](){}<!&\x1b\u0000\u2028é")))
		v := Verification{Result: ResultFailed, Commit: "c", Base: "b", Checks: []CheckResult{{
			Name: "n" + hostile.Draw(t, "name"), Command: "c" + hostile.Draw(t, "command"), Result: ResultFailed, Tail: "t" + hostile.Draw(t, "tail"),
		}}, Diff: DiffSummary{Outside: []string{"p" + hostile.Draw(t, "path")}}}
		got, err := v.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseVerification("v", got)
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		if back.Checks[0].Name != v.Checks[0].Name || back.Checks[0].Command != v.Checks[0].Command {
			t.Fatalf("%+v became %+v", v.Checks[0], back.Checks[0])
		}
		_, page, _ := strings.Cut(string(got), "\n---\n")
		if s, f := md.Sections([]byte(page), 6), md.Fences([]byte(page)); len(s) != 3 || len(f) != 2 {
			t.Fatalf("%d sections, %d blocks in\n%s", len(s), len(f), page)
		}
	})
}
