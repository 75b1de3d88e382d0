package cmd

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"
)

// fakeApp has one command of each kind.
func fakeApp() *cli.App {
	f := NewFactory(IO{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Env: func(string) string { return "" }}, Version{})
	app := newApp(f)
	app.Commands = []*cli.Command{
		{Name: "run", ArgsUsage: "[KEY…]", Flags: []cli.Flag{&cli.BoolFlag{Name: "once"}, &cli.BoolFlag{Name: "secret", Hidden: true}, &cli.BoolFlag{Name: "n"}}},
		{Name: "approve", ArgsUsage: "KEY…", Flags: []cli.Flag{&cli.StringFlag{Name: "message", Aliases: []string{"m"}}, &cli.BoolFlag{Name: "fresh"}}},
		{Name: "promptware", Subcommands: []*cli.Command{{Name: "eject", ArgsUsage: "NAME", Flags: []cli.Flag{&cli.BoolFlag{Name: "force"}}}}},
		{Name: "agents", ArgsUsage: "[NAME]", Subcommands: []*cli.Command{{Name: "test"}}},
	}
	return app
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                              "",
		"run":                           "run",
		"run 12 --once":                 "run --once -- 12",
		"run --once 12":                 "run --once -- 12",
		"--json run 12":                 "--json run -- 12",
		"run 12 --json -C /x":           "--json --C=/x run -- 12",
		"run -C=/x 12":                  "--C=/x run -- 12",
		"run -- --once":                 "run -- --once",
		"run 12 -- -x --":               "run -- 12 -x --",
		"run -":                         "run -- -",
		"run run":                       "run -- run",
		"approve 1 2 -m words":          "approve --message=words -- 1 2",
		"approve 1 --message=words":     "approve --message=words -- 1",
		"approve 1 -m -":                "approve --message=- -- 1",
		"approve 1 -m -x":               "approve --message=-x -- 1",
		"approve 1 -m=":                 "approve --message= -- 1",
		"approve -mwords 1":             "approve --message=words -- 1",
		"run -nq 1":                     "--quiet run --n -- 1",
		"approve -qm words 1":           "--quiet approve --message=words -- 1",
		"run --once=false":              "run --once=false",
		"promptware eject X --force":    "promptware eject --force -- X",
		"promptware --json eject X":     "--json promptware eject -- X",
		"agents claude":                 "agents -- claude",
		"agents test":                   "agents test",
		"approve 1 --message --json=no": "error: --message needs a value, and --json=no is an option",
		"approve 1 -m --help":           "error: -m needs a value, and --help is an option",
		"approve 1 -m":                  "error: -m needs a value",
		"approve -m -- 1":               "error: -m needs a value",
		"rnu":                           "error: unknown command \"rnu\"\n  did you mean tendril run?",
		"frobnicate":                    "error: unknown command \"frobnicate\"\n  see tendril help",
		"-- run":                        "error: unknown command \"run\"",
		"run --onec":                    "error: unknown option --onec\n  did you mean --once?",
		"run --secre":                   "error: unknown option --secre\n  see tendril help run",
		"run -once":                     "error: unknown option -once\n  did you mean --once?",
		"run --n":                       "error: unknown option --n\n  did you mean -n?",
		"run -1":                        "error: unknown option -1",
		"run --frob=x":                  "error: unknown option --frob",
		"--once run":                    "error: unknown option --once\n  options of a command stand behind its name",
		"promptware ejct":               "error: unknown command \"ejct\"\n  did you mean tendril promptware eject?",
		"run -n=1":                      "run --n=1",
		"run -qn=1":                     "error: -n takes no value",
	}
	for line, want := range tests {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			var got string
			r, err := resolve(fakeApp(), strings.Fields(line))
			if err != nil {
				got = "error: " + err.Error()
				if exitCode(err) != ExitUsage {
					t.Errorf("exit code %d", exitCode(err))
				}
			} else {
				got = strings.Join(r.argv, " ")
			}
			if got != want && !(strings.HasPrefix(want, "error:") && strings.HasPrefix(got, want)) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestResolveFindsHelpAnywhere(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"--help": 0, "run 12 --help": 1, "-h run": 1, "promptware eject X -h": 2} {
		r, err := resolve(fakeApp(), strings.Fields(line))
		if err != nil || !r.help || len(r.path) != want {
			t.Errorf("%q: %+v, %v", line, r, err)
		}
	}
	if r, err := resolve(fakeApp(), []string{"run", "--", "--help"}); err != nil || r.help {
		t.Errorf("behind -- it is an argument: %+v, %v", r, err)
	}
}

