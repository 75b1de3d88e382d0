package plans

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tendril/internal/md"
)

func TestBoard(t *testing.T) {
	t.Parallel()
	rows := []BoardRow{
		{Key: "0012-old", Title: "Old", Status: Merged},
		{Key: "0003-b", Title: "Evil | title <!-- tendril:board:end --> [x](y)\nnext", Status: InReview, Note: "UNVERIFIED", Files: []string{"verification.md", "changes.diff"}},
		{Key: "0002-a", Title: "A", Status: InReview},
		{Key: "0004-c", Title: "C", Status: Failed, Note: "checks: test | exit 1"},
		{Key: "0001-d", Title: "D", Status: Draft},
		{Key: "0005-e", Title: "E", Status: Executing},
		{Key: "0006-f", Title: "0006-f", Note: "plan.md:2:1: unresolved conflict markers"},
		{Key: "0013-new", Title: "New", Status: Merged},
	}
	const want = `# Plans

<!-- tendril:board:begin -->
<!-- Written by Tendril: what is changed here is overwritten. -->

## Waiting for you

### cannot be read

| plan | title | |
| --- | --- | --- |
| [0006-f](0006-f/plan.md) | 0006-f | plan.md:2:1: unresolved conflict markers |

### in-review

| plan | title | |
| --- | --- | --- |
| [0002-a](0002-a/plan.md) | A |  |
| [0003-b](0003-b/plan.md) | Evil &#124; title &lt;\!-- tendril:board:end --&gt; \[x\](y) next | UNVERIFIED · [verification](0003-b/verification.md) · [changes.diff](0003-b/changes.diff) |

### failed

| plan | title | |
| --- | --- | --- |
| [0004-c](0004-c/plan.md) | C | checks: test &#124; exit 1 |

## At work

### executing

| plan | title | |
| --- | --- | --- |
| [0005-e](0005-e/plan.md) | E |  |

## Not started

### draft

| plan | title | |
| --- | --- | --- |
| [0001-d](0001-d/plan.md) | D |  |

## Done

### merged

| plan | title | |
| --- | --- | --- |
| [0013-new](0013-new/plan.md) | New |  |
| [0012-old](0012-old/plan.md) | Old |  |

<!-- tendril:board:end -->
`
	got, err := Board(rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	again, err := Board(rows, got)
	if err != nil || string(again) != string(got) {
		t.Errorf("made again it differs (%v):\n%s", err, cmp.Diff(string(got), string(again)))
	}
}

func TestBoardLeavesThePersonsPageAlone(t *testing.T) {
	t.Parallel()
	board, err := Board([]BoardRow{{Key: "0001-x", Title: "X", Status: Draft}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, inner, _ := strings.Cut(string(board), BoardBegin+"\n")
	inner, _, _ = strings.Cut(inner, BoardEnd)
	const example = "```\n" + BoardBegin + "\n" + BoardEnd + "\n```\n"
	for _, c := range []struct{ page, want string }{
		{"", "# Plans\n\n§"},
		{"My page.\n", "My page.\n\n§"},
		{"My page.", "My page.\n\n§"},
		{"My page.\n\n", "My page.\n\n§"},
		{"A\n" + BoardBegin + "\nold\n" + BoardEnd + "\nB", "A\n§B"},
		{"A\n  " + BoardBegin + "  \n\t" + BoardEnd, ""},
		{example + "x\n", example + "x\n\n§"},
		{example + BoardBegin + "\n" + BoardEnd + "\n" + example, example + "§" + example},
		{"\xef\xbb\xbf" + BoardBegin + "\n" + BoardEnd + "\n", "\xef\xbb\xbf§"},
		{"Inline " + BoardBegin + " here\n", "Inline " + BoardBegin + " here\n\n§"},
	} {
		if c.want == "" {
			c.want = "A\n  " + BoardBegin + "  \n" + inner + "\t" + BoardEnd
		}
		got, err := Board([]BoardRow{{Key: "0001-x", Title: "X", Status: Draft}}, []byte(c.page))
		want := strings.ReplaceAll(c.want, "§", BoardBegin+"\n"+inner+BoardEnd+"\n")
		if err != nil || string(got) != want {
			t.Errorf("%q: %v\n%s", c.page, err, cmp.Diff(want, string(got)))
		}
	}
	got, err := Board(nil, []byte("A\r\n\r\nB\r\n"))
	if err != nil || strings.Count(string(got), "\n") != strings.Count(string(got), "\r\n") || !strings.HasPrefix(string(got), "A\r\n\r\nB\r\n\r\n<!--") {
		t.Errorf("CRLF: %q, %v", got, err)
	}
	if !strings.Contains(string(got), "No plans yet") {
		t.Errorf("an empty board: %q", got)
	}
}

func TestBoardRefusesMarkersThatDoNotPairUp(t *testing.T) {
	t.Parallel()
	for page, line := range map[string]int{
		"A\n" + BoardBegin + "\nB\n":                                              2,
		"A\n\n" + BoardEnd + "\n":                                                 3,
		BoardBegin + "\n" + BoardBegin + "\n" + BoardEnd + "\n":                   2,
		BoardBegin + "\n" + BoardEnd + "\n" + BoardEnd + "\n":                     3,
		BoardEnd + "\n" + BoardBegin + "\n":                                       1,
		BoardBegin + "\n" + BoardEnd + "\n\n" + BoardBegin + "\n" + BoardEnd + "": 4,
	} {
		got, err := Board(nil, []byte(page))
		var bad *SyntaxError
		if !errors.As(err, &bad) || got != nil || bad.Line != line || bad.Path != "README.md" || bad.Hint == "" {
			t.Errorf("%q: %q, %v", page, got, err)
		}
	}
}

func TestBoardStaysReadable(t *testing.T) {
	t.Parallel()
	var rows []BoardRow
	for i := range 2000 {
		rows = append(rows, BoardRow{Key: MakeKey(i, "x"), Title: "x", Status: Merged})
	}
	got, err := Board(rows, nil)
	if err != nil || strings.Count(string(got), "](") != boardDone || !strings.Contains(string(got), "[1999-x]") || !strings.Contains(string(got), fmt.Sprintf("And %d older.", 2000-boardDone)) {
		t.Errorf("got %d links, %v", strings.Count(string(got), "]("), err)
	}
}

// TestNoTitleBreaksTheBoard: whatever plans are called, all around the board stays, and the board can be made again.
func TestNoTitleBreaksTheBoard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.StringOf(rapid.SampledFrom([]rune("ab`~#-=|>\n\r\t \\*_[](){}<!&\x1b\u0000\u2028:é")))
		part := rapid.SampledFrom([]string{BoardEnd, BoardBegin, "-->", "\n\n# x\n", "| a | b |", "a"})
		rows := []BoardRow{{
			Key: "0001-x", Status: rapid.SampledFrom(append(Statuses(), "")).Draw(t, "status"),
			Title: hostile.Draw(t, "a") + part.Draw(t, "b") + hostile.Draw(t, "c"), Note: hostile.Draw(t, "d") + part.Draw(t, "e"), Files: []string{hostile.Draw(t, "f")},
		}, {Key: "0002-y", Status: Draft, Title: "end"}}
		page := "before\n\n" + BoardBegin + "\nold\n" + BoardEnd + "\n\nafter\n"
		got, err := Board(rows, []byte(page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(got), "before\n\n"+BoardBegin+"\n") || !strings.HasSuffix(string(got), BoardEnd+"\n\nafter\n") {
			t.Fatalf("the page around is\n%s", got)
		}
		again, err := Board(rows, got)
		if err != nil || string(again) != string(got) {
			t.Fatalf("made again: %v\n%s", err, cmp.Diff(string(got), string(again)))
		}
		headings := 4
		if rows[0].Status == Draft || rows[0].Status == Icebox {
			headings = 3 - map[Status]int{Draft: 1}[rows[0].Status]
		}
		if s := md.Sections(got, 6); len(s) != headings {
			t.Fatalf("%d headings, want %d, in\n%s", len(s), headings, got)
		}
	})
}
