package term

import (
	"io"
	"slices"

	"github.com/cli/go-gh/v2/pkg/tableprinter"
	"github.com/cli/go-gh/v2/pkg/text"
)

// Table prints rows in columns that fit the terminal; to anything else tab-separated values without headers, uncut.
type Table struct {
	w       io.Writer
	info    Info
	headers []string
	rows    [][]Cell
	whole   []int
	drop    []int
}

// Cell is one field of a row.
type Cell struct {
	Text  string
	Style Style
}

// NewTable begins a table on w, which must be what info describes. Headers are shown on a terminal only.
func NewTable(w io.Writer, info Info, headers ...string) *Table {
	return &Table{w: w, info: info, headers: headers}
}

// Whole names columns, from 0, that a terminal never shows cut: what is copied from there must be right.
func (t *Table) Whole(columns ...int) *Table {
	t.whole = columns
	return t
}

// Drop names columns, from 0, that a terminal which is too narrow goes without, the first one first. What has no text in
// any row is left out there anyway.
func (t *Table) Drop(columns ...int) *Table {
	t.drop = columns
	return t
}

// Row adds a row of plain cells.
func (t *Table) Row(texts ...string) {
	cells := make([]Cell, len(texts))
	for i, s := range texts {
		cells[i] = Cell{Text: s}
	}
	t.Cells(cells...)
}

// Cells adds a row. The texts are cleaned.
func (t *Table) Cells(cells ...Cell) {
	row := slices.Clone(cells)
	for i := range row {
		row[i].Text = Clean(row[i].Text)
	}
	t.rows = append(t.rows, row)
}

// leastColumn is how many columns of a terminal a column that may be cut is worth showing in.
const leastColumn = 10

// watchedWriter keeps the first error of a writer: the printer of tab-separated values drops them.
type watchedWriter struct {
	w   io.Writer
	err error
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Render writes the table.
func (t *Table) Render() error {
	shown := t.shown()
	out := &watchedWriter{w: t.w}
	printer := tableprinter.New(out, t.info.OutTTY, t.info.Width)
	if len(t.headers) > 0 {
		var headers []string
		for _, c := range shown {
			headers = append(headers, t.headers[c])
		}
		printer.AddHeader(headers)
	}
	for _, row := range t.rows {
		for _, c := range shown {
			if c >= len(row) {
				break
			}
			cell := row[c]
			paint := tableprinter.WithColor(func(s string) string { return t.info.Paint(cell.Style, s) })
			if slices.Contains(t.whole, c) {
				printer.AddField(cell.Text, paint, tableprinter.WithTruncate(nil))
			} else {
				printer.AddField(cell.Text, paint)
			}
		}
		printer.EndRow()
	}
	if err := printer.Render(); err != nil {
		return err
	}
	return out.err
}

// shown are the columns that are printed.
func (t *Table) shown() []int {
	widths := t.widths()
	columns := make([]int, 0, len(widths))
	for c, w := range widths {
		if w > 0 || !t.info.OutTTY || len(t.rows) == 0 || slices.Contains(t.whole, c) {
			columns = append(columns, c)
		}
	}
	if !t.info.OutTTY {
		return columns
	}
	for _, c := range t.drop {
		if t.least(columns, widths) <= t.info.Width {
			break
		}
		columns = slices.DeleteFunc(columns, func(have int) bool { return have == c })
	}
	return columns
}

// widths are the widest texts of each column.
func (t *Table) widths() []int {
	widths := make([]int, len(t.headers))
	for _, row := range t.rows {
		for c, cell := range row {
			if c >= len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], text.DisplayWidth(cell.Text))
		}
	}
	return widths
}

// least is how wide a terminal must be for these columns.
func (t *Table) least(columns, widths []int) int {
	sum := 2 * max(0, len(columns)-1)
	for _, c := range columns {
		if slices.Contains(t.whole, c) {
			sum += widths[c]
		} else {
			sum += min(widths[c], leastColumn)
		}
	}
	return sum
}
