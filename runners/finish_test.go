//go:build unix

package runners

import (
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// A supervisor writes the outcome and lives a moment longer, its lock held: the run has ended all the same.
func TestFinishOfAnEndedRunAsksForNoLock(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	want := k.run(k.script("true"))
	lock := flock.New(filepath.Join(k.runs.folder(want.Run), lockFile))
	if held, err := lock.TryLock(); err != nil || !held {
		// The supervisor's own lock may still be held: then that is the case that is meant.
		t.Logf("lock: %t, %v", held, err)
	}
	defer func() { _ = lock.Unlock() }()
	got, err := k.runs.Finish(t.Context(), want.Run)
	if err != nil || got.Run != want.Run || got.Result != OK {
		t.Errorf("%+v, %v", got, err)
	}
}
