// Package demo shows the whole life of three plans in a repository of its own: one passes at once, one fails its check and
// mends itself, one is rejected. The gates are passed by plain commits, as a person would.
package demo

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed all:files
var files embed.FS

// Options say how the demo runs.
type Options struct {
	// Self is the argv prefix that starts tendril.
	Self []string
	// Out gets the story; nothing of it is meant for a machine.
	Out io.Writer
	// Keep leaves the repository and says where it is.
	Keep bool
}

// Run makes a repository in a temporary folder, takes three plans through their lives and removes everything again.
func Run(ctx context.Context, opt Options) (err error) {
	dir, err := os.MkdirTemp("", "tendril-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	if !opt.Keep {
		defer func() {
			if removeErr := os.RemoveAll(dir); removeErr != nil && err == nil {
				err = fmt.Errorf("remove the demo: %w", removeErr)
			}
		}()
	}
	s := &stage{opt: opt, dir: filepath.Join(dir, "words")}
	if err := s.play(ctx); err != nil {
		return err
	}
	if opt.Keep {
		s.say("The repository is in %s; remove it with rm -r %s", s.dir, dir)
	}
	return nil
}

// stage is where the demo plays.
type stage struct {
	opt Options
	dir string
	// keys are the three plans, in order.
	keys []string
}

// titles are the plans' titles, in the order of their files.
var titles = []string{"Unique words", "Empty input", "Use awk"}

func (s *stage) play(ctx context.Context) error {
	for _, act := range []func(context.Context) error{s.open, s.write, s.approve, s.work, s.decide, s.deliver, s.look} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open makes the repository with its program, tests and configuration.
func (s *stage) open(ctx context.Context) error {
	s.say("This plays in a temporary repository and takes less than a minute. Lines that\n" +
		"begin with $ are what you would type; nothing outside of it is touched.")
	s.act("A repository with a small program and its tests")
	if err := s.unpack(); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "You"},
		{"config", "user.email", "you@example.com"},
		{"add", "--all"},
		{"commit", "--quiet", "--message", "A program that counts words"},
	} {
		if err := s.git(ctx, args...); err != nil {
			return err
		}
	}
	return s.show(ctx, "git", "ls-files")
}

// write makes the plans with tendril new.
func (s *stage) write(ctx context.Context) error {
	s.act("Three plans: Markdown files with a status")
	for i, title := range titles {
		body := path.Join("files", "plans", fmt.Sprintf("%d.md", i+1))
		text, err := files.ReadFile(body)
		if err != nil {
			return fmt.Errorf("read the demo's plan: %w", err)
		}
		key, err := s.newPlan(ctx, title, text)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, key)
	}
	s.print("\n")
	if err := s.show(ctx, "tendril", "list"); err != nil {
		return err
	}
	s.say("This is the second. What you would tell an agent in words is a script here: the\n" +
		"demo's agent runs the \"sh run\" blocks, so that no model and no key is needed.\n")
	return s.show(ctx, "cat", path.Join("plans", s.keys[1], "plan.md"))
}

// approve passes gate 1 by hand.
func (s *stage) approve(ctx context.Context) error {
	s.act("Gate 1: you approve the plans, by a commit")
	return s.gate(ctx, "Approve the plans", map[string][]string{"approved": s.keys})
}

func (s *stage) work(ctx context.Context) error {
	s.act("Tendril works until it needs you")
	return s.show(ctx, "tendril", "run", "--once")
}

// decide passes gate 2 by hand: two are accepted, one is rejected.
func (s *stage) decide(ctx context.Context) error {
	s.act("Gate 2: you look at what was verified")
	if err := s.show(ctx, "tendril", "diff", s.keys[1]); err != nil {
		return err
	}
	if err := s.show(ctx, "tendril", "diff", s.keys[2], "--stat"); err != nil {
		return err
	}
	s.say("Two are good. The third passes its checks, but gains nothing: you reject it.\n")
	return s.gate(ctx, "Accept two plans, reject one", map[string][]string{"accepted": s.keys[:2], "rejected": s.keys[2:]})
}

func (s *stage) deliver(ctx context.Context) error {
	s.act("Tendril delivers what you accepted")
	return s.show(ctx, "tendril", "run", "--once")
}

// look shows what is left: the history, the board, and the program that has changed.
func (s *stage) look(ctx context.Context) error {
	s.act("What is in git now")
	if err := s.show(ctx, "git", "log", "--graph", "--format=%h %<(12,trunc)%an %s"); err != nil {
		return err
	}
	if err := s.show(ctx, "cat", "plans/README.md"); err != nil {
		return err
	}
	if err := s.show(ctx, "tests/run"); err != nil {
		return err
	}
	s.say("Now in a repository of yours: README.md, \"A first plan, with a real agent\".")
	return nil
}

// unpack writes the demo's repository; what begins with #! is executable.
func (s *stage) unpack() error {
	root := path.Join("files", "repo")
	return fs.WalkDir(files, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(name, root)))
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(data), "#!") {
			mode = 0o755
		}
		return os.WriteFile(to, data, mode)
	})
}
