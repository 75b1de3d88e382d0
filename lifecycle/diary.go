package lifecycle

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tendril/internal/git"
	"tendril/internal/logfile"
	"tendril/internal/redact"
	"tendril/plans"
)

// LogFile is the clone's log: what its engines saw and did, one JSON object a line.
func (p *Project) LogFile() string { return filepath.Join(p.Runtime, "tendril.log") }

// diary is an engine's hand in the clone's log. Each line names plan and run, where it is about one. Any goroutine may write.
// A nil one writes nothing.
type diary struct {
	log  *slog.Logger
	file io.Closer

	mu sync.Mutex
	// runs are the newest runs of plans, as the last look saw them.
	runs map[plans.Key]string
}

// openDiary opens the log; only the engine that holds the clone's lock does.
func (p *Project) openDiary() (*diary, error) {
	log, file, err := logfile.Open(p.LogFile(), redact.New(os.Environ()).Bytes)
	if err != nil {
		return nil, err
	}
	return &diary{log: log.With("pid", os.Getpid()), file: file, runs: map[plans.Key]string{}}, nil
}

// close ends it with the last word on the engine.
func (d *diary) close(err error) {
	if err != nil {
		d.log.Error("engine ended", d.about("", "", "err", err.Error())...)
	} else {
		d.log.Info("engine ended")
	}
	_ = d.file.Close() // each line was written when it was said
}

// saw notes which runs are the newest.
func (d *diary) saw(snap *snapshot) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, infos := range snap.runs {
		d.runs[key] = infos[len(infos)-1].spec.Run
	}
}

// runOf is the newest run of a plan; empty before its first.
func (d *diary) runOf(key plans.Key) string {
	if d == nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.runs[key]
}

// about are the attributes of a line: plan and run first.
func (d *diary) about(key plans.Key, run string, more ...any) []any {
	var attrs []any
	if key != "" {
		attrs = append(attrs, "plan", string(key))
	}
	if run != "" {
		attrs = append(attrs, "run", run)
	}
	return append(attrs, more...)
}

// event writes down what a person was told.
func (d *diary) event(e Event) {
	if d == nil {
		return
	}
	level := slog.LevelInfo
	switch e.Kind {
	case EventProblem, EventRefused, EventFailed:
		level = slog.LevelWarn
	}
	d.log.Log(context.Background(), level, e.Text, d.about(e.Key, e.Run, "kind", e.Kind)...)
}

// action writes down what an action came to and how long it took.
func (d *diary) action(f finished) {
	if d == nil {
		return
	}
	attrs := d.about(f.key, d.runOf(f.key), "action", string(f.kind), "seconds", f.took.Round(time.Millisecond).Seconds())
	switch {
	case f.dropped:
		d.log.Info("action dropped", attrs...)
	case f.err != nil:
		d.log.Warn("action failed", append(attrs, failure(f.err)...)...)
	default:
		d.log.Info("action done", attrs...)
	}
}

// trouble writes down why a look could not be finished.
func (d *diary) trouble(err error) {
	if d != nil {
		d.log.Warn("look failed", failure(err)...)
	}
}

// failure are the attributes of an error: what git was asked and what it said, where git failed.
func failure(err error) []any {
	attrs := []any{"err", err.Error()}
	if failed := (*git.Error)(nil); errors.As(err, &failed) {
		attrs = append(attrs, "git", failed.Args, "exit", failed.ExitCode, "stderr", failed.Stderr)
	}
	return attrs
}
