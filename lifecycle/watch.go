package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long a burst of file events may last before the engine looks.
const quiet = 50 * time.Millisecond

// watcher says that something changed; it never says what. Lost events are made up for by the poll.
type watcher struct {
	dirty chan struct{}
	fs    *fsnotify.Watcher
	done  chan struct{}
}

// newWatcher watches the folders in which git moves the plans branch, and the requests of other tendril processes.
func newWatcher(p *Project) (*watcher, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &watcher{dirty: make(chan struct{}, 1), fs: fs, done: make(chan struct{})}
	if err := os.MkdirAll(p.requestDir(), 0o700); err != nil {
		return nil, fmt.Errorf("make the requests folder: %w", err)
	}
	dirs := []string{filepath.Dir(filepath.Join(p.Repo.CommonDir, p.Ref)), p.Repo.CommonDir, p.requestDir()}
	for _, dir := range append(dirs, p.watchDirs()...) {
		// A folder that cannot be watched is looked at by the poll.
		_ = fs.Add(dir)
	}
	go w.loop()
	return w, nil
}

// loop turns bursts of events into single words; it ends with close.
func (w *watcher) loop() {
	defer close(w.done)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case ev, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if ev.Op != fsnotify.Chmod && filepath.Ext(ev.Name) != ".lock" {
				timer.Reset(quiet)
			}
		case _, ok := <-w.fs.Errors:
			if !ok {
				return
			}
		case <-timer.C:
			select {
			case w.dirty <- struct{}{}:
			default:
			}
		}
	}
}

// close ends the watcher and waits for it.
func (w *watcher) close() {
	// What cannot be closed ends with the process.
	_ = w.fs.Close()
	<-w.done
}
