package plans

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestNew(t *testing.T) {
	t.Parallel()
	got := string(New("Add a search button", "## Problem\n\nNone can find a thing.\n"))
	want := "---\ntitle: Add a search button\n# draft, approved, … : see tendril help states\nstatus: draft\n# more: " +
		"priority, depends_on, scope, agent, profile, skip, max_attempts, base\n---\n## Problem\n\nNone can find a thing.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p := mustParse(t, string(New("x", "")))
	if len(Tasks(p.Body)) != 1 || !strings.Contains(string(p.Body), "## Approach\n") {
		t.Errorf("the empty plan's body is %q", p.Body)
	}
}

func TestNewQuotesWhatYAMLWouldTwist(t *testing.T) {
	t.Parallel()
	for title, line := range map[string]string{
		"fix: the thing":           "title: 'fix: the thing'",
		"0012":                     "title: '0012'",
		"no":                       "title: 'no'",
		"2024-01-01":               "title: '2024-01-01'",
		"it's # 1":                 "title: 'it''s # 1'",
		"it's 1":                   "title: it's 1",
		"[x] {y}":                  "title: '[x] {y}'",
		"🌱 Größe":                  "title: 🌱 Größe",
		"two\nlines\x00 and more":  "title: two lines and more",
		"- x":                      "title: '- x'",
		"x\"; touch P; $(touch Q)": "title: x\"; touch P; $(touch Q)",
		"---":                      "title: ---",
		"":                         "title: ''",
	} {
		src := string(New(title, "# t"))
		if !strings.Contains(src, "\n"+line+"\n") {
			t.Errorf("New(%q) has\n%s\nwant the line\n%s", title, src, line)
		}
	}
}

func TestEveryTitleMakesAReadablePlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		p, err := Parse("0001-x", "p", New(title, "# heading\n"), "sha1")
		if err != nil {
			t.Fatalf("%q: %v", title, err)
		}
		words := strings.FieldsFunc(title, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\u2028\u2029\ufeff\ufffe\uffff", r)
		})
		want := strings.Join(words, " ")
		if want == "" {
			want = "heading"
		}
		if p.Title != want || p.Status != Draft {
			t.Fatalf("%q reads as %q, %s", title, p.Title, p.Status)
		}
	})
}
