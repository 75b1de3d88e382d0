package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	_, err := s.run(ctx, nil, append([]string{"git"}, args...)...)
	return err
}

// show runs a command as the person types it, with its output.
func (s *stage) show(ctx context.Context, argv ...string) error {
	s.print("$ " + strings.Join(argv, " ") + "\n")
	out, err := s.run(ctx, nil, argv...)
	s.print(out + "\n")
	return err
}

// newPlan makes a plan and returns its key.
func (s *stage) newPlan(ctx context.Context, title string, body []byte) (string, error) {
	s.say("$ tendril new %q --body -", title)
	out, err := s.run(ctx, body, "tendril", "new", title, "--body", "-", "--quiet")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(out), nil
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
			s.say("(in %s you write  status: %s)", filepath.ToSlash(file), status)
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

// run runs one command in the demo's repository and returns what it printed, both streams as they came.
func (s *stage) run(ctx context.Context, stdin []byte, argv ...string) (string, error) {
	var out bytes.Buffer
	full := argv
	if argv[0] == "tendril" {
		full = append(slices.Clone(s.opt.Self), argv[1:]...)
	}
	cmd := proc.Cmd{Argv: full, Dir: s.dir, Env: environ(), Stdout: &out, Stderr: &out, Timeout: commandLimit}
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	res, err := proc.Run(ctx, cmd)
	if err != nil {
		return out.String(), err
	}
	if res.TimedOut || res.ExitCode != 0 {
		return out.String(), errors.New(strings.Join(argv, " ") + " did not work:\n" + out.String())
	}
	return out.String(), nil
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
