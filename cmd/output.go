package cmd

import (
	"encoding/json"
	"fmt"

	"tendril/internal/term"
)

// PrintJSON writes v to standard output as one indented JSON document. The fields of v are a promise to scripts: a field
// that does not apply is absent (omitempty), one that is unknown is null (a pointer).
func (f *Factory) PrintJSON(v any) error {
	enc := json.NewEncoder(f.IO.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// PrintJSONLine writes v as one line: for commands that print one value after another as things happen.
func (f *Factory) PrintJSONLine(v any) error {
	enc := json.NewEncoder(f.IO.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Table begins a table on standard output: columns on a terminal, tab-separated without headers elsewhere.
func (f *Factory) Table(headers ...string) *term.Table {
	return term.NewTable(f.IO.Out, f.IO.Term, headers...)
}

// Printf writes data to standard output.
func (f *Factory) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(f.IO.Out, format, args...)
	return err
}

// Infof writes a line for a person to standard error, unless --quiet.
func (f *Factory) Infof(format string, args ...any) {
	if !f.Global.Quiet {
		f.line(format, args...)
	}
}

// Warnf writes a line that a person should not miss to standard error, --quiet or not.
func (f *Factory) Warnf(format string, args ...any) { f.line("warning: "+format, args...) }

// Debugf writes a line to standard error with --verbose.
func (f *Factory) Debugf(format string, args ...any) {
	if f.Global.Verbose {
		f.line(format, args...)
	}
}

// line prints one message, wrapped where a person reads it. Standard error may be gone; there is nowhere left to say so.
func (f *Factory) line(format string, args ...any) {
	text := term.CleanText(fmt.Sprintf(format, args...))
	if f.IO.Term.ErrTTY {
		text = term.Wrap(text, f.IO.Term.Width)
	}
	_, _ = fmt.Fprintln(f.IO.Err, text)
}
