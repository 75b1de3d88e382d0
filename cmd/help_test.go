package cmd

import (
	"bufio"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSection(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := bufio.NewWriter(&b)
	section(w, "Title", [][2]string{
		{"short", "what it does"},
		{"long a|b|c|d|e|f|g|h|i|j|k|l|m|n|o", "what this does is told in so many words that they do not fit the line"},
	})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	gap := strings.Repeat(" ", 34)
	want := "\nTitle\n  short" + strings.Repeat(" ", 27) + "what it does\n  long a|b|c|d|e|f|g|h|i|j|k|l|m|n|o\n" +
		gap + "what this does is told in so many words that\n" + gap + "they do not fit the line\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Help is read on a terminal of 80 columns.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := bufio.NewWriter(&b)
	app := newApp(NewFactory(IO{Out: &b, Err: &b}, Version{}))
	appHelp(w, app)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(line); n > 81 {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
}
