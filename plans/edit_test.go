package plans

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const body = "\n## Problem\n\nstatus: done\n\n---\nstatus: draft\n---\n\nSetext\n---\n\n```yaml\n---\nstatus: draft\n---\n```\n"

// TestSetStatus: only the value changes. § stands for the value in the file before and after.
func TestSetStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, old string
		to              Status
		want            string
	}{
		{"plain", "---\ntitle: x\nstatus: §\n---\n", "draft", InReview, "in-review"},
		{"two words keep their separator", "---\ntitle: x\nstatus: §\n---\n", "In Review", ChangesRequested, "Changes Requested"},
		{"upper case and underscore", "---\ntitle: x\nstatus: §\n---\n", "IN_REVIEW", ChangesRequested, "CHANGES_REQUESTED"},
		{"upper case of one word", "---\ntitle: x\nstatus: §\n---\n", "DRAFT", InReview, "IN-REVIEW"},
		{"a capital", "---\ntitle: x\nstatus: §\n---\n", "Draft", InReview, "In-Review"},
		{"sentence case", "---\ntitle: x\nstatus: §\n---\n", "In review", ChangesRequested, "Changes requested"},
		{"no separator", "---\ntitle: x\nstatus: §\n---\n", "InReview", ChangesRequested, "ChangesRequested"},
		{"camel case", "---\ntitle: x\nstatus: §\n---\n", "inReview", ChangesRequested, "changesRequested"},
		{"joined, lower case", "---\ntitle: x\nstatus: §\n---\n", "inreview", ChangesRequested, "changesrequested"},
		{"two words to one", "---\ntitle: x\nstatus: §\n---\n", "In Review", Accepted, "Accepted"},
		{"odd separator", "---\ntitle: x\nstatus: §\n---\n", "in - review", ChangesRequested, "changes - requested"},
		{"odd case", "---\ntitle: x\nstatus: §\n---\n", "dRaFt", InReview, "in-review"},
		{"no status at all before", "---\ntitle: x\nstatus: §\n---\n", "whatever", InReview, "in-review"},
		{"double quotes", "---\ntitle: x\nstatus: \"§\"\n---\n", "draft", InReview, "in-review"},
		{"single quotes", "---\ntitle: x\nstatus: '§' \n---\n", "In Review", Failed, "Failed"},
		{"an escape in quotes", "---\ntitle: x\nstatus: \"§\" # c\n---\n", `\x64raft`, InReview, "in-review"},
		{"empty quotes", "---\ntitle: x\nstatus: \"§\"\n---\n", "", Draft, "draft"},
		{"comment behind", "---\ntitle: x\nstatus: §   # draft, approved: see help\nscope: [a,   b]\n---\n", "draft", Approved, "approved"},
		{"comments around", "---\ntitle: x\n# above\nstatus: §\n# below\n\npriority:   2\n---\n", "draft", Approved, "approved"},
		{"CRLF", "---\r\ntitle: x\r\nstatus: §\r\n---\r\nbody\r\n", "draft", InReview, "in-review"},
		{"mixed line ends", "---\r\ntitle: x\nstatus: §\r\npriority: 1\n---\nbody\r\n", "draft", InReview, "in-review"},
		{"byte order mark", "\xef\xbb\xbf---\nstatus: §\ntitle: x\n---\n", "draft", InReview, "in-review"},
		{"no last newline", "---\ntitle: x\nstatus: §\n---", "draft", InReview, "in-review"},
		{"no last newline in the body", "---\ntitle: x\nstatus: §\n---\n# t", "draft", InReview, "in-review"},
		{"rules and keys in the body", "---\ntitle: x\nstatus: §\n---\n" + body, "draft", InReview, "in-review"},
		{"quotes, dates, aligned, odd order", "---\nbudget:     5.0\ntitle: 'it''s'\nstatus:\t §\nwhen: 2024-01-01\ntags: [a,   \"b\"]\nn: 0012\n---\n", "draft", InReview, "in-review"},
		{"quoted key", "---\n\"status\": §\ntitle: x\n---\n", "draft", InReview, "in-review"},
		{"blank before the colon", "---\nstatus : §\ntitle: x\n---\n", "draft", InReview, "in-review"},
		{"explicit key", "---\n? status\n: §\ntitle: x\n---\n", "draft", InReview, "in-review"},
		{"value on the next line", "---\nstatus:\n  §\ntitle: x\n---\n", "draft", InReview, "in-review"},
		{"indented mapping", "---\n  title: x\n  status: §\n---\n", "draft", InReview, "in-review"},
		{"nested status", "---\nother:\n  status: draft\nstatus: §\ntitle: x\n---\n", "draft", InReview, "in-review"},
		{"wide characters before", "---\ntitle: \"🌱 Größe\"\nä: 1 # 🌱\nstatus: §\n---\n", "draft", InReview, "in-review"},
		{"folded text around", "---\ntitle: >-\n  a\n  b\nstatus: §\nnote: |+\n  x\n\n---\n", "draft", InReview, "in-review"},
		{"anchors elsewhere", "---\ntitle: x\na: &a [1]\nb: *a\nstatus: §\n---\n", "draft", InReview, "in-review"},
		{"blanks behind the fences", "--- \ntitle: x\nstatus: §\n---\t\n", "draft", InReview, "in-review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := strings.ReplaceAll(c.file, "§", c.old)
			got, err := SetStatus([]byte(src), c.to)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(c.file, "§", c.want), string(got)); diff != "" {
				t.Error(diff)
			}
			if st, err := StatusOf(got); err != nil || st != c.to {
				t.Errorf("it reads back as %q, %v", st, err)
			}
		})
	}
}

