package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/proc"
)

// commandLimit ends a command of the demo that hangs.
const commandLimit = time.Minute

func (s *stage) say(format string, args ...any) { s.print(fmt.Sprintf(format, args...) + "\n") }

func (s *stage) act(title string) { s.print("\n== " + title + "\n\n") }

// print writes a piece of the story; a terminal that is gone ends the next command anyway.
func (s *stage) print(text string) { _, _ = fmt.Fprint(s.opt.Out, text) }

// git runs a git command of the person's.
func (s *stage) git(ctx context.Context, args ...string) error {
	return s.quietly(ctx, append([]string{"git"}, args...)...)
}

// show runs a command as the person types it, with its output as it comes.
func (s *stage) show(ctx context.Context, argv ...string) error {
	s.print("$ " + typed(argv) + "\n")
	err := s.run(ctx, nil, s.opt.Out, argv...)
	s.print("\n")
	return err
}

// typed is argv as a person types it.
func typed(argv []string) string {
	words := slices.Clone(argv)
	for i, w := range words {
		if strings.ContainsAny(w, " <(%") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

// newPlan makes a plan and returns its key.
func (s *stage) newPlan(ctx context.Context, title string, body []byte) (string, error) {
	s.say("$ tendril new %q --body - < text", title)
	var out bytes.Buffer
	if err := s.run(ctx, body, &out, "tendril", "new", title, "--body", "-", "--quiet"); err != nil {
		return "", fmt.Errorf("%w:\n%s", err, out.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// gate writes statuses into plan files with an editor's means, and commits them with git.
func (s *stage) gate(ctx context.Context, message string, statuses map[string][]string) error {
	var paths []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		for _, key := range statuses[status] {
			file := filepath.Join("plans", key, "plan.md")
			if err := setStatus(filepath.Join(s.dir, file), status); err != nil {
				return err
			}
			s.say("(in %s you write status: %s)", filepath.ToSlash(file), status)
			paths = append(paths, file)
		}
	}
	s.say("$ git commit -m %q plans", message)
	return s.git(ctx, append([]string{"commit", "--quiet", "--message", message, "--"}, paths...)...)
}

// setStatus rewrites the status line, as a person would in an editor.
func setStatus(file, status string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("edit a plan: %w", err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "status:") {
			lines[i] = "status: " + status + "\n"
			return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644)
		}
	}
	return fmt.Errorf("edit a plan: %s has no status line", file)
}

// quietly runs a command whose output matters only when it fails.
func (s *stage) quietly(ctx context.Context, argv ...string) error {
	var out bytes.Buffer
	if err := s.run(ctx, nil, &out, argv...); err != nil {
		return fmt.Errorf("%w:\n%s", err, out.String())
	}
	return nil
}

// run runs one command in the demo's repository; both its streams go to out as they come.
func (s *stage) run(ctx context.Context, stdin []byte, out io.Writer, argv ...string) error {
	full := argv
	if argv[0] == "tendril" {
		full = append(slices.Clone(s.opt.Self), argv[1:]...)
	}
	cmd := proc.Cmd{Argv: full, Dir: s.dir, Env: environ(), Stdout: out, Stderr: out, Timeout: commandLimit}
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	res, err := proc.Run(ctx, cmd)
	switch {
	case err != nil:
		return err
	case res.TimedOut:
		return fmt.Errorf("the demo's %s took longer than %s", typed(argv), commandLimit)
	case res.ExitCode != 0:
		return fmt.Errorf("the demo's %s ended with exit code %d", typed(argv), res.ExitCode)
	}
	return nil
}

// environ is the environment without the person's git configuration: signing, hooks and aliases are none of the demo's.
func environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat")
}
