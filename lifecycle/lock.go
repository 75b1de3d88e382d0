package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/proc"
)

// LockedError says that another engine works in this clone.
type LockedError struct {
	// PID and Since describe it as far as it said.
	PID   int
	Since time.Time
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("another engine runs in this clone (process %d, since %s)\n  see it with tendril status, or end it with tendril stop --engine",
		e.PID, e.Since.Format(time.DateTime))
}

// holder is what it says beside the lock's file about who holds it.
type holder struct {
	PID int `json:"pid"`
	// Start tells the process from a later one with its pid.
	Start string    `json:"start"`
	Since time.Time `json:"since"`
	Host  string    `json:"host"`
}

// engineLock is held by the one engine of a clone. The file is never deleted: whoever unlinks a held lock file lets a
// second process have the lock.
type engineLock struct{ file *flock.Flock }

// lockPatience is how long the lock is tried while whoever had it last is gone: somebody asks at that moment whether an
// engine runs, or the system has not given it back yet.
const (
	lockPatience = 300 * time.Millisecond
	lockPause    = 5 * time.Millisecond
)

func (p *Project) lockPath() string { return filepath.Join(p.Runtime, "engine.lock") }

// lockEngine takes the clone's engine lock, or says in a *LockedError who has it.
func (p *Project) lockEngine() (*engineLock, error) {
	if err := p.ensureRuntime(); err != nil {
		return nil, err
	}
	file := flock.New(p.lockPath())
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(lockPause) {
		ok, err := file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", p.lockPath(), err)
		}
		if ok {
			break
		}
		if h := p.lockHolder(); time.Now().After(deadline) || (proc.Identity{PID: h.PID, Start: h.Start}).Alive() {
			return nil, &LockedError{PID: h.PID, Since: h.Since}
		}
	}
	// The host's name is for people only.
	host, _ := os.Hostname()
	self, err := proc.Self()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", p.lockPath(), err)
	}
	if err := writeHolder(p.lockPath(), holder{PID: self.PID, Start: self.Start, Since: p.Now(), Host: host}); err != nil {
		return nil, fmt.Errorf("say who has %s: %w", p.lockPath(), err)
	}
	return &engineLock{file}, nil
}

// lockHolder reads who holds the lock; the zero value where it does not say.
func (p *Project) lockHolder() holder {
	var h holder
	if !readHolder(p.lockPath(), &h) {
		return holder{}
	}
	return h
}

// EngineRuns says whether an engine works in this clone now.
func (p *Project) EngineRuns() (bool, error) {
	if _, err := os.Stat(p.lockPath()); err != nil {
		return false, nil
	}
	file := flock.New(p.lockPath())
	// Shared, so that two who ask at once do not take each other for an engine.
	ok, err := file.TryRLock()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", p.lockPath(), err)
	}
	if ok {
		return false, file.Unlock()
	}
	return true, nil
}

// release gives the lock back; the file stays.
func (l *engineLock) release() {
	// The lock goes with the process at the latest.
	_ = l.file.Unlock()
}
