// Package md reads Markdown through goldmark and writes the few pieces of it that Tendril generates, so that nothing else
// looks at Markdown with string matching and no text of a stranger's becomes structure. It imports no room.
package md

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blocks knows the blocks of CommonMark, and of what stands within them only task boxes and code spans: links and emphasis
// take a parser a time that grows with the square of a hostile text's length, and its words are not needed for structure.
// goldmark's parser may be used by several goroutines.
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(parser.NewCodeSpanParser(), 100)),
	)
})

// inlines knows everything of CommonMark; only short texts go through it.
var inlines = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...))
})

// maxDepth is how many quotes and list entries may begin on one line.
const maxDepth = 100

// TooDeep returns the line, from 1, on which more quotes and lists begin within each other than any person writes, 0 where
// there is none. Such a text would keep a parser busy for hours: the functions of this package find nothing in it.
func TooDeep(src []byte) int {
	line := 0
	for rest := range bytes.Lines(src) {
		line++
		for depth := 0; ; depth++ {
			if depth > maxDepth {
				return line
			}
			rest = bytes.TrimLeft(rest, " \t")
			n := marker(rest)
			if n == 0 {
				break
			}
			rest = rest[n:]
		}
	}
	return 0
}

// marker is the length of the mark of a quote or a list entry that a text begins with.
func marker(s []byte) int {
	n := 0
	for n < len(s) && n < 10 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n == len(s):
		return 0
	case n == 0 && s[0] == '>':
		return 1
	case n == 0 && (s[0] == '-' || s[0] == '+' || s[0] == '*'), n > 0 && (s[n] == '.' || s[n] == ')'):
		if n+1 < len(s) && (s[n+1] == ' ' || s[n+1] == '\t') {
			return n + 1
		}
	}
	return 0
}

func parse(src []byte) ast.Node {
	if TooDeep(src) > 0 {
		src = nil
	}
	return blocks().Parse(text.NewReader(src))
}

// each visits every node below root, parents first.
func each(root ast.Node, visit func(ast.Node)) {
	// The visitor never fails and never stops, so neither does Walk.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// Title returns the text of the first heading that has any, as one line without its markup; "" where there is none.
func Title(src []byte) string {
	title := ""
	each(parse(src), func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok && title == "" {
			title = unmark(raw(h, src))
		}
	})
	return title
}

// Fence is one fenced code block.
type Fence struct {
	// Info is what stands behind the opening fence, trimmed; Text the content.
	Info, Text string
	// Line is the opening fence's, from 1.
	Line int
}

// Fences returns the fenced code blocks that have an info string, in the order of the text.
func Fences(src []byte) []Fence {
	var out []Fence
	lines := newLineIndex(src)
	each(parse(src), func(n ast.Node) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || block.Info == nil {
			return
		}
		var content bytes.Buffer
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			content.Write(line.Value(src))
		}
		out = append(out, Fence{
			Info: strings.TrimSpace(string(block.Info.Segment.Value(src))), Text: content.String(),
			Line: lines.at(block.Info.Segment.Start),
		})
	})
	return out
}

// Task is one entry of a task list.
type Task struct {
	Text string
	Done bool
}

// Tasks returns the entries of the task lists, in the order of the text.
func Tasks(src []byte) []Task {
	var out []Task
	each(parse(src), func(n ast.Node) {
		if box, ok := n.(*extast.TaskCheckBox); ok {
			_, words, _ := strings.Cut(raw(box.Parent(), src), "]")
			out = append(out, Task{Text: unmark(fold(words)), Done: box.IsChecked})
		}
	})
	return out
}

// Range is a part of a text: bytes Start up to End.
type Range struct{ Start, End int }

// Code returns where code stands: the lines of code blocks and the insides of code spans, in the order of the text.
func Code(src []byte) []Range {
	var out []Range
	add := func(s text.Segment) { out = append(out, Range{s.Start, s.Stop}) }
	each(parse(src), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				add(n.Lines().At(i))
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					add(t.Segment)
				}
			}
		}
	})
	return out
}

// In tells whether offset lies in one of the ranges.
func In(ranges []Range, offset int) bool {
	for _, r := range ranges {
		if offset >= r.Start && offset < r.End {
			return true
		}
	}
	return false
}

// LineAt returns the line, from 1, that holds the byte at offset.
func LineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(max(offset, 0), len(src))], []byte{'\n'})
}

// maxInline is the length up to which a heading's or a task's text is freed of its markup.
const maxInline = 2 << 10

// lineIndex answers LineAt many times: where each line begins.
type lineIndex []int

func newLineIndex(src []byte) lineIndex {
	index := lineIndex{0}
	for i, c := range src {
		if c == '\n' {
			index = append(index, i+1)
		}
	}
	return index
}

func (l lineIndex) at(offset int) int {
	n, found := slices.BinarySearch(l, offset)
	if found {
		n++
	}
	return n
}

// raw is the source of a block's lines, as one line.
func raw(n ast.Node, src []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(src))
		b.WriteByte(' ')
	}
	return fold(b.String())
}

// unmark returns the words of one line of Markdown without its markup. A line longer than any title stays as it is.
func unmark(line string) string {
	if len(line) > maxInline {
		return line
	}
	// As a heading with its closing mark, nothing in the line can begin another block.
	src := []byte("# " + line + " #")
	var b strings.Builder
	each(inlines().Parse(text.NewReader(src)), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(src)
			if _, code := n.Parent().(*ast.CodeSpan); !code {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			b.Write(value)
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		}
	})
	return fold(b.String())
}
