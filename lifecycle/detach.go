package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tendril/internal/proc"
)

// EngineLog is where a detached engine writes what happens.
func (p *Project) EngineLog() string { return filepath.Join(p.Runtime, "engine.log") }

const (
	// engineLogMost is from which size on the log is put aside when another engine starts; one earlier log is kept.
	engineLogMost = 1 << 20
	// comingUp bounds the wait for a detached engine to take the lock, goingDown that for an engine to give it back.
	goingDown = time.Minute
	comingUp  = 30 * time.Second
	lookAgain = 20 * time.Millisecond
)

// Detach starts an engine that leaves the terminal: argv is its command line, of this program. It returns the engine's pid
// once it holds the clone's lock; where one runs already it is a *LockedError, and where it does not come up the error is
// what it said.
func (p *Project) Detach(ctx context.Context, argv []string) (pid int, err error) {
	runs, err := p.EngineRuns()
	if err != nil {
		return 0, err
	}
	if runs {
		h := p.lockHolder()
		return 0, &LockedError{PID: h.PID, Since: h.Since}
	}
	// A configuration that cannot be read ends an engine at once: that is better said here.
	if _, _, err := p.atTip(ctx); err != nil {
		return 0, err
	}
	log, err := p.openEngineLog()
	if err != nil {
		return 0, err
	}
	defer func() { _ = log.Close() }() // the engine has it open itself
	began := p.Now()
	if _, err := fmt.Fprintf(log, "== %s\n", began.Format(time.DateTime)); err != nil {
		return 0, fmt.Errorf("write %s: %w", p.EngineLog(), err)
	}
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", p.EngineLog(), err)
	}
	pid, err = proc.Detached{Argv: argv, Env: os.Environ(), Stdout: log, Stderr: log}.Start()
	if err != nil {
		return 0, err
	}
	return pid, p.awaitEngine(ctx, pid, began, from)
}

// openEngineLog opens the log to be written on, for its owner alone. A long one is put aside before.
func (p *Project) openEngineLog() (*os.File, error) {
	if err := p.ensureRuntime(); err != nil {
		return nil, err
	}
	name := p.EngineLog()
	if info, err := os.Stat(name); err == nil && info.Size() > engineLogMost {
		if err := os.Rename(name, name+".1"); err != nil {
			return nil, fmt.Errorf("put the old log aside: %w", err)
		}
	}
	log, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the engine's log: %w", err)
	}
	return log, nil
}

// awaitEngine returns once the process has taken the lock. One that ended without it said why in the log, from there on.
func (p *Project) awaitEngine(ctx context.Context, pid int, began time.Time, from int64) error {
	ctx, cancel := context.WithTimeout(ctx, comingUp)
	defer cancel()
	for {
		// Whether it lives is asked first: one that took the lock and has ended since was an engine too.
		_, gone := proc.Identify(pid)
		if h := p.lockHolder(); h.PID == pid && !h.Since.Before(began) {
			return nil
		}
		if errors.Is(gone, proc.ErrGone) {
			proc.Reap(pid)
			return errors.New(p.lastWords(from))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the engine (process %d) does not take the lock\n  see %s", pid, p.EngineLog())
		case <-time.After(lookAgain):
		}
	}
}

// lastWords are what an engine that did not come up wrote into its log.
func (p *Project) lastWords(from int64) string {
	words := "the engine did not start"
	log, err := os.Open(p.EngineLog())
	if err != nil {
		return words
	}
	defer func() { _ = log.Close() }() // read only
	said, err := io.ReadAll(io.NewSectionReader(log, from, 16<<10))
	if text := strings.TrimPrefix(string(bytes.TrimSpace(said)), "tendril: "); err == nil && text != "" {
		return text
	}
	return words + "\n  see " + p.EngineLog()
}

// EndEngine ends the engine that works in this clone, as Ctrl-C once does: agents go on. It returns its pid once the lock is
// free, 0 where no engine runs.
func (p *Project) EndEngine(ctx context.Context) (pid int, err error) {
	ctx, cancel := context.WithTimeout(ctx, goingDown)
	defer cancel()
	for {
		runs, err := p.EngineRuns()
		if err != nil || !runs {
			return pid, err
		}
		// The file is written just after the lock is taken: until then it names an engine that is gone.
		h := p.lockHolder()
		if h.PID != pid {
			err := proc.Identity{PID: h.PID, Start: h.Start}.Terminate()
			if err == nil {
				pid = h.PID
			} else if !errors.Is(err, proc.ErrGone) {
				return 0, fmt.Errorf("end the engine: %w", err)
			}
		}
		select {
		case <-ctx.Done():
			return pid, fmt.Errorf("the engine (process %d) does not end: %w", h.PID, ctx.Err())
		case <-time.After(lookAgain):
		}
	}
}