func TestSetStatusOfAnEmptyValue(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"---\ntitle: x\nstatus:\n---\n":                  "---\ntitle: x\nstatus: approved\n---\n",
		"---\ntitle: x\nstatus:   # choose\n---\n":       "---\ntitle: x\nstatus: approved   # choose\n---\n",
		"---\r\nstatus:\r\ntitle: x\r\n---\r\n":          "---\r\nstatus: approved\r\ntitle: x\r\n---\r\n",
		"---\n\"status\" :\npriority:\ntitle: x\n---\n":  "---\n\"status\" : approved\npriority:\ntitle: x\n---\n",
		"---\ntitle: x\nstatus:\n# below\nscope:\n---\n": "---\ntitle: x\nstatus: approved\n# below\nscope:\n---\n",
	} {
		got, err := SetStatus([]byte(in), Approved)
		if err != nil || string(got) != want {
			t.Errorf("SetStatus(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestSetStatusRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		line       int
	}{
		{"no front matter", "# x\n", 1},
		{"no end", "---\nstatus: draft\n", 1},
		{"no status key", "---\ntitle: x\n---\n", 3},
		{"no keys", "---\n---\n", 2},
		{"twice", "---\nstatus: draft\ntitle: x\nstatus: approved\n---\n", 4},
		{"another key twice", "---\nstatus: draft\nmodel: x\nmodel: y\n---\n", 4},
		{"anchor", "---\nstatus: &s draft\nother: *s\n---\n", 2},
		{"alias", "---\nother: &s draft\nstatus: *s\n---\n", 3},
		{"tag", "---\nstatus: !!str draft\n---\n", 2},
		{"block text", "---\nstatus: |\n  draft\n---\n", 2},
		{"folded text", "---\nstatus: >-\n  draft\n---\n", 2},
		{"plain over two lines", "---\nstatus: in\n  review\n---\n", 2},
		{"quoted over two lines", "---\nstatus: \"in\n  review\"\n---\n", 2},
		{"flow", "---\n{status: draft, title: x}\n---\n", 2},
		{"list", "---\nstatus: [draft]\n---\n", 2},
		{"mapping", "---\nstatus:\n  a: b\n---\n", 3},
		{"second document", "---\nstatus: draft\n--- x\ntitle: y\n---\n", 3},
		{"conflict", "---\n<<<<<<< a\nstatus: draft\n=======\nstatus: failed\n>>>>>>> b\n---\n", 2},
		{"line separator hides a key", "---\ntitle: x\nstatus: draft\u2028scope: [a]\n---\n", 3},
		{"lone carriage return hides a key", "---\ntitle: x\nstatus: draft\rscope: [a]\n---\n", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := SetStatus([]byte(c.file), InReview)
			var bad *SyntaxError
			if !errors.As(err, &bad) || out != nil {
				t.Fatalf("SetStatus gives %q, %v; want a *SyntaxError", out, err)
			}
			if bad.Line != c.line {
				t.Errorf("%v: line %d, want %d", err, bad.Line, c.line)
			}
			if bad.Hint == "" {
				t.Errorf("%v: no hint", err)
			}
		})
	}
	if _, err := SetStatus([]byte("---\nstatus: draft\n---\n"), "nonsense"); err == nil {
		t.Error("an unknown status is accepted")
	}
}

