package cmd

import (
	"bufio"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"tendril/internal/config"
	"tendril/lifecycle"
)

// survey is a repository with two agents, one of them on PATH.
func surveyed() *lifecycle.Survey {
	return &lifecycle.Survey{
		Base:   config.DefaultFound{Name: "main", By: "the usual name"},
		Agents: []lifecycle.AgentFound{{Name: "claude", Program: "/bin/claude"}, {Name: "codex"}, {Name: "script", Program: "/bin/bash"}},
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, want, said string }{
		{"\n", "claude", ""},
		{"3\n", "script", ""},
		{" codex \n", "codex", ""},
		{"claude:opus\n", "claude:opus", ""},
		{"9\nnobody\n2\n", "codex", "A number from 1 to 3, or nothing for claude."},
		{"script", "script", ""}, // the last line without its end
	} {
		var out strings.Builder
		got, err := ask(bufio.NewReader(strings.NewReader(c.typed)), &out, agentQuestion(surveyed()))
		if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.typed, got, err, c.want)
		}
		if !strings.Contains(out.String(), c.said) || !strings.Contains(out.String(), "  2  codex   not on PATH") {
			t.Errorf("%q: said %s", c.typed, out.String())
		}
	}
	if _, err := ask(bufio.NewReader(strings.NewReader("")), &strings.Builder{}, layoutQuestion(surveyed())); !errors.Is(err, errUnanswered) {
		t.Errorf("an end without an answer: %v", err)
	}
}

// A person reads the questions on a terminal of 80 columns.
func TestQuestionsFitATerminal(t *testing.T) {
	t.Parallel()
	s := surveyed()
	s.Agents[0].Program = filepath.FromSlash("/home/somebody/.local/share/node/versions/v22.11.0/lib/node_modules/.bin/claude")
	for _, q := range []question{layoutQuestion(s), agentQuestion(s), autonomyQuestion()} {
		var out strings.Builder
		if _, err := ask(bufio.NewReader(strings.NewReader("\n")), &out, q); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

func TestPathEnd(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "", "/bin/claude": "/bin/claude", "/home/me/deep/bin/claude": "…/bin/claude", "/a/a-name-that-is-long": "…/a-name-that-is-long"} {
		if got := pathEnd(filepath.FromSlash(path), 12); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	choice := lifecycle.InitChoice{Layout: lifecycle.LayoutOwn, Agent: "claude", Autonomy: config.AutonomyFull}
	who := lifecycle.Actor{Name: "Pat Person", Email: "pat@example.com"}
	var out strings.Builder
	if err := confirm(bufio.NewReader(strings.NewReader("s\ny\n")), &out, surveyed(), who, choice); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Commit it on tendril/plans as Pat Person <pat@example.com>?") || !strings.Contains(out.String(), "\nautonomy: full\n") {
		t.Errorf("said %s", out.String())
	}
	for _, typed := range []string{"n\n", ""} {
		if err := confirm(bufio.NewReader(strings.NewReader(typed)), &strings.Builder{}, surveyed(), who, choice); !errors.Is(err, errUnanswered) {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	proposed := lifecycle.InitChoice{Layout: lifecycle.LayoutDefault, Agent: "claude", Autonomy: config.AutonomyEdit}
	for name, c := range map[string]struct {
		options initOptions
		tty     bool
		typed   string
		want    lifecycle.InitChoice
		said    string
	}{
		"no terminal":   {want: proposed, said: "not asked, so taken as proposed: --layout default-branch, --agent claude, --autonomy edit"},
		"--yes":         {options: initOptions{yes: true, agent: "codex"}, tty: true, want: lifecycle.InitChoice{Layout: "default-branch", Agent: "codex", Autonomy: "edit"}, said: "--layout default-branch, --autonomy edit"},
		"on a terminal": {tty: true, typed: "2\n\nfull\n\n", want: lifecycle.InitChoice{Layout: "own-branch", Agent: "claude", Autonomy: "full"}, said: "no sandbox yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said strings.Builder
			streams := IO{In: strings.NewReader(c.typed), Out: &strings.Builder{}, Err: &said}
			streams.Term.InTTY, streams.Term.ErrTTY = c.tty, c.tty
			c.options.f = NewFactory(streams, Version{})
			got, err := c.options.choose(surveyed(), lifecycle.Actor{Name: "P", Email: "p@x"})
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v", got, err)
			}
			if !strings.Contains(said.String(), c.said) {
				t.Errorf("said %s", said.String())
			}
		})
	}
}
