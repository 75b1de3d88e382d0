package proc

import (
	"context"
	"os"
	"time"
)

// Family is a process and everything that came of it, found in every way that this system has.
type Family struct {
	// Group is the process group's id; zero for none.
	Group int
	// Mark is a variable ("NAME=value") in the environment of all of them; empty for none.
	Mark string
	// Root is a process whose descendants belong to the family, itself not; zero for none.
	Root int
	// Leader is a process that belongs to the family itself, with its descendants; zero for none.
	Leader Identity
}

// killing bounds how long End waits for processes to vanish after KILL: only one in an uninterruptible call takes long.
const killing = 5 * time.Second

// Members returns the family's living processes, this process aside.
func (f Family) Members() []Identity {
	found := map[Identity]bool{}
	if f.Mark != "" {
		for _, id := range FindMarked(f.Mark) {
			found[id] = true
		}
	}
	leads := f.Leader.PID > 0 && f.Leader.Alive()
	if leads {
		found[f.Leader] = true
	}
	if f.Group > 0 || f.Root > 0 || leads {
		// Without a table only marks and the group's signal are left.
		table, _ := Processes()
		pids := table.InGroup(f.Group)
		if f.Root > 0 {
			pids = append(pids, table.Descendants(f.Root)...)
		}
		if leads {
			pids = append(pids, table.Descendants(f.Leader.PID)...)
		}
		for _, pid := range pids {
			found[table[pid].Identity] = true
		}
	}
	self := os.Getpid()
	ids := make([]Identity, 0, len(found))
	for id := range found {
		if id.PID != self {
			ids = append(ids, id)
		}
	}
	return ids
}

// End asks the whole family to end (TERM), kills after grace what is left, again until none is found, since a fork may slip
// in between, and returns what could not be ended. A done context cuts the grace short, never the killing.
func (f Family) End(ctx context.Context, grace time.Duration) []Identity {
	left := f.membersTwice()
	if len(left) == 0 {
		return nil
	}
	if grace > 0 {
		for _, id := range left {
			_ = terminate(id) // one that is gone is what was wanted; one that stays is killed below
		}
		if f.gone(ctx, grace) {
			return nil
		}
	}
	deadline := time.Now().Add(killing)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		killGroup(f.Group)
		left = f.membersTwice()
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
		for _, id := range left {
			_ = id.Signal(os.Kill)
		}
		time.Sleep(pause)
	}
}

// secondLook is how long after a first look that found nobody a second one is taken.
const secondLook = 5 * time.Millisecond

// membersTwice is Members, looked for twice before it says nobody: a process in the middle of an exec shows an empty
// environment for a moment.
func (f Family) membersTwice() []Identity {
	if found := f.Members(); len(found) > 0 {
		return found
	}
	time.Sleep(secondLook)
	return f.Members()
}

// gone waits until nothing of the family lives, at most for limit.
func (f Family) gone(ctx context.Context, limit time.Duration) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		if len(f.Members()) == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-deadline.C:
			return false
		case <-look.C:
		}
	}
}
