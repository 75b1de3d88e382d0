package cmd

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/internal/testkit"
)

// Running an application writes to variables of urfave/cli: the tests in this file, and TestArgumentCounts, run one after
// the other, before the parallel ones.

// testFactory is a factory with buffers, no terminal and no agent around it.
func testFactory(dir string) (f *Factory, out, errOut *bytes.Buffer) {
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	f = NewFactory(IO{In: strings.NewReader(""), Out: out, Err: errOut, Env: func(string) string { return "" }}, Version{Version: "1.2.3", Commit: "0123456789abcdef", Modified: true})
	f.AgentRun = func() string { return "" }
	f.Global.Dir = dir
	return f, out, errOut
}

func TestVersionOfABuild(t *testing.T) {
	f, out, _ := testFactory("")
	if code := f.main(t.Context(), []string{"tendril", "version"}); code != ExitOK || !strings.HasPrefix(out.String(), "tendril 1.2.3 (0123456789ab+changes, go") {
		t.Errorf("%d: %q", code, out)
	}
}

func TestErrorsReachStandardErrorClean(t *testing.T) {
	f, out, errOut := testFactory("")
	code := f.main(t.Context(), []string{"tendril", "bad\x1b[2Kname"})
	if code != ExitUsage || out.Len() > 0 || strings.Contains(errOut.String(), "\x1b") || !strings.HasPrefix(errOut.String(), "tendril: unknown command") {
		t.Errorf("%d, stdout %q, stderr %q", code, out, errOut)
	}
}

func TestRepoIsOpenedOnceAndLate(t *testing.T) {
	r := testkit.Repo(t)
	f, _, _ := testFactory(r.Dir)
	first, err := f.Repo(t.Context())
	if err != nil || first.Dir != r.Dir {
		t.Fatal(first, err)
	}
	if second, err := f.Repo(t.Context()); err != nil || second != first {
		t.Errorf("opened again: %v", err)
	}
}

func TestWhereThereIsNoRepository(t *testing.T) {
	dir := testkit.TempDir(t)
	testkit.Write(t, dir, "file", "x")
	for where, want := range map[string]string{
		dir: "not a git repository\n  run tendril inside a repository", dir + "/nowhere": "there is no such folder\n  give one", dir + "/file": "not a folder\n  give one",
	} {
		f, _, _ := testFactory(where)
		if _, err := f.Repo(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", where, err)
		}
	}
}

func TestAgentsMustNotPassGates(t *testing.T) {
	f, _, _ := testFactory("")
	if err := f.refuseAgents("approve"); err != nil {
		t.Error(err)
	}
	f.AgentRun = func() string { return "r1" }
	err := f.refuseAgents("approve")
	if err == nil || !strings.Contains(err.Error(), "agent's run r1") || exitCode(err) != ExitFailed {
		t.Errorf("%v", err)
	}
}

func TestMessagesAndTheirStreams(t *testing.T) {
	for name, c := range map[string]struct {
		global Global
		want   string
	}{
		"plain":   {Global{}, "info\nwarning: careful\n"},
		"quiet":   {Global{Quiet: true}, "warning: careful\n"},
		"verbose": {Global{Verbose: true}, "info\ndebug\nwarning: careful\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f, out, errOut := testFactory("")
			*f.Global = c.global
			f.Infof("info")
			f.Debugf("debug")
			f.Warnf("careful\x07")
			if errOut.String() != c.want || out.Len() > 0 {
				t.Errorf("stderr %q, stdout %q", errOut, out)
			}
		})
	}
}

func TestJSONAndTables(t *testing.T) {
	f, out, _ := testFactory("")
	type row struct {
		Cost *float64 `json:"cost"`
		Note string   `json:"note,omitempty"`
		Text string   `json:"text"`
	}
	if err := f.PrintJSON(row{Text: "a<b"}); err != nil {
		t.Fatal(err)
	}
	if err := f.PrintJSONLine(row{Note: "n"}); err != nil {
		t.Fatal(err)
	}
	table := f.Table("A", "B")
	table.Cells(term.Cell{Text: "x", Style: term.Red}, term.Cell{Text: "y"})
	if err := table.Render(); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"cost\": null,\n  \"text\": \"a<b\"\n}\n{\"cost\":null,\"note\":\"n\",\"text\":\"\"}\nx\ty\n"
	if out.String() != want {
		t.Errorf("got %q", out)
	}
}

func TestCommandsAreWhole(t *testing.T) {
	f, _, _ := testFactory("")
	var walk func(list []*cli.Command, top bool)
	walk = func(list []*cli.Command, top bool) {
		for _, c := range list {
			if c.Usage == "" || c.Action == nil {
				t.Errorf("%s: no usage or no action", c.Name)
			}
			if top && !c.Hidden && c.Category == "" {
				t.Errorf("%s: no category, help would not show it", c.Name)
			}
			for _, flag := range c.Flags {
				for _, name := range flag.Names() {
					if name == "h" || name == "help" || flagNamed(globalFlags(f.Global), name) != nil {
						t.Errorf("%s: option %s hides a global one", c.Name, name)
					}
				}
			}
			walk(c.Subcommands, false)
		}
	}
	walk(newApp(f).Commands, true)
}

func TestPlansThatFailed(t *testing.T) {
	one, two := &planFailed{keys: []string{"0001-x"}}, &planFailed{keys: []string{"0001-x", "0002-y"}}
	if got := one.Error(); !strings.Contains(got, "plan 0001-x failed") {
		t.Error(got)
	}
	if got := two.Error(); !strings.HasPrefix(got, "2 plans failed") {
		t.Error(got)
	}
	f, _, errOut := testFactory("")
	app := newApp(f)
	app.Commands = []*cli.Command{{Name: "x", Action: func(*cli.Context) error { return errSaid }}}
	if err := app.RunContext(context.Background(), []string{"tendril", "x"}); !errors.Is(err, errSaid) || errOut.Len() > 0 {
		t.Errorf("%v, %q", err, errOut)
	}
}
