package lifecycle

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

	"tendril/internal/check"
	"tendril/lifecycle/verify"
	"tendril/worktree"
)

// setupError says that a worktree could not be set up; the agent is not started then.
type setupError struct {
	command string
	exit    int
	tail    string
}

// setupWords is how much of the output's end is told, in bytes: it goes onto the board and into status, a line each.
const setupWords = 300

func (e *setupError) Error() string {
	said := strings.TrimSpace(e.tail)
	if len(said) > setupWords {
		said = "… " + strings.ToValidUTF8(said[len(said)-setupWords:], "")
	}
	return fmt.Sprintf("%s: exit code %d\n%s", e.command, e.exit, said)
}

// setup makes a worktree ready for its agent, once: files that git ignores are copied from the main checkout, then the
// configured commands run.
func (w *work) setup(ctx context.Context, ws *worktree.Workspace) error {
	// The stamp lies in the worktree's own git directory, so that it goes with it.
	stamp := filepath.Join(ws.GitDir, "tendril-setup")
	if _, err := os.Stat(stamp); err == nil {
		return nil
	}
	for _, name := range w.snap.cfg.Copy {
		if err := w.copyFile(ctx, ws, name); err != nil {
			return err
		}
	}
	for _, command := range w.snap.cfg.Setup {
		if err := w.setupCommand(ctx, ws, command); err != nil {
			return err
		}
	}
	if err := os.WriteFile(stamp, nil, 0o600); err != nil {
		return fmt.Errorf("note that %s is set up: %w", w.key(), err)
	}
	return nil
}

func (w *work) setupCommand(ctx context.Context, ws *worktree.Workspace, command string) error {
	logs := filepath.Join(w.Runtime, "checks", string(w.key()))
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	log := filepath.Join(logs, "setup.log")
	res, err := check.Run(ctx, check.Spec{
		Name: "setup", Command: command, Timeout: time.Duration(w.snap.cfg.SetupLimit), Dir: ws.Path, Mark: verify.Mark(ws),
		Env: []string{fmt.Sprintf("TENDRIL_SLOT=%d", ws.Slot)}, Log: log,
	})
	if err != nil {
		return err
	}
	if res.Exit != 0 || res.TimedOut {
		w.say(EventProblem, "all that the setup said: %s", log)
		return &setupError{command: command, exit: res.Exit, tail: string(res.Tail)}
	}
	return nil
}

// copyFile brings an ignored file of the main checkout into the worktree. One that is not there, or that git would track
// in the worktree (so that it could enter a commit), is named and left out.
func (w *work) copyFile(ctx context.Context, ws *worktree.Workspace, name string) error {
	main, err := w.mainCheckout(ctx)
	if err != nil || main == "" {
		return err
	}
	if _, err := ws.Repo.Run(ctx, "check-ignore", "--quiet", "--", name); err != nil {
		w.say(EventProblem, "copy: %s is not ignored by git here; left out", name)
		return nil
	}
	src, err := os.Open(filepath.Join(main, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		w.say(EventProblem, "copy: %s is not in %s", name, main)
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	defer func() { _ = src.Close() }() // only read from
	to := filepath.Join(ws.Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Close()); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	return nil
}

// mainCheckout is the top of the main worktree; empty for a bare repository.
func (p *Project) mainCheckout(ctx context.Context) (string, error) {
	all, err := p.Repo.Checkouts(ctx)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0].Path, nil
}
