package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/git"
	"tendril/internal/proc"
)

const (
	// turnLimit is how long one Tendril process waits for another's step.
	turnLimit = 30 * time.Second
	// lockLimit is how long an index that somebody else has locked is waited for, lockPause the pause between two tries.
	lockLimit = 3 * time.Second
	lockPause = 20 * time.Millisecond
)

// takeTurn makes this the only one of all Tendril's processes that records in this clone. The file is never removed.
func takeTurn(ctx context.Context, runtime string) (release func(), err error) {
	if err := os.MkdirAll(runtime, 0o700); err != nil {
		return nil, fmt.Errorf("make the runtime folder: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	l := flock.New(filepath.Join(runtime, "record.lock"))
	if ok, err := l.TryLockContext(limited, 10*time.Millisecond); err != nil || !ok {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, &BusyError{Why: "another tendril process is recording"}
		}
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	}
	return func() { _ = l.Unlock() }, nil // closing the file, the only thing that could fail, unlocks it too
}

// indexLock is a worktree's index.lock while it is ours.
type indexLock struct {
	path string
	free bool
}

// lockMark is what every index.lock of ours begins with.
const lockMark = "tendril "

// lockText is the content of an index.lock: whose it is, and for which commit.
func lockText(owner proc.Identity, commit string) string {
	return fmt.Sprintf("%s%d %s\n%s\n", lockMark, owner.PID, commit, owner.Start)
}

// lockIndex takes a worktree's index.lock, so that git finds it with its content or not at all: a lock is provably ours
// from its first moment. It waits a short time for another's; then it is a *BusyError.
func lockIndex(ctx context.Context, c git.Checkout, text string) (*indexLock, error) {
	lock := filepath.Join(c.GitDir, "index.lock")
	draft := filepath.Join(c.GitDir, lockDraftName)
	if err := os.WriteFile(draft, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("lock index: %w", err)
	}
	defer func() { _ = os.Remove(draft) }() // overwritten the next time
	for end := time.Now().Add(lockLimit); ; {
		err := os.Link(draft, lock)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = createExclusive(lock, text) // a file system without hard links
		}
		if err == nil {
			return &indexLock{path: lock}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock index: %w", err)
		}
		if time.Now().After(end) {
			return nil, &BusyError{Why: "another git process holds index.lock", Worktree: c.Path}
		}
		if err := pause(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

func createExclusive(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// release gives the index back.
func (l *indexLock) release() error {
	if l == nil || l.free {
		return nil
	}
	l.free = true
	if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unlock index: %w", err)
	}
	return nil
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// dropDeadLock removes a worktree's index.lock when it is one of ours whose process is gone. All others stay.
func dropDeadLock(c git.Checkout) error {
	lock := filepath.Join(c.GitDir, "index.lock")
	data, err := os.ReadFile(lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at a lock: %w", err)
	}
	owner, ours := lockOwner(string(data))
	if !ours || owner.Alive() {
		return nil
	}
	if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a lock of ours: %w", err)
	}
	return nil
}

// lockOwner reads a lock's text; false when it is not ours.
func lockOwner(text string) (proc.Identity, bool) {
	first, start, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(first, lockMark))
	if !strings.HasPrefix(first, lockMark) || len(words) != 2 {
		return proc.Identity{}, false
	}
	pid, err := strconv.Atoi(words[0])
	if err != nil {
		return proc.Identity{}, false
	}
	return proc.Identity{PID: pid, Start: strings.TrimSpace(start)}, true
}
