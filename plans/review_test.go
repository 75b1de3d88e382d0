package plans

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const reviewPage = `# Review

Words before any round.

## Round 1, 2026-11-29, Pat Person

Please rename it.

- src/a.go:12: too long
- ` + "`src/b.go`:3: why?" + `
- no comment: this
- src/c.go:0: no line
- C:/x/d.go:7: drive
- src/e.go:5:
- on two
  lines src/f.go:9: not a path with spaces? it is one

` + "```\n## Round 9, 2026-01-01, an example\n- x:1: y\n```" + `

## What I liked

Much.

- src/g.go:1: this

# Round 2, 2026-11-30, Größe, Inc.
`

func TestParseReview(t *testing.T) {
	t.Parallel()
	for _, src := range []string{reviewPage, strings.ReplaceAll(reviewPage, "\n", "\r\n")} {
		rounds, err := ParseReview([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if len(rounds) != 2 {
			t.Fatalf("got %d rounds", len(rounds))
		}
		one, two := rounds[0], rounds[1]
		if one.Number != 1 || one.By != "Pat Person" || one.Date != time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC) {
			t.Errorf("got %+v", one)
		}
		if two.Number != 2 || two.By != "Größe, Inc." || len(two.Text) != 0 || two.Comments != nil {
			t.Errorf("got %+v", two)
		}
		text := string(one.Text)
		if !strings.HasPrefix(text, "Please rename it.") || !strings.HasSuffix(text, "- src/g.go:1: this") || !strings.Contains(text, "## What I liked") {
			t.Errorf("the text is %q", text)
		}
		want := []Comment{
			{"src/a.go", 12, "too long"},
			{"src/b.go", 3, "why?"},
			{"C:/x/d.go", 7, "drive"},
			{"src/e.go", 5, ""},
			{"on two lines src/f.go", 9, "not a path with spaces? it is one"},
			{"src/g.go", 1, "this"},
		}
		if diff := cmp.Diff(want, one.Comments); diff != "" {
			t.Error(diff)
		}
	}
	if rounds, err := ParseReview(nil); err != nil || rounds != nil {
		t.Errorf("an empty file: %v, %v", rounds, err)
	}
}

func TestParseReviewRefuses(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"x\n\n## Round 1\n":                   `3:1: "Round 1" is not a round's heading`,
		"## Round 1, yesterday, Pat\n":        `1:1: "Round 1, yesterday, Pat" is not a round's heading`,
		"## Round 0, 2026-11-30, Pat\n":       `1:1: "Round 0, 2026-11-30, Pat" is not a round's heading`,
		"## Round 1, 2026-11-30, P\n\n\xff\n": "3:1: not UTF-8",
	} {
		_, err := ParseReview([]byte(src))
		var bad *SyntaxError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	for _, src := range []string{"## Rounds of talks\n", "## Round trips\n", "### Round 1\n", "> ## Round 1\n"} {
		if rounds, err := ParseReview([]byte(src)); err != nil || rounds != nil {
			t.Errorf("%q: %v, %v", src, rounds, err)
		}
	}
}

func TestAppendReview(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	r := Round{Number: 1, Date: when, By: "Pat\nPerson", Text: []byte("\nPlease.\n\n"), Comments: []Comment{{"a.go", 3, "too\nlong"}}}
	const want = "## Round 1, 2026-11-30, Pat Person\n\nPlease.\n\n- a.go:3: too long\n"
	for before, between := range map[string]string{"": "", "x": "\n\n", "x\n": "\n", "x\n\n": ""} {
		if got := string(AppendReview([]byte(before), r)); got != before+between+want {
			t.Errorf("after %q: %q", before, got)
		}
	}
	page := AppendReview(AppendReview(nil, r), Round{Number: 2, Date: when, By: "A *b* <c>"})
	rounds, err := ParseReview(page)
	if err != nil || len(rounds) != 2 || rounds[1].By != "A *b* <c>" || !cmp.Equal(rounds[0].Comments, []Comment{{"a.go", 3, "too long"}}) {
		t.Errorf("%q reads as %+v, %v", page, rounds, err)
	}
}