func TestSetScalar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, value, want string }{
		{"---\ntitle: x\nstatus: draft\n---\n", "claude-opus", "---\ntitle: x\nstatus: draft\nchoose: claude-opus\n---\n"},
		{"---\r\ntitle: x\r\nstatus: draft\r\n---", "claude", "---\r\ntitle: x\r\nstatus: draft\r\nchoose: claude\r\n---"},
		{"---\n  title: x\n  status: draft\n  # last\n---\n", "a", "---\n  title: x\n  status: draft\n  # last\n  choose: a\n---\n"},
		{"---\ntitle: x\nchoose: a # mine\nstatus: draft\n---\n", "b-2", "---\ntitle: x\nchoose: b-2 # mine\nstatus: draft\n---\n"},
		{"---\ntitle: x\nchoose: 'a'\nstatus: draft\n---\n", "b'c", "---\ntitle: x\nchoose: 'b''c'\nstatus: draft\n---\n"},
		{"---\ntitle: x\nchoose: \"a\"\nstatus: draft\n---\n", `b"\c`, "---\ntitle: x\nchoose: \"b\\\"\\\\c\"\nstatus: draft\n---\n"},
		{"---\ntitle: x\nchoose:\nstatus: draft\n---\n", "no", "---\ntitle: x\nchoose: 'no'\nstatus: draft\n---\n"},
		{"---\ntitle: x\nstatus: draft\n---\n", "0012", "---\ntitle: x\nstatus: draft\nchoose: '0012'\n---\n"},
		{"---\ntitle: x\nstatus: draft\n---\n", "a # b", "---\ntitle: x\nstatus: draft\nchoose: 'a # b'\n---\n"},
		{"---\ntitle: x\nstatus: draft\nnote: |\n  text\n\n---\n", "a", "---\ntitle: x\nstatus: draft\nnote: |\n  text\n\nchoose: a\n---\n"},
	} {
		got, err := SetScalar([]byte(c.in), "choose", c.value)
		if err != nil {
			t.Errorf("SetScalar(%q, %q): %v", c.in, c.value, err)
			continue
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("SetScalar(%q, %q):\n%s", c.in, c.value, diff)
		}
	}
	for _, value := range []string{"", "a\nb", "a\x00", "a\u2028b"} {
		if got, err := SetScalar([]byte("---\ntitle: x\nstatus: draft\n---\n"), "choose", value); err == nil {
			t.Errorf("SetScalar of %q gives %q", value, got)
		}
	}
	if got, err := SetScalar([]byte("---\ntitle: x\nstatus: DRAFT\n---\n"), "status", "in review"); err != nil || !strings.Contains(string(got), "status: IN-REVIEW\n") {
		t.Errorf("SetScalar of status gives %q, %v", got, err)
	}
}