// Wherever the flags of a call stand, the call is the same.
func TestResolveInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flags := [][]string{{"--fresh"}, {"-m", "some words"}, {"--json"}, {"-C", "dir"}}
		args := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,8}`), 0, 4).Draw(t, "args")
		var words [][]string
		for _, a := range args {
			words = append(words, []string{a})
		}
		for _, f := range rapid.Permutation(flags).Draw(t, "flags") {
			at := rapid.IntRange(0, len(words)).Draw(t, "at")
			words = slices.Insert(words, at, f)
		}
		r, err := resolve(fakeApp(), append([]string{"approve"}, slices.Concat(words...)...))
		if err != nil {
			t.Fatal(err)
		}
		var globals, own, rest []string
		at := slices.Index(r.argv, "approve")
		globals, own = slices.Sorted(slices.Values(r.argv[:at])), r.argv[at+1:]
		if dashes := slices.Index(own, "--"); dashes >= 0 {
			own, rest = own[:dashes], own[dashes+1:]
		}
		if !slices.Equal(globals, []string{"--C=dir", "--json"}) || len(own) != 2 || !slices.Equal(rest, args) {
			t.Fatalf("%q", r.argv)
		}
	})
}

func FuzzResolve(f *testing.F) {
	f.Add("run 12 --once")
	f.Add("approve -m --help -- -x")
	f.Fuzz(func(t *testing.T, line string) {
		r, err := resolve(fakeApp(), strings.Split(line, " "))
		var usage *usageError
		if (r == nil) == (err == nil) || err != nil && !errors.As(err, &usage) {
			t.Fatalf("%v, %v", r, err)
		}
	})
}

func TestArgumentCounts(t *testing.T) {
	for name, c := range map[string]struct {
		check func(*cli.Context) error
		args  []string
		want  string
	}{
		"none":      {noArgs, []string{"x"}, "show takes no argument, got \"x\""},
		"none ok":   {noArgs, nil, ""},
		"missing":   {func(c *cli.Context) error { return exactArgs(c, "KEY", "N") }, []string{"x"}, "show needs N"},
		"too many":  {func(c *cli.Context) error { return exactArgs(c, "KEY") }, []string{"x", "y"}, "show takes 1 argument(s), got \"y\" besides"},
		"exact":     {func(c *cli.Context) error { return exactArgs(c, "KEY") }, []string{"x"}, ""},
		"some":      {func(c *cli.Context) error { return someArgs(c, "KEY") }, nil, "show needs at least one KEY"},
		"at most":   {func(c *cli.Context) error { return atMostArgs(c, 1) }, []string{"x", "y"}, "show takes at most 1"},
		"most even": {func(c *cli.Context) error { return atMostArgs(c, 1) }, []string{"x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			app := fakeApp()
			app.Commands = []*cli.Command{{Name: "show", ArgsUsage: "KEY", Action: c.check}}
			err := app.Run(append([]string{"tendril", "show", "--"}, c.args...))
			got := ""
			if err != nil {
				got = err.Error()
				if exitCode(err) != ExitUsage {
					t.Errorf("exit code %d", exitCode(err))
				}
			}
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	got := []int{exitCode(nil), exitCode(errSaid), exitCode(usagef("", "x")), exitCode(&planFailed{keys: []string{"0001-x"}}), exitCode(errors.New("x"))}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 1}, got); diff != "" {
		t.Error(diff)
	}
}
