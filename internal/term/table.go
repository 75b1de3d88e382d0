package term

import (
	"io"

	"github.com/cli/go-gh/v2/pkg/tableprinter"
)

// Table prints rows in columns that fit the terminal; to anything else tab-separated values without headers, uncut.
type Table struct {
	info    Info
	printer tableprinter.TablePrinter
}

// Cell is one field of a row.
type Cell struct {
	Text  string
	Style Style
}

// NewTable begins a table on w, which must be what info describes. Headers are shown on a terminal only.
func NewTable(w io.Writer, info Info, headers ...string) *Table {
	t := &Table{info: info, printer: tableprinter.New(w, info.OutTTY, info.Width)}
	if len(headers) > 0 {
		t.printer.AddHeader(headers)
	}
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
	for _, c := range cells {
		t.printer.AddField(Clean(c.Text), tableprinter.WithColor(func(s string) string { return t.info.Paint(c.Style, s) }))
	}
	t.printer.EndRow()
}

// Render writes the table.
func (t *Table) Render() error { return t.printer.Render() }
