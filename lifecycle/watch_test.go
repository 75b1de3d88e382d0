package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// watched is a watcher over a git directory that a test writes in as git does.
type watched struct {
	*watcher
	t      *testing.T
	common string
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	common := testkit.TempDir(t)
	w := &watched{t: t, common: common}
	for _, dir := range []string{"refs/heads", "requests"} {
		if err := os.MkdirAll(filepath.Join(common, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ref := filepath.Join(common, "refs", "heads", "main")
	var err error
	w.watcher, err = watchFolders(common, ref, func() []string {
		return []string{filepath.Dir(ref), common, filepath.Join(common, "requests")}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// put writes a file as git does: a lock, then its name.
func (w *watched) put(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.common, filepath.FromSlash(name))
	if err := os.WriteFile(file+".lock", []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(file+".lock", file); err != nil {
		w.t.Fatal(err)
	}
}

// wakes says whether a word comes within so long, and how long it took.
func (w *watched) wakes(within time.Duration) (bool, time.Duration) {
	start := time.Now()
	select {
	case <-w.dirty:
		return true, time.Since(start)
	case <-time.After(within):
		return false, within
	}
}

func TestWatcherWakesOnceForNews(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*watched){
		"the branch moves":            func(w *watched) { w.put("refs/heads/main", "one\n") },
		"another branch moves":        func(w *watched) { w.put("refs/heads/other", "one\n") },
		"branches are packed":         func(w *watched) { w.put("packed-refs", "x\n") },
		"a request by truncating":     func(w *watched) { testkit.Write(w.t, w.common, "requests/0001-a.stop", "stop\n") },
		"many moves are one":          func(w *watched) { w.many(20, "refs/heads/main") },
		"a folder that was recreated": func(w *watched) { w.recreate() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			w.knows("nothing")
			do(w)
			woke, took := w.wakes(5 * time.Second)
			if !woke || took > time.Second {
				t.Errorf("woke %v after %s", woke, took)
			}
			if again, _ := w.wakes(3 * longestNoise); again {
				t.Error("woke twice")
			}
		})
	}
}

func (w *watched) many(n int, name string) {
	for i := range n {
		w.put(name, fmt.Sprintf("%d\n", i))
	}
}

// recreate removes the branch's folder, as git does with an empty one, and makes it again.
func (w *watched) recreate() {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.common, "refs", "heads")); err != nil {
		w.t.Fatal(err)
	}
	w.wakes(5 * time.Second)
	if err := os.MkdirAll(filepath.Join(w.common, "refs", "heads"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.refresh()
	w.wakes(3 * longestNoise)
	w.put("refs/heads/main", "one\n")
}

func TestWatcherSleepsThrough(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*watched){
		"its own write":                 func(w *watched) { w.knows("mine"); w.put("refs/heads/main", "mine\n") },
		"a checkout storm in the index": func(w *watched) { w.many(300, "index"); w.many(10, "ORIG_HEAD") },
		"a commit message":              func(w *watched) { testkit.Write(w.t, w.common, "COMMIT_EDITMSG", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			do(w)
			if woke, took := w.wakes(3 * longestNoise); woke {
				t.Errorf("woke after %s", took)
			}
		})
	}
}

// A storm that does not end holds nothing up for longer than its bound.
func TestWatcherIsNotHeldUpByAStorm(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				w.put("HEAD", fmt.Sprintf("%d\n", i))
				time.Sleep(quiet / 10)
			}
		}
	}()
	woke, took := w.wakes(10 * time.Second)
	close(stop)
	<-stopped
	if !woke || took > 2*time.Second {
		t.Errorf("woke %v after %s", woke, took)
	}
}
