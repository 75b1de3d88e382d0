package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"

	"tendril/internal/proc"
	"tendril/plans"
)

// Holder is a process that keeps a plan from every engine: while it lives, nothing of the plan is started, checked,
// collected, delivered or cleared away.
type Holder struct {
	// Command is what holds it: attach or shell.
	Command string `json:"command"`
	// Process is who it is, Since when it began.
	Process proc.Identity `json:"process"`
	Since   time.Time     `json:"since"`
}

// String names the holder for people.
func (h Holder) String() string { return fmt.Sprintf("%s (process %d)", h.Command, h.Process.PID) }

// HeldError says that a plan is held.
type HeldError struct {
	Key    plans.Key
	Holder Holder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is held by %s\n  leave that program first", e.Key, e.Holder)
}

// AtWorkError says that an engine is at work in a plan's worktree.
type AtWorkError struct {
	Key plans.Key
	// What is at work there: "its agent", "a check or the setup".
	What string
	// Choices are the commands that go on from here.
	Choices []string
}

func (e *AtWorkError) Error() string {
	words := fmt.Sprintf("%s: %s is at work in its worktree", e.Key, e.What)
	for _, c := range e.Choices {
		words += "\n  " + c
	}
	return words
}

// held is a plan held by this process. The lock is the system's: it goes with the process.
type held struct {
	p    *Project
	key  plans.Key
	file *flock.Flock
}

func (p *Project) holdDir() string { return filepath.Join(p.Runtime, "holds") }

// holdFile is the file whose lock holds a plan: exclusive by whoever holds it, shared by an engine's action on it. It is
// never deleted.
func (p *Project) holdFile(key plans.Key) string { return filepath.Join(p.holdDir(), string(key)) }

// The waits for an engine's action to end: a short one, and the one after that action was asked to end.
const (
	holdPatience  = 2 * time.Second
	yieldPatience = 30 * time.Second
)

// hold takes the plan for this process. A plan that another process holds gives a *HeldError, one on which an engine is at
// work an *AtWorkError, unless interrupt asks that engine to end its checks or its setup.
func (p *Project) hold(ctx context.Context, key plans.Key, command string, interrupt bool) (*held, error) {
	if err := os.MkdirAll(p.holdDir(), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of holds: %w", err)
	}
	patience := holdPatience
	if interrupt {
		patience = yieldPatience
		if err := p.askToYield(key, command); err != nil {
			return nil, err
		}
		defer p.yielded(key)
	}
	file := flock.New(p.holdFile(key))
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("hold %s: %w", key, err)
		}
		if ok {
			break
		}
		if other, is := p.heldBy(key); is {
			return nil, &HeldError{Key: key, Holder: other}
		}
		select {
		case <-wait.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &AtWorkError{Key: key, What: "a check or the setup"}
		case <-time.After(20 * time.Millisecond):
		}
	}
	h := &held{p: p, key: key, file: file}
	self, err := proc.Self()
	if err == nil {
		err = writeHolder(p.holdFile(key), Holder{Command: command, Process: self, Since: p.Now()})
	}
	if err != nil {
		h.release()
		return nil, fmt.Errorf("hold %s: %w", key, err)
	}
	return h, nil
}

// release lets engines have the plan again, and wakes one up.
func (h *held) release() {
	// The lock is what counts, and it goes with the process at the latest; the words beside it are for people.
	_ = os.Remove(holderFile(h.p.holdFile(h.key)))
	_ = h.file.Unlock()
	h.p.wakeEngine()
}

// heldBy says which process holds the plan. A holder that died holds nothing, whatever it left in words.
func (p *Project) heldBy(key plans.Key) (Holder, bool) {
	var h Holder
	if !readHolder(p.holdFile(key), &h) {
		return Holder{}, false
	}
	file := flock.New(p.holdFile(key))
	// A lock that cannot be tried is as good as held: nothing is started on a guess.
	if free, err := file.TryRLock(); free && err == nil {
		_ = file.Unlock() // closing the file gives it back in any case
		return Holder{}, false
	}
	return h, true
}

// holdWords says what keeps engines from the plan, for people; empty where nothing does. One who asked the engine to make
// room is on the way to holding it.
func (p *Project) holdWords(key plans.Key) string {
	if h, is := p.heldBy(key); is {
		return h.String()
	}
	if h, is := p.yieldAsked(key); is {
		return h.String()
	}
	return ""
}

// use shares the plan's lock for as long as an engine's action takes; false where somebody holds the plan.
func (p *Project) use(key plans.Key) (release func(), ok bool, err error) {
	if err := os.MkdirAll(p.holdDir(), 0o700); err != nil {
		return nil, false, fmt.Errorf("make the folder of holds: %w", err)
	}
	file := flock.New(p.holdFile(key))
	if ok, err = file.TryRLock(); err != nil || !ok {
		if err != nil {
			err = fmt.Errorf("%s: %w", p.holdFile(key), err)
		}
		return nil, false, err
	}
	return func() { _ = file.Unlock() }, true, nil // closing the file gives it back in any case
}

// unheld makes an action that is not done while somebody holds the plan: the next look decides anew.
func (p *Project) unheld(key plans.Key, do func(context.Context) (func(*progress), error)) func(context.Context) (func(*progress), error) {
	return func(ctx context.Context) (func(*progress), error) {
		release, ok, err := p.use(key)
		if err != nil || !ok {
			return nil, err
		}
		defer release()
		return do(ctx)
	}
}

func (p *Project) yieldRequest(key plans.Key) string {
	return filepath.Join(p.requestDir(), string(key)+".yield")
}

// askToYield leaves word that the engine shall end its checks or its setup of the plan, in the name of this process.
func (p *Project) askToYield(key plans.Key, command string) error {
	self, err := proc.Self()
	if err != nil {
		return fmt.Errorf("ask for %s: %w", key, err)
	}
	data, err := json.Marshal(Holder{Command: command, Process: self, Since: p.Now()})
	if err != nil {
		return fmt.Errorf("ask for %s: %w", key, err)
	}
	if err := os.MkdirAll(p.requestDir(), 0o700); err != nil {
		return fmt.Errorf("make the requests folder: %w", err)
	}
	if err := maybe.WriteFile(p.yieldRequest(key), data, 0o600); err != nil {
		return fmt.Errorf("ask for %s: %w", key, err)
	}
	return nil
}

// yieldAsked says who asks for the plan; a process that died asks for nothing.
func (p *Project) yieldAsked(key plans.Key) (Holder, bool) {
	var h Holder
	data, err := os.ReadFile(p.yieldRequest(key))
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Holder{}, false
	}
	return h, h.Process.Alive()
}

// yielded takes the request away.
func (p *Project) yielded(key plans.Key) {
	// One that stays says nothing once this process has ended.
	_ = os.Remove(p.yieldRequest(key))
}

// wakeEngine has an engine look at once; without one, or where that fails, the poll makes up for it.
func (p *Project) wakeEngine() {
	if _, err := os.Stat(p.requestDir()); errors.Is(err, fs.ErrNotExist) {
		return
	}
	_ = os.WriteFile(filepath.Join(p.requestDir(), "look"), nil, 0o600)
}
