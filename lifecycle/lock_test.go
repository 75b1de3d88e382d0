package lifecycle

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// Whoever asks whether an engine runs is none: not for another who asks, and not for an engine that starts.
func TestAskingForAnEngineIsNone(t *testing.T) {
	t.Parallel()
	tk := testkit.Repo(t)
	tk.Write("file", "")
	tk.Commit("first")
	repo, err := git.Open(t.Context(), tk.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &Project{Repo: repo, Runtime: t.TempDir(), Deps: Deps{Now: time.Now}}
	lock, err := p.lockEngine()
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := p.EngineRuns(); err != nil || !runs {
		t.Errorf("an engine runs: %v, %v", runs, err)
	}
	locked := (*LockedError)(nil)
	if _, err := p.lockEngine(); !errors.As(err, &locked) {
		t.Errorf("a second engine: %v", err)
	}
	lock.release()

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				if runs, err := p.EngineRuns(); err != nil || runs {
					t.Errorf("who asks is no engine: %v, %v", runs, err)
					return
				}
			}
		})
	}
	all.Wait()

	// As an asker has it for a moment; the holder that the file names is gone.
	if err := os.WriteFile(holderFile(p.lockPath()), []byte(`{"pid": 1, "start": "another boot"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	asker := flock.New(p.lockPath())
	if ok, err := asker.TryRLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	all.Go(func() {
		time.Sleep(20 * time.Millisecond)
		if err := asker.Unlock(); err != nil {
			t.Error(err)
		}
	})
	if lock, err = p.lockEngine(); err != nil {
		t.Fatalf("an asker kept an engine from starting: %v", err)
	}
	lock.release()
	all.Wait()
}
