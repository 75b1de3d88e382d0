package runners

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"tendril/internal/proc"
)

// stopRequest is stop.json: the wish that a run end. The first one counts.
type stopRequest struct {
	Why string    `json:"why"`
	At  time.Time `json:"at"`
}

// Stop asks a run to end and returns at once; Wait tells what came of it. why is for people ("stopped by tendril stop").
// A run that has ended is left as it is. Where the supervisor is gone, what is left of the run is ended here.
func (r Runs) Stop(ctx context.Context, id, why string) error {
	dir, err := r.existing(id)
	if err != nil {
		return err
	}
	if exists(dir, outcomeFile) {
		return nil
	}
	if !exists(dir, stopFile) {
		if err := writeJSON(dir, stopFile, stopRequest{Why: why, At: r.now()}); err != nil {
			return fmt.Errorf("stop run %s: %w", id, err)
		}
	}
	var supervisor proc.Identity
	if _, err := readJSON(dir, supervisorFile, &supervisor); err != nil {
		return fmt.Errorf("stop run %s: %w", id, err)
	}
	// The signal only makes it look at once; it looks for the file by itself.
	if err := supervisor.Signal(syscall.SIGTERM); err == nil || !errors.Is(err, proc.ErrGone) {
		return nil
	}
	if _, err := r.Finish(ctx, id); err != nil && !errors.Is(err, ErrAlive) {
		return fmt.Errorf("stop run %s: %w", id, err)
	}
	return nil
}

const (
	// longestPause is the longest time between two looks for an outcome, livesEvery that between two looks for the supervisor.
	longestPause = 200 * time.Millisecond
	livesEvery   = time.Second
)

// Wait returns what came of a run once it has ended. Where the supervisor died it finishes the run itself.
func (r Runs) Wait(ctx context.Context, id string) (Outcome, error) {
	var looked time.Time
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, longestPause) {
		out, ended, err := r.Outcome(id)
		if ended || err != nil {
			return out, err
		}
		// Whether the supervisor lives costs ten times as much to know as whether it is done.
		if pause < longestPause || time.Since(looked) >= livesEvery {
			looked = time.Now()
			st, err := r.State(id)
			if err != nil {
				return Outcome{}, err
			}
			if !st.Alive {
				if out, err := r.Finish(ctx, id); !errors.Is(err, ErrAlive) {
					return out, err
				}
			}
		}
		select {
		case <-ctx.Done():
			return Outcome{}, fmt.Errorf("wait for run %s: %w", id, ctx.Err())
		case <-time.After(pause):
		}
	}
}
