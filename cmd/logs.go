package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tendril/lifecycle"
	"tendril/plans"
)

type logsOptions struct {
	f       *Factory
	plan    string
	follow  bool
	raw     bool
	attempt string
}

func newLogsCommand(f *Factory) *cli.Command {
	o := logsOptions{f: f}
	return &cli.Command{
		Name:      "logs",
		Usage:     "show what a plan's agent said and did, run by run",
		ArgsUsage: "KEY",
		Category:  categoryLook,
		Description: "It reads like a conversation: what failed before and what people said, what the agent said, which tool it used on\n" +
			"what, how long that took, how each run ended and what it cost, and what the checks say now. --json prints one\n" +
			"object a line. Transcripts stay in this clone, below the git directory; no other user can read them.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the plan rests", Destination: &o.follow},
			&cli.BoolFlag{Name: "raw", Usage: "the bytes as the agent wrote them, of the newest run or of --attempt", Destination: &o.raw},
			&cli.StringFlag{Name: "attempt", Usage: "only attempt `N`, or N of a round: 2, 1.2", Destination: &o.attempt},
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
	if o.raw && o.f.Global.JSON {
		return usagef("leave one of them out", "--raw and --json contradict each other")
	}
	return o.f.withLife(ctx, func(p *lifecycle.Project) error {
		if o.raw {
			return o.printRaw(ctx, p)
		}
		opt := lifecycle.TalkOptions{Attempt: o.attempt, Follow: o.follow}
		if o.f.Global.JSON {
			return p.Talk(ctx, o.plan, opt, func(u lifecycle.Utterance) error { return o.f.PrintJSONLine(u) })
		}
		page := talkPage{out: o.f.IO.Out, term: o.f.IO.Term, zone: o.f.Now().Location()}
		return p.Talk(ctx, o.plan, opt, page.print)
	})
}

// printRaw copies what the agent wrote, byte by byte.
func (o logsOptions) printRaw(ctx context.Context, p *lifecycle.Project) error {
	log, err := p.RawLog(ctx, o.plan, o.attempt)
	if err != nil {
		return err
	}
	o.f.Infof("run %s: round %d attempt %d, %s", log.Run, log.Round, log.Attempt, log.Agent)
	out, errs := &tail{path: log.Stdout}, &tail{path: log.Stderr}
	for {
		state, err := p.RunState(log.Run)
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
	n, err := io.Copy(w, file)
	t.offset += n
	return err
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
