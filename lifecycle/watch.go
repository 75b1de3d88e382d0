package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long it must be quiet after a file event before the engine looks: git and editors write in several steps.
	quiet = 50 * time.Millisecond
	// longestNoise is how long a storm of events holds the look up.
	longestNoise = 4 * quiet
)

// watcher says that something changed; it never says what. Lost events are made up for by the poll. It watches few folders,
// however many plans there are: nothing in a working copy counts before it is committed.
type watcher struct {
	dirty chan struct{}
	fs    *fsnotify.Watcher
	done  chan struct{}
	// dirs finds the folders, common is the git directory among them, ref the plans branch's file.
	dirs        func() []string
	common, ref string
	// known is the commit that the engine knows the plans branch at: its own writes wake nobody up.
	known atomic.Pointer[string]
}

// newWatcher watches the folders in which git moves the plans branch, and the requests of other tendril processes.
func newWatcher(p *Project) (*watcher, error) {
	if err := os.MkdirAll(p.requestDir(), 0o700); err != nil {
		return nil, fmt.Errorf("make the requests folder: %w", err)
	}
	ref := filepath.Join(p.Repo.CommonDir, filepath.FromSlash(p.Ref))
	return watchFolders(p.Repo.CommonDir, ref, func() []string {
		return append([]string{filepath.Dir(ref), p.Repo.CommonDir, p.requestDir()}, p.watchDirs()...)
	})
}

func watchFolders(common, ref string, dirs func() []string) (*watcher, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &watcher{dirty: make(chan struct{}, 1), fs: fs, done: make(chan struct{}), dirs: dirs, common: common, ref: ref}
	w.refresh()
	go w.loop()
	return w, nil
}

// refresh watches folders that came, or came back: git removes those that are empty.
func (w *watcher) refresh() {
	for _, dir := range w.dirs() {
		// A folder that cannot be watched is looked at by the poll.
		_ = w.fs.Add(dir)
	}
}

// knows notes where the engine knows the plans branch.
func (w *watcher) knows(tip string) { w.known.Store(&tip) }

// loop turns bursts of events into single words; it ends with close.
func (w *watcher) loop() {
	defer close(w.done)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var first time.Time
	other := false
	for {
		select {
		case ev, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if !w.matters(ev) {
				continue
			}
			now := time.Now()
			if first.IsZero() {
				first = now
			}
			other = other || ev.Name != w.ref
			timer.Reset(max(min(quiet, longestNoise-now.Sub(first)), 0))
		case _, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			// Events were lost, it may be.
			other = true
			timer.Reset(quiet)
		case <-timer.C:
			if other || !w.old() {
				w.say()
			}
			first, other = time.Time{}, false
		}
	}
}

// matters says whether an event may be news: of what lies in the git directory itself only where branches and HEAD are.
func (w *watcher) matters(ev fsnotify.Event) bool {
	if ev.Op == fsnotify.Chmod || filepath.Ext(ev.Name) == ".lock" {
		return false
	}
	if filepath.Dir(ev.Name) != w.common {
		return true
	}
	name := filepath.Base(ev.Name)
	return name == "packed-refs" || name == "HEAD" || name == "refs"
}

// old says whether the plans branch is where the engine knows it.
func (w *watcher) old() bool {
	known := w.known.Load()
	tip, err := os.ReadFile(w.ref)
	return err == nil && known != nil && strings.TrimSpace(string(tip)) == *known
}

func (w *watcher) say() {
	select {
	case w.dirty <- struct{}{}:
	default:
	}
}

// close ends the watcher and waits for it.
func (w *watcher) close() {
	// What cannot be closed ends with the process.
	_ = w.fs.Close()
	<-w.done
}
