package md

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"
)

func TestSections(t *testing.T) {
	t.Parallel()
	src := []byte("before\n\n## One *two*\n\ntext\n\n### deeper\n\nmore\n\nTwo\n---\nafter\n\n```\n## no\n```\n\n# Up\n\nlost\n\n## Last")
	type flat struct {
		title string
		line  int
		body  string
	}
	sections := func(src []byte, level int) []flat {
		var out []flat
		for _, s := range Sections(src, level) {
			out = append(out, flat{s.Title, s.Line, string(src[s.Body.Start:s.Body.End])})
		}
		return out
	}
	want := []flat{
		{"One two", 3, "\ntext\n\n### deeper\n\nmore\n\n"}, {"Two", 11, "after\n\n```\n## no\n```\n\n"}, {"Up", 19, "\nlost\n\n"}, {"Last", 23, ""},
	}
	if got := sections(src, 2); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := sections([]byte("none"), 2); got != nil {
		t.Errorf("got %+v", got)
	}
	// An empty heading is none; lines may end in CRLF.
	if got := sections([]byte("a\r\n\r\n## B\r\nc\r\n##\r\n"), 2); !slices.Equal(got, []flat{{"B", 3, "c\r\n##\r\n"}}) {
		t.Errorf("got %+v", got)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	src := []byte("- a `b`\n  c\n- d\n\n  second\n\n1. e\n   - f\n\n-\n\n```\n- no\n```\n")
	want := []Item{{"a `b` c", 1}, {"d", 3}, {"e", 7}, {"f", 8}}
	if diff := cmp.Diff(want, Items(src)); diff != "" {
		t.Error(diff)
	}
}

func TestLineAt(t *testing.T) {
	t.Parallel()
	for offset, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 3: 3, 99: 3} {
		if got := LineAt([]byte("a\n\nb"), offset); got != want {
			t.Errorf("LineAt(%d) = %d, want %d", offset, got, want)
		}
	}
}

// render is what a forge makes of Markdown, tables included.
func render(t interface{ Fatal(...any) }, src string) string {
	var b strings.Builder
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(src), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextIsOneCellAndNoMarkup(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"plain words", "a | b", `a \| b`, "`code` *em* _em_ __x__ [a](b) ![c](d) ~~s~~ <b>x</b> <!-- c --> &amp; &lt; # h $m$", "a\nb\n| --- |", "-->",
		"<!-- tendril:board:end -->", "x\\", "http://example.com",
	} {
		html := render(t, "| h |\n| --- |\n| "+Text(s)+" |\n\nend\n")
		words := strings.Join(strings.Fields(s), " ")
		want := "<td>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(words) + "</td>"
		if strings.HasPrefix(words, "http") {
			want = `<td><a href="` + words + `">` + words + "</a></td>"
		}
		if strings.Count(html, "<td>") != 1 || !strings.Contains(html, want) {
			t.Errorf("Text(%q) = %q renders as\n%s", s, Text(s), html)
		}
	}
}

func TestTextNeverLeavesItsCell(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab|\\`*_[]()<>!&;#~$\n\r\t -+=:\x1b\u2028\"'1."))).Draw(t, "s")
		html := render(t, "| h | i |\n| --- | --- |\n| "+Text(s)+" | marker |\n\nend\n")
		if strings.Count(html, "<td") != 2 || strings.Count(html, "<tr") != 2 || !strings.Contains(html, "<td>marker</td>") || !strings.Contains(html, "<p>end</p>") {
			t.Fatalf("Text(%q) = %q renders as\n%s", s, Text(s), html)
		}
		for _, tag := range []string{"<em", "<strong", "<code", "<img", "<del", "<!--", "<b>"} {
			if strings.Contains(html, tag) {
				t.Fatalf("Text(%q) = %q makes %s:\n%s", s, Text(s), tag, html)
			}
		}
	})
}

func TestNothingBreaksOutOfACodeBlock(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"a\nb\n":                "```text\na\nb\n```\n",
		"":                      "```text\n\n```\n",
		"```\n# out\n```":       "````text\n```\n# out\n```\n````\n",
		"a\r\nb\rc\x1b[0m\x00d": "```text\na\nb\nc[0md\n```\n",
	} {
		if got := CodeBlock("text", s); got != want {
			t.Errorf("CodeBlock(%q) = %q, want %q", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("a`~\n\r \t#<>-\x00"))).Draw(t, "s")
		fences := Fences([]byte(CodeBlock("text", s) + "\nend\n"))
		if len(fences) != 1 || !strings.HasSuffix(render(t, CodeBlock("text", s)+"\nend\n"), "</code></pre>\n<p>end</p>\n") {
			t.Fatalf("%q breaks out of\n%s", s, CodeBlock("text", s))
		}
	})
}

// TestHostileTextsAreReadInTime: each of these kept a Markdown parser busy for hours at the size of a plan.
func TestHostileTextsAreReadInTime(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, part := range []string{"[a](", "[x](<", "> ", "1. ", "- ", "* > ", "[a]: b\n", "![", "*_", "# a\n"} {
			src := []byte(strings.Repeat(part, 128<<10/len(part)))
			Fences(src)
			Tasks(src)
			Title(src)
			Code(src)
			Items(src)
			Sections(src, 2)
		}
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("the parser is still busy")
	}
}

func TestTooDeep(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]int{
		"":                                    0,
		"a\n- b\n  > c\n":                     0,
		strings.Repeat("> ", 99) + "x":        0,
		strings.Repeat("* ", 90):              0,
		"a\n" + strings.Repeat(">", 101):      2,
		"a\n\n" + strings.Repeat("- 1) ", 51): 3,
		strings.Repeat("-", 500):              0,
		strings.Repeat("1234567890", 20):      0,
		"1.":                                  0,
		"-":                                   0,
	} {
		if got := TooDeep([]byte(src)); got != want {
			t.Errorf("TooDeep(%q) = %d, want %d", src, got, want)
		}
	}
	if Title([]byte("# a\n"+strings.Repeat(">", 500))) != "" {
		t.Error("a text that is too deep is read")
	}
}

func TestUnmark(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"": "", "#": "#", "# #": "# #", "a #": "a #", "- a": "- a", "1. a": "1. a", "> a": "> a", "`a*b`": "a*b", "*a* __b__": "a b", "a\\*b": "a*b",
		"[l](u) ![i](u) <http://x>": "l i http://x", "&amp; &#35; &copy;": "& # ©", "a<b>c": "ac", "```": "```", "===": "===",
		strings.Repeat("*a* ", 1000): strings.Repeat("*a* ", 1000),
	} {
		if got := unmark(line); got != want {
			t.Errorf("unmark(%q) = %q, want %q", line, got, want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("# a\n\n- [ ] x\n\n```sh run\ny\n```\n\n> ## q\n\nT\n---\n`a\nb`\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		Title(src)
		Tasks(src)
		Items(src)
		for _, r := range Code(src) {
			if r.Start < 0 || r.End < r.Start || r.End > len(src) {
				t.Fatalf("%q: range %v", src, r)
			}
		}
		for _, s := range Sections(src, 2) {
			if s.Line < 1 || s.Line > 1+strings.Count(string(src), "\n") || s.Start < 0 || s.Body.Start < s.Start || s.Body.End < s.Body.Start {
				t.Fatalf("%q: section %+v", src, s)
			}
		}
		for _, x := range Fences(src) {
			if x.Line < 1 || x.Line > 1+strings.Count(string(src), "\n") {
				t.Fatalf("%q: fence %+v", src, x)
			}
		}
	})
}
