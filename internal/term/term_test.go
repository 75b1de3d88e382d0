package term

import (
	"bytes"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain ünïcode 仓库 🚀":         "plain ünïcode 仓库 🚀",
		"a\x1b[31mred\x1b[0m":        "a[31mred[0m",
		"two\nlines\tand\rmore":      "two lines and more",
		"bell\x07 null\x00 c1\u009b": "bell null c1",
		"user\u202etxt.exe":          "usertxt.exe",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := CleanText("a\n\tb\x1b[2K\r\n"); got != "a\n\tb[2K\n" {
		t.Errorf("CleanText: %q", got)
	}
}

func TestPaintOnlyWhereWanted(t *testing.T) {
	t.Parallel()
	if got := (Info{}).Paint(Red, "x"); got != "x" {
		t.Errorf("without colour: %q", got)
	}
	if got := (Info{Color: true}).Paint(Red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("with colour: %q", got)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info Info
		want string
	}{
		"pipe":     {Info{}, "0001-a\tdraft\tA title\n"},
		"terminal": {Info{OutTTY: true, Width: 60}, "KEY     STATUS  TITLE\n0001-a  draft   A title\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			table := NewTable(&out, c.info, "KEY", "STATUS", "TITLE")
			table.Cells(Cell{Text: "0001-a"}, Cell{Text: "draft", Style: Green}, Cell{Text: "A\ttitle"})
			if err := table.Render(); err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(out.String(), " \n", "\n"); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
