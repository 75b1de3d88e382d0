package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tendril/internal/term"
	"tendril/lifecycle"
	"tendril/plans"
)

type logsOptions struct {
	f      *Factory
	plan   string
	follow bool
	raw    bool
}

func newLogsCommand(f *Factory) *cli.Command {
	o := logsOptions{f: f}
	return &cli.Command{
		Name:      "logs",
		Usage:     "print what the plan's newest agent run wrote",
		ArgsUsage: "KEY",
		Category:  categoryLook,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the run ends", Destination: &o.follow},
			&cli.BoolFlag{Name: "raw", Usage: "the bytes as the agent wrote them", Destination: &o.raw},
		},
		Action: func(c *cli.Context) error {
			if err := exactArgs(c, "a plan"); err != nil {
				return err
			}
			o.plan = c.Args().First()
			return logsRun(c.Context, o)
		},
	}
}

func logsRun(ctx context.Context, o logsOptions) error {
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		spec, folder, err := p.NewestRun(ctx, o.plan)
		if err != nil {
			return err
		}
		o.f.Infof("run %s: round %d attempt %d, %s", spec.Run, spec.Round, spec.Attempt, spec.Agent.Name)
		if err := o.printSaid(spec.Said); err != nil {
			return err
		}
		var out copier = &tail{path: filepath.Join(folder, "stdout.log"), raw: o.raw}
		if spec.Agent.Output != "text" && !o.raw {
			out = &told{p: p, run: spec.Run}
		}
		errs := &tail{path: filepath.Join(folder, "stderr.log"), raw: o.raw}
		for {
			state, err := p.RunState(spec.Run)
			if err != nil {
				return err
			}
			if err := errors.Join(out.copy(ctx, o.f.IO.Out), errs.copy(ctx, o.f.IO.Err)); err != nil {
				return err
			}
			if !o.follow || state.Finished || state.Lost {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
}

// printSaid prints what people said to the agent as their turn, before the agent's.
func (o logsOptions) printSaid(words []lifecycle.Word) error {
	if o.raw {
		return nil
	}
	for _, w := range words {
		if err := o.f.Printf("%s said: %s\n", cmp.Or(term.CleanText(w.By), "a person"), term.CleanText(w.Text)); err != nil {
			return err
		}
	}
	return nil
}

// copier writes what there is more than the last time.
type copier interface {
	copy(ctx context.Context, w io.Writer) error
}

// told tells an agent's events, one line each.
type told struct {
	p    *lifecycle.Project
	run  string
	seen int
}

func (t *told) copy(ctx context.Context, w io.Writer) error {
	n := 0
	var failed error
	err := t.p.RunWords(ctx, t.run, func(line string) {
		if n++; n > t.seen && failed == nil {
			_, failed = fmt.Fprintln(w, term.CleanText(line))
		}
	})
	t.seen = max(n, t.seen)
	return errors.Join(err, failed)
}

// tail copies what a file gained since the last time.
type tail struct {
	path   string
	offset int64
	raw    bool
}

func (t *tail) copy(_ context.Context, w io.Writer) error {
	file, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = file.Close() }() // only read from
	if _, err := file.Seek(t.offset, io.SeekStart); err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := file.Read(buf)
		if n > 0 {
			t.offset += int64(n)
			text := string(buf[:n])
			if !t.raw {
				// What an agent wrote must not reach the terminal as commands.
				text = term.CleanText(text)
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the transcript: %w", err)
		}
	}
}

// indent sets a text off from what is around it.
func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}

// keysOf are keys as plain strings; never nil, so that JSON has a list.
func keysOf(keys []plans.Key) []string {
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		out = append(out, string(k))
	}
	return out
}
