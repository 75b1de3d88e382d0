package term

import (
	"bytes"
	"errors"
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

// A narrow terminal goes without columns; what is whole is never cut.
func TestTableOnNarrowTerminals(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		80: "KEY                    STATUS     TITLE                  NOTE\n0001-a-rather-long-key in-review  A rather long title    checks: it failed\n",
		50: "KEY                     STATUS     NOTE\n0001-a-rather-long-key  in-review  checks: it f...\n",
		36: "KEY                     STATUS\n0001-a-rather-long-key  in-review\n",
		10: "KEY\n0001-a-rather-long-key\n",
	} {
		var out bytes.Buffer
		table := NewTable(&out, Info{OutTTY: true, Width: width}, "KEY", "STATUS", "PRIO", "TITLE", "NOTE").Whole(0, 1).Drop(2, 3, 4, 1)
		table.Row("0001-a-rather-long-key", "in-review", "", "A rather long title", "checks: it failed")
		if err := table.Render(); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		if got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%d columns: %q", width, out.String())
		}
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTableSaysThatItCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	for name, info := range map[string]Info{"file": {}, "terminal": {OutTTY: true, Width: 80}} {
		table := NewTable(full{}, info, "KEY")
		table.Row("0001-a")
		if err := table.Render(); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
