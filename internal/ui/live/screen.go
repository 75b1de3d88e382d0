// Package live is the screen of tendril run: below the record of what happened, which scrolls by and stays in the terminal's
// scrollback, it shows what is under way, what waits for what, and what waits for the person who watches.
//
// It reads no keys. The terminal goes on turning Ctrl-C into a signal, so that a key and a signal from elsewhere are the same
// thing, and only stops showing what is typed.
package live

import (
	"fmt"
	"os"
	"sync"
	"time"

	"tendril/internal/term"
	"tendril/lifecycle"
)

// Options say where the screen is.
type Options struct {
	// Out is the terminal, Look what it can. In is its input, nil where that is something else: it is then left alone.
	In, Out *os.File
	Look    term.Info
	// Env reads the environment that says what kind of terminal it is.
	Env func(string) string
	Now func() time.Time
}

// Screen shows scenes and events. Its methods may be called from any goroutine and never wait for the terminal, Close aside.
type Screen struct {
	opt  Options
	wake chan struct{}
	done chan struct{}

	mu   sync.Mutex
	told told

	// What follows belongs to the goroutine of show.
	tty     *tty
	model   model
	painter painter
	record  []string
	failed  error
}

// told is what the screen was told and has not taken in yet.
type told struct {
	events []lifecycle.Event
	scene  *lifecycle.Scene
	notice *string
	closed bool
}

const (
	// frame is the least time between two pictures.
	frame = 100 * time.Millisecond
	// second is how often the times on the screen go on.
	second = time.Second
)

// Start takes the terminal. Close gives it back.
func Start(o Options) *Screen {
	s := &Screen{opt: o, wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.model = model{look: o.Look, now: o.Now(), width: o.Look.Width, height: fallbackHeight}
	s.painter = painter{out: o.Out, reflows: reflows(o.Env)}
	s.tty = openTTY(o.In, o.Out)
	go s.show()
	return s
}

// fallbackHeight is what a terminal is taken for whose height cannot be told.
const fallbackHeight = 24

// Event adds what happened to the record.
func (s *Screen) Event(e lifecycle.Event) { s.tell(func(t *told) { t.events = append(t.events, e) }) }

// Scene shows what is under way; only the newest matters.
func (s *Screen) Scene(scene lifecycle.Scene) { s.tell(func(t *told) { t.scene = &scene }) }

// Notice puts words at the end of the screen.
func (s *Screen) Notice(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	s.tell(func(t *told) { t.notice = &words })
}

// Close takes the screen away, leaves the record, and gives the terminal back. It returns why the terminal could not be
// written to, if so.
func (s *Screen) Close() error {
	s.tell(func(t *told) { t.closed = true })
	<-s.done
	return s.failed
}

func (s *Screen) tell(what func(*told)) {
	s.mu.Lock()
	what(&s.told)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns what was told since the last call.
func (s *Screen) take() told {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.told
	s.told = told{closed: t.closed}
	return t
}

// show draws what is told until it is closed. It sleeps while nothing is told, and wakes once a second while something is
// under way, for the times.
func (s *Screen) show() {
	defer close(s.done)
	defer s.tty.close()
	clock := time.NewTicker(second)
	defer clock.Stop()
	clock.Stop()
	s.resize()
	s.draw()
	last := time.Now()
	for {
		select {
		case <-s.wake:
		case <-clock.C:
		case <-s.tty.resized:
			s.resize()
		case <-s.tty.stop:
			s.suspend()
		}
		// What comes in a burst is drawn in one picture.
		if pause := frame - time.Since(last); pause > 0 {
			time.Sleep(pause)
		}
		t := s.take()
		s.takeIn(t)
		if t.scene != nil {
			if clock.Stop(); len(t.scene.Working) > 0 {
				clock.Reset(second)
			}
		}
		if t.closed {
			s.leave()
			return
		}
		s.draw()
		last = time.Now()
	}
}

// takeIn brings what was told into the model and the record.
func (s *Screen) takeIn(t told) {
	if t.scene != nil {
		s.model.scene, s.model.looked = *t.scene, true
	}
	if t.notice != nil {
		s.model.notice = *t.notice
	}
	s.model.now = s.opt.Now()
	width := max(s.model.width-1, narrowest)
	for _, e := range t.events {
		s.record = append(s.record, recordLines(e, s.model.scene.Name, width, s.opt.Look)...)
	}
}

// draw paints the record and the screen. In the background of its shell it adds to the record alone.
func (s *Screen) draw() {
	var lines []string
	if s.tty.ready() {
		lines = s.model.lines()
	} else {
		s.painter.forget()
	}
	s.paint(lines)
}

func (s *Screen) paint(lines []string) {
	// The record goes on even where the terminal failed once: the next line may reach it.
	if err := s.painter.paint(s.record, lines, s.model.width); err != nil && s.failed == nil {
		s.failed = err
	}
	s.record = nil
}

// leave paints the end: the record with what waits for the person, and no screen.
func (s *Screen) leave() {
	s.record = append(s.record, s.model.farewell()...)
	s.paint(nil)
}

// resize asks how large the terminal is.
func (s *Screen) resize() {
	if w, h, ok := s.tty.size(); ok {
		s.model.width, s.model.height = w, h
	}
}

// suspend leaves the terminal to the shell until the process goes on.
func (s *Screen) suspend() {
	s.paint(nil)
	s.tty.suspend()
	s.painter.forget()
	s.resize()
}
