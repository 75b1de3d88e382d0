package plans

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seeds are the corpus that both fuzz tests start from.
var seeds = []string{
	"---\ntitle: x\nstatus: draft\n---\n# Body\n",
	"\xef\xbb\xbf---\r\ntitle: 'x'\r\nstatus: \"In Review\" # c\r\n---\r\n",
	"---\nstatus: IN_REVIEW\ndepends_on: [0005, 0007-x]\nscope:\n- a/**\n---\n# From heading",
	"---\n? status\n: draft\ntitle: |\n  x\n---",
	"---\nstatus:\ntitle: x\n---\n",
	"---\ntitle: x\nstatus: draft\nnote: |\n  a\n  ---\n  b\n---\n",
	"---\nstatus: &a draft\nb: *a\n---\n",
	"---\n{status: draft, title: x}\n---\n",
	"---\n<<<<<<< a\nstatus: draft\n=======\n>>>>>>> b\n---\n",
	"---\ntitle: x\nstatus: draft\nchoose: a\nagents: [a:b, c]\nskip: {lint: why}\nbudget: 5\nmax_attempts: 2\n---\n```sh run attempt=2\ntrue\n```\n",
	"---\nstatus: draft\u2028title: x\n---\n", "---\n- a\n---\n", "---\n---\n", "---", "", "---\na: b\n...\nc: d\n---\n",
	"---\ntitle: x\nstatus: draft\n<<: {a: b}\n---\n", "---\n%YAML 1.2\n---\ntitle: x\n", "---\n!!map\nstatus: draft\ntitle: x\n---\n",
}

