package cmd

import (
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
}

func newLogsCommand(f *Factory) *cli.Command {
	o := logsOptions{f: f}
	return &cli.Command{
		Name:      "logs",
		Usage:     "print what the plan's newest agent run wrote",
		ArgsUsage: "KEY",
		Category:  categoryLook,
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the run ends", Destination: &o.follow}},
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
		out := &tail{path: filepath.Join(folder, "stdout.log")}
		errs := &tail{path: filepath.Join(folder, "stderr.log")}
		for {
			state, err := p.RunState(spec.Run)
			if err != nil {
				return err
			}
			if err := errors.Join(out.copy(o.f.IO.Out), errs.copy(o.f.IO.Err)); err != nil {
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

// tail copies what a file gained since the last time.
type tail struct {
	path   string
	offset int64
}

func (t *tail) copy(w io.Writer) error {
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
			// What an agent wrote must not reach the terminal as commands.
			if _, err := io.WriteString(w, term.CleanText(string(buf[:n]))); err != nil {
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