// drawPlan makes a readable plan of many shapes.
func drawPlan(t *rapid.T) []byte {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	lines := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"# a comment", "priority: 3  # why", "depends_on: [0005, 7]", "scope:\n  - src/**\n  - '!gen/'", "unknown: 'kept'", "", "tags: [a,   b]",
		"note: |\n  ---x\n  status: failed", "folded: >-\n  a\n  b", "base: main", "budget: 2.50", "agent: claude:opus", "\"quoted key\": \"\\u0041\"",
		"emoji: 🌱 # 🌱", "nested:\n    status: draft", "choose: claude # picked", "anchor: &a 1\nalias: *a", "date: 2024-01-01", "empty:",
	}), 0, 8, func(s string) string { return s }).Draw(t, "lines")
	title := rapid.SampledFrom([]string{"title: x", "title: 'it''s'", "title: \"a \\\"b\\\"\"", "title: 0012", "title: no # really"}).Draw(t, "title")
	words := rapid.SampledFrom([]string{
		"draft", "Draft", "IN_REVIEW", "in review", "In Review", "inReview", "changes-requested", "'approved'", "\"In Review\"", "MERGED",
	}).Draw(t, "status")
	behind := rapid.SampledFrom([]string{"", " ", "  # comment: here", "\t# x"}).Draw(t, "behind")
	before := rapid.SampledFrom([]string{" ", "   ", " \t"}).Draw(t, "before")
	at := rapid.IntRange(0, len(lines)).Draw(t, "at")
	all := append(append(append([]string{}, lines[:at]...), title, "status:"+before+words+behind), lines[at:]...)
	text := strings.ReplaceAll("---\n"+strings.Join(all, "\n")+"\n---", "\n", eol)
	bom := rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(t, "bom")
	tail := rapid.SampledFrom([]string{"", "\n", "\r\n", "\n# h\r\nstatus: draft\n---\n", "\n\n## Problem\n\n- [ ] a\nno end"}).Draw(t, "tail")
	return []byte(bom + text + tail)
}

// TestSetStatusProperties: whatever the file looks like, an edit changes the status and nothing else, and setting the old
// status again brings back every byte where the words allow it.
func TestSetStatusProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := drawPlan(t)
		before, err := Parse("0001-x", "p", src, "sha1")
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		to := rapid.SampledFrom(Statuses()).Draw(t, "to")
		if err := checkEdit(before, to); err != nil {
			t.Fatal(err)
		}
		same, err := SetStatus(src, before.Status)
		if err != nil || string(same) != string(src) {
			t.Fatalf("setting %s again changes %q to %q (%v)", before.Status, src, same, err)
		}
	})
}

// checkEdit holds what every edit of a readable plan must keep.
func checkEdit(before *Plan, to Status) error {
	out, err := SetStatus(before.Text, to)
	if err != nil {
		return fmt.Errorf("%q is readable, but its status cannot be set: %w", before.Text, err)
	}
	after, err := Parse(before.Key, before.Path, out, "sha1")
	if err != nil {
		return fmt.Errorf("%q became %q: %w", before.Text, out, err)
	}
	if after.Status != to || after.TextID != before.TextID {
		return fmt.Errorf("%q became %q: status %s, text id %s", before.Text, out, after.Status, after.TextID)
	}
	oldLines, newLines := strings.SplitAfter(string(before.Text), "\n"), strings.SplitAfter(string(out), "\n")
	changed := 0
	for i := range min(len(oldLines), len(newLines)) {
		if oldLines[i] != newLines[i] {
			changed++
		}
	}
	if len(oldLines) != len(newLines) || changed > 1 {
		return fmt.Errorf("%q became %q: %d lines changed", before.Text, out, changed)
	}
	b, a := *before, *after
	a.Status, a.Blob, a.Text, a.Body = b.Status, b.Blob, b.Text, b.Body
	if !slices.Equal(before.Body, after.Body) || !cmp.Equal(a, b) {
		return fmt.Errorf("%q became %q: %s", before.Text, out, cmp.Diff(b, a))
	}
	return nil
}

func FuzzSetStatus(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(5))
	}
	f.Fuzz(func(t *testing.T, src []byte, n uint8) {
		to := Statuses()[int(n)%len(Statuses())]
		if p, err := Parse("0001-x", "p", src, "sha1"); err == nil {
			if err := checkEdit(p, to); err != nil {
				t.Fatal(err)
			}
			return
		}
		out, err := SetStatus(src, to)
		if err != nil {
			return
		}
		if st, err := StatusOf(out); err != nil || st != to {
			t.Fatalf("%q became %q: %s, %v", src, out, st, err)
		}
	})
}