func mustParse(t *testing.T, src string) *Plan {
	t.Helper()
	p, err := Parse("0007-x", "plans/0007-x/plan.md", []byte(src), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseEverything(t *testing.T) {
	t.Parallel()
	src := `---
title: Add a search button to the sidebar
# draft, approved, … : see tendril help states
status: draft
# what follows is optional
priority: 0              # higher runs first; ties go by number
depends_on: [5, 0012-other-plan, 0007, 5]          # numbers or keys; all must be merged first
scope: [src/sidebar/**]  # what the agent may change (gitignore-style globs)
agent: claude            # or claude:opus (agent and model)
agents: [claude:opus, claude:sonnet, codex]   # a race: one candidate each
profile: deep
preset: web
skip: {lint: generated code only}
budget: 5
max_attempts: 3
base: main
source: https://github.com/o/r/issues/12
choose: claude-opus
labels: [a]
---
## Problem
`
	got := mustParse(t, src)
	budget, attempts := 5.0, 3
	want := &Plan{
		Key: "0007-x", Path: "plans/0007-x/plan.md", Title: "Add a search button to the sidebar", Status: "draft",
		DependsOn: []string{"5", "0012-other-plan", "7"}, Scope: []string{"src/sidebar/**"}, Agent: &AgentRef{Name: "claude"},
		Agents:  []AgentRef{{"claude", "opus"}, {"claude", "sonnet"}, {Name: "codex"}},
		Profile: "deep", Preset: "web", Skip: map[string]string{"lint": "generated code only"}, Budget: &budget, MaxAttempts: &attempts,
		Base: "main", Source: "https://github.com/o/r/issues/12", Choose: "claude-opus", Unknown: []string{"labels"},
		Text: []byte(src), Body: []byte("## Problem\n"), Blob: got.Blob, TextID: got.TextID,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTraps: what YAML would take for something else comes out as what the field's type says.
func TestTraps(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"0012": "0012", "no": "no", "NULL": "NULL", "~": "~", "2024-01-01": "2024-01-01", "1e3": "1e3", "0x1F": "0x1F", "1_000": "1_000", "true": "true",
		"12:30:45": "12:30:45", "'a  b'": "a b", "\"a\\tb\"": "a b", "|\n  a\n  b": "a b", "'<b>|`x`'": "<b>|`x`", ".inf": ".inf", "=": "=",
	} {
		if got := mustParse(t, "---\ntitle: "+value+"\nstatus: draft\n---\n").Title; got != want {
			t.Errorf("title: %s reads as %q, want %q", value, got, want)
		}
	}
	p := mustParse(t, "---\ntitle: x\nstatus: draft\nskip: {lint: no, 0012: 2024-01-01}\npriority: -3\nbudget: .5\npreset: 0012\nsource: 1e3\n---\n")
	if diff := cmp.Diff(map[string]string{"lint": "no", "0012": "2024-01-01"}, p.Skip); diff != "" {
		t.Error(diff)
	}
	if p.Priority != -3 || *p.Budget != 0.5 || p.Preset != "0012" || p.Source != "1e3" {
		t.Errorf("got %d, %v, %q, %q", p.Priority, *p.Budget, p.Preset, p.Source)
	}
}

func TestEmptyValuesSayNothing(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "---\ntitle:\nstatus: draft\npriority:\ndepends_on:\nscope:\nagent:\nagents:\nprofile:\npreset:\nskip:\nbudget:\nmax_attempts:\nbase:\nsource:\nchoose:\n---\n\n# From the *heading* `x`\n")
	want := &Plan{Key: p.Key, Path: p.Path, Title: "From the heading x", Status: Draft, Text: p.Text, Body: p.Body, Blob: p.Blob, TextID: p.TextID}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

func TestTitleFromHeading(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"text\n\n## The *second* level &amp; more\n": "The second level & more",
		"Underlined\n===\n":                          "Underlined",
		"```\n# no\n```\n# yes\n":                    "yes",
		"#\n\n# filled\n":                            "filled",
		"> # quoted\n":                               "quoted",
		"# [a link](http://x) and ![p](q) \\# #\n":   "a link and p #",
		"# a<b>c</b>\n":                              "ac",
	} {
		if got := mustParse(t, "---\nstatus: draft\n---\n"+body).Title; got != want {
			t.Errorf("%q gives the title %q, want %q", body, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	head := "---\ntitle: x\nstatus: draft\n"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "p:1:1: no front matter"},
		{"no front matter", "# x\n", "p:1:1: no front matter"},
		{"blank line first", "\n---\ntitle: x\nstatus: draft\n---\n", "p:1:1: no front matter"},
		{"indented fence", " ---\ntitle: x\nstatus: draft\n---\n", "p:1:1: no front matter"},
		{"toml", "+++\ntitle = 'x'\n+++\n", "p:1:1: no front matter"},
		{"no end", "---\ntitle: x\nstatus: draft\n", "p:1:1: the front matter has no end"},
		{"dots do not end it", "---\ntitle: x\nstatus: draft\n...\n# body\n", "p:1:1: the front matter has no end"},
		{"second document", head + "--- x\na: b\n---\n", "p:4:"},
		{"indented --- in a text", head + "note: |\n  a\n  ---\n  b\n---\n", "p:6:1: a line --- within the front matter"},
		{"conflict around status", "---\ntitle: x\n<<<<<<< HEAD\nstatus: draft\n=======\nstatus: approved\n>>>>>>> b\n---\n", "p:3:1: unresolved conflict"},
		{"conflict of the whole file", "<<<<<<< HEAD\n---\ntitle: x\nstatus: draft\n---\n=======\n>>>>>>> b\n", "p:1:1: unresolved conflict"},
		{"conflict in the body", head + "---\n# t\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "p:6:1: unresolved conflict"},
		{"conflict begins before code", head + "---\n<<<<<<< HEAD\n```\na\n=======\n```\nb\n>>>>>>> x\n", "p:5:1: unresolved conflict"},
		{"conflict, CRLF", "---\r\ntitle: x\r\n<<<<<<< HEAD\r\nstatus: draft\r\n---\r\n", "p:3:1: unresolved conflict"},
		{"not UTF-8", head + "---\nab\xff\n", "p:5:3: not UTF-8"},
		{"UTF-16", "\xff\xfe-\x00-\x00-\x00", "p:1:1: not UTF-8"},
		{"NUL", head + "---\na\x00b\n", "p:5:2: a NUL byte"},
		{"too big", head + "---\n" + strings.Repeat("x", MaxPlanSize), "p: too big: 1048607 bytes"},
		{"front matter too big", head + strings.Repeat("# x\n", 1<<14) + "---\n", "p:1:1: the front matter is too big: 65559 bytes"},
		{"key twice", "---\ntitle: x\nstatus: draft\ntitle: y\n---\n", `p:4:1: key "title" stands twice, here and on line 2`},
		{"unknown key twice", head + "x: 1\nx: 2\n---\n", `p:5:1: key "x" stands twice, here and on line 4`},
		{"nested key twice", head + "skip: {lint: a, lint: b}\n---\n", `p:4:17: key "lint" stands twice, here and on line 4`},
		{"merge key", head + "<<: {priority: 3}\n---\n", "p:4:1: a key that is not a plain word"},
		{"list", "---\n- a\n---\n", "p:2:1: the front matter holds no keys"},
		{"only comments", "---\n# a\n---\n", "p:2:1: the front matter holds no keys"},
		{"status missing", "---\ntitle: x\n---\n", "p:3:1: the front matter has no status"},
		{"status empty", "---\ntitle: x\nstatus:\n---\n", `p:3:8: "" is not a status`},
		{"status unknown", "---\ntitle: x\nstatus:  done # x\n---\n", `p:3:10: "done" is not a status`},
		{"no title", "---\nstatus: draft\n---\ntext\n", "p:2:1: the plan has no title"},
		{"title is a list", "---\ntitle: [a]\nstatus: draft\n---\n", "p:2:8: title: this must be a text"},
		{"title with escape", "---\ntitle: \"a\\eb\"\nstatus: draft\n---\n", "p:2:8: title: the text holds a control character (U+001B)"},
		{"title tagged", "---\ntitle: !!int 5\nstatus: draft\n---\n", "p:2:8: title: a value with an explicit YAML tag"},
		{"priority float", head + "priority: 1e3\n---\n", `p:4:11: priority: "1e3" is not a whole number`},
		{"priority octal", head + "priority: 010\n---\n", `p:4:11: priority: "010" is not a whole number`},
		{"priority quoted", head + "priority: '1'\n---\n", `p:4:11: priority: "1" is not a whole number`},
		{"priority huge", head + "priority: 99999999999\n---\n", `p:4:11: priority: "99999999999" is not a whole number`},
		{"priority date", head + "priority: 2024-01-01\n---\n", `p:4:11: priority: "2024-01-01" is not a whole number`},
		{"attempts zero", head + "max_attempts: 0\n---\n", "p:4:15: max_attempts: 0 is too small"},
		{"budget infinite", head + "budget: .inf\n---\n", `p:4:9: budget: ".inf" is not an amount`},
		{"budget negative", head + "budget: -1\n---\n", `p:4:9: budget: "-1" is not an amount`},
		{"budget in words", head + "budget: 5 USD\n---\n", `p:4:9: budget: "5 USD" is not an amount`},
		{"budget exponent", head + "budget: 1e3\n---\n", `p:4:9: budget: "1e3" is not an amount`},
		{"depends on no list", head + "depends_on: 5\n---\n", "p:4:13: depends_on: this must be a list"},
		{"depends on an octal form", head + "depends_on: [5, 0o7]\n---\n", `p:4:17: depends_on: "0o7" is neither`},
		{"depends on a path", head + "depends_on:\n  - ../x\n---\n", `p:5:5: depends_on: "../x" is neither`},
		{"depends on no", head + "depends_on: [no]\n---\n", `p:4:14: depends_on: "no" is neither`},
		{"depends on itself in a loop", head + "depends_on: &a [*a]\n---\n", "p:4:"},
		{"scope upwards", head + "scope: [../x]\n---\n", `p:4:9: scope: glob "../x": ".." cannot be`},
		{"scope no list", head + "scope: src/**\n---\n", "p:4:8: scope: this must be a list"},
		{"agent path", head + "agent: ../x\n---\n", `p:4:8: agent: "../x" is not an agent`},
		{"agent option", head + "agent: claude:--yes\n---\n", `p:4:8: agent: "claude:--yes" is not an agent`},
		{"agent empty model", head + "agent: 'claude:'\n---\n", `p:4:8: agent: "claude:" is not an agent`},
		{"agents no list", head + "agents: claude\n---\n", "p:4:9: agents: this must be a list"},
		{"profile", head + "profile: fast\n---\n", `p:4:10: profile: "fast" is not a profile`},
		{"preset path", head + "preset: a/b\n---\n", `p:4:9: preset: "a/b" is not a preset's name`},
		{"choose path", head + "choose: ../b\n---\n", `p:4:9: choose: "../b" is not a candidate's id`},
		{"choose anchored", head + "choose: &a b\nscope: [*a]\n---\n", "p:4:9: choose: the value is not a plain one"},
		{"skip without reason", head + "skip: {lint: }\n---\n", `p:4:8: skip: check "lint" is left out without a reason`},
		{"skip list", head + "skip: [lint]\n---\n", "p:4:7: skip: this must name each check"},
		{"base option", head + "base: --x\n---\n", `p:4:7: base: "--x" is not a branch's name`},
		{"base range", head + "base: a..b\n---\n", `p:4:7: base: "a..b" is not a branch's name`},
		{"run block", head + "---\n\n```sh run attempt=two\n```\n", `p:6:1: a run block with "attempt=two"`},
		{"nested without end", head + "---\n\n" + strings.Repeat("> ", 5000) + "run\n", "p:6:1: more lists and quotes"},
		{"colon in a value", "---\nstatus: draft\ntitle: a: b\n---\n", "p:3:1: the front matter is not YAML: mapping values are not allowed"},
		{"tab", head + "skip:\n\tlint: x\n---\n", "p:5:2: the front matter is not YAML"},
		{"open bracket", head + "# c\nscope: [a, b\npriority: 1\n---\n", "p:5:1: the front matter is not YAML"},
		{"open quote", head + "source: \"x\npriority: 1\n---\n", "p:4:1: the front matter is not YAML"},
		{"unknown anchor", head + "scope: *nobody\n---\n", "p:4:1: the front matter is not YAML: unknown anchor"},
		{"reserved sign", head + "source: @x\n---\n", "p:4:1: the front matter is not YAML"},
		{"control character", head + "source: a\x01\n---\n", "p:4:10: the character U+0001 is not allowed"},
		{"hidden line", head + "source: a\u2028scope: [b]\n---\n", "p:4:10: the character U+2028 is not allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse("0007-x", "p", []byte(c.file), "sha1")
			var bad *SyntaxError
			if !errors.As(err, &bad) || p != nil {
				t.Fatalf("Parse gives %+v, %v; want a *SyntaxError", p, err)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error\n%v\nwant\n%s", err, c.want)
			}
			if bad.Hint == "" && c.name != "attempts zero" {
				t.Errorf("%v: no hint", err)
			}
		})
	}
}

func TestConflictMarkersInCodeAreAnExample(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "---\ntitle: x\nstatus: draft\n---\nLike this:\n\n```diff\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n\nHeading\n=======\n")
	if p.Title != "x" {
		t.Errorf("title %q", p.Title)
	}
}

// TestTextID compares with git itself, in both object formats.
func TestTextID(t *testing.T) {
	t.Parallel()
	src := "---\r\ntitle: x\r\nstatus: In Review # c\r\nother:\r\n  status: kept\r\nchoose: a\r\n---\r\nstatus: kept\r\n"
	without := "---\r\ntitle: x\r\nother:\r\n  status: kept\r\n---\r\nstatus: kept\r\n"
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		run := func(stdin string, args ...string) string {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
			return strings.TrimSpace(string(out))
		}
		run("", "init", "-q", "--object-format="+format)
		p, err := Parse("0007-x", "p", []byte(src), format)
		if err != nil {
			t.Fatal(err)
		}
		if want := run(src, "hash-object", "--stdin", "--no-filters"); p.Blob != want {
			t.Errorf("%s: blob %s, git says %s", format, p.Blob, want)
		}
		want := run(without, "hash-object", "--stdin", "--no-filters")
		if got, err := TextID([]byte(src), format); err != nil || got != want || p.TextID != want {
			t.Errorf("%s: text id %s, %v, git says %s", format, got, err, want)
		}
	}
	if _, err := TextID([]byte(src), "md5"); err == nil {
		t.Error("an unknown object format is accepted")
	}
}

func TestTextIDHoldsEverythingElse(t *testing.T) {
	t.Parallel()
	base, err := TextID([]byte("---\ntitle: x\nstatus: draft\n---\nbody\n"), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	for src, same := range map[string]bool{
		"---\ntitle: x\nstatus: approved  # c\n---\nbody\n":    true,
		"---\nstatus: draft\ntitle: x\nchoose:\n---\nbody\n":   true,
		"---\ntitle: x\nstatus:\n  draft\n---\nbody\n":         true,
		"---\ntitle: x\n? status\n: draft\n---\nbody\n":        true,
		"---\ntitle: y\nstatus: draft\n---\nbody\n":            false,
		"---\ntitle: x\nstatus: draft\n---\nbody \n":           false,
		"---\ntitle: x\n# c\nstatus: draft\n---\nbody\n":       false,
		"---\ntitle: x\nstatus: draft\nchoose: |\n  a\n---\nb": false,
	} {
		got, err := TextID([]byte(src), "sha1")
		if err != nil {
			t.Fatal(err)
		}
		if (got == base) != same {
			t.Errorf("%q: the same text id is %v, want %v", src, got == base, same)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse("0001-x", "p", src, "sha1")
		if err != nil {
			var bad *SyntaxError
			if !errors.As(err, &bad) || bad.Msg == "" || !strings.HasPrefix(err.Error(), "p:") {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		if p.Title == "" || strings.ContainsAny(p.Title, "\n\r\x1b") || !strings.HasSuffix(string(src), string(p.Body)) {
			t.Fatalf("%q: title %q, body %q", src, p.Title, p.Body)
		}
		if st, err := StatusOf(src); err != nil || st != p.Status {
			t.Fatalf("%q: StatusOf %s, %v", src, st, err)
		}
		RunBlocks(p.Body, 1)
		Tasks(p.Body)
		Remarks(p.Body)
	})
}
