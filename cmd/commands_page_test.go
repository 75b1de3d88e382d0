package cmd

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

var update = flag.Bool("update", false, "write docs/commands.md anew")

// TestCommandsPage keeps docs/commands.md to what the commands say of themselves:
// go test ./cmd -run TestCommandsPage -update writes it.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "docs", "commands.md")
	want := commandsPage(t)
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/commands.md is not what tendril help says (-help +page):\n%s", diff)
	}
}

func commandsPage(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	app := newApp(NewFactory(IO{Out: &out, Err: &out, Env: func(string) string { return "" }}, Version{}))
	fmt.Fprint(w, "# Commands\n\nEach is what `tendril help COMMAND` prints. Exit codes: 0 done; 1 it did not work; 2 the call was wrong; 3 `run --once` went through and a plan failed.\n")
	for _, category := range categories() {
		fmt.Fprintf(w, "\n## %s\n", category)
		for _, c := range app.Commands {
			if c.Hidden || c.Category != category {
				continue
			}
			fmt.Fprintf(w, "\n### tendril %s\n\n```\n", c.Name)
			flags := app.Flags
			app.Flags = nil
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			one := bufio.NewWriter(&out)
			commandHelp(one, app, []*cli.Command{c})
			if err := one.Flush(); err != nil {
				t.Fatal(err)
			}
			app.Flags = flags
			fmt.Fprint(w, "```\n")
		}
	}
	fmt.Fprint(w, "\n## Options of every command\n\n```")
	section(w, "", flagRows(app.Flags))
	fmt.Fprint(w, "```\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
