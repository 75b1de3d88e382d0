// Package md reads Markdown through goldmark and writes the few pieces of it that Tendril generates, so that nothing else
// looks at Markdown with string matching and no text of a stranger's becomes structure. It imports no room.
package md

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser is CommonMark and task lists. goldmark's parser may be used by several goroutines.
var markdownParser = sync.OnceValue(func() parser.Parser {
	inlines := append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewTaskCheckBoxParser(), 0))
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

func parse(src []byte) ast.Node { return markdownParser().Parse(text.NewReader(src)) }

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
			title = plain(h, src)
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
			Line: LineAt(src, block.Info.Segment.Start),
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
			out = append(out, Task{Text: plain(box.Parent(), src), Done: box.IsChecked})
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

// plain is the text below n without its markup, white space folded to single spaces.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	each(n, func(c ast.Node) {
		switch c := c.(type) {
		case *ast.Text:
			value := c.Segment.Value(src)
			if _, code := c.Parent().(*ast.CodeSpan); !code {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			b.Write(value)
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.Label(src))
		}
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
