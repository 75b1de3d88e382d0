package cmd

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"tendril/internal/term"
	"tendril/internal/ui/live"
	"tendril/lifecycle"
	"tendril/plans"
)

// watching is how a person watches an engine: on a screen, or by one line an event.
type watching struct {
	f *Factory
	// screen is nil where lines are printed. A signal may come before it is there.
	screen atomic.Pointer[live.Screen]
	// happened is true once there was an event.
	happened atomic.Bool
	// last are words that are printed again once the screen is gone.
	last []string
}

// open takes the terminal for a screen, where there is one that can show it.
func (w *watching) open() {
	out, ok := w.f.screen()
	if !ok {
		return
	}
	o := live.Options{Out: out, Look: w.f.IO.Term, Env: w.f.IO.Env, Now: w.f.Now}
	if in, ok := w.f.IO.In.(*os.File); ok && w.f.IO.Term.InTTY {
		o.In = in
	}
	w.screen.Store(live.Start(o))
}

// screen is the terminal that a screen is shown on: output goes to a person, to a terminal that can show one, and that is
// this process's to use.
func (f *Factory) screen() (*os.File, bool) {
	out, ok := f.IO.Out.(*os.File)
	kind := f.IO.Env("TERM")
	return out, ok && f.IO.Term.OutTTY && !f.Global.JSON && !f.Global.Quiet && kind != "" && kind != "dumb" && term.Foreground(out)
}

// event shows what happened.
func (w *watching) event(e lifecycle.Event) {
	w.happened.Store(true)
	if screen := w.screen.Load(); screen != nil {
		screen.Event(e)
		return
	}
	w.f.printEvent(e)
}

// scenes is who is shown what is under way; nil where nobody is.
func (w *watching) scenes() func(lifecycle.Scene) {
	screen := w.screen.Load()
	if screen == nil {
		return nil
	}
	return screen.Scene
}

// ending says at once what a first Ctrl-C does, on a screen: the engine may need a moment to end.
func (w *watching) ending(p *lifecycle.Project, asked bool) {
	screen := w.screen.Load()
	if screen == nil {
		return
	}
	alive, err := p.LiveRuns()
	if err != nil || len(alive) == 0 {
		screen.Notice("the engine ends")
		return
	}
	words := "the engine ends; " + goOn(len(alive))
	if asked {
		words += fmt.Sprintf("; Ctrl-C again within %s ends them", secondChance)
	}
	screen.Notice("%s", words)
}

// say tells the person something that stays.
func (w *watching) say(format string, args ...any) {
	screen := w.screen.Load()
	if screen == nil {
		w.f.Infof(format, args...)
		return
	}
	w.last = append(w.last, fmt.Sprintf(format, args...))
	screen.Notice("%s", w.last[len(w.last)-1])
}

// hint tells the person something that holds for a moment only.
func (w *watching) hint(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	screen := w.screen.Load()
	switch {
	case screen == nil:
		w.f.Infof("%s", words)
	case len(w.last) > 0:
		screen.Notice("%s; %s", w.last[len(w.last)-1], words)
	default:
		screen.Notice("%s", words)
	}
}

// close takes the screen away and prints what is to stay.
func (w *watching) close() {
	screen := w.screen.Swap(nil)
	if screen == nil {
		return
	}
	if err := screen.Close(); err != nil {
		w.f.Warnf("the screen broke: %s", err)
	}
	for _, words := range w.last {
		w.f.Infof("%s", words)
	}
}

// printEvent prints one line for a thing that happened; with --json one object.
func (f *Factory) printEvent(e lifecycle.Event) {
	if f.Global.JSON {
		// A reader that went away is noticed at the end of the command.
		_ = f.PrintJSONLine(struct {
			At   time.Time `json:"at"`
			Key  plans.Key `json:"key,omitempty"`
			Run  string    `json:"run,omitempty"`
			Kind string    `json:"kind"`
			Text string    `json:"text"`
		}(e))
		return
	}
	if f.Global.Quiet {
		return
	}
	who := string(e.Key)
	if who == "" {
		who = "tendril"
	}
	_, _ = fmt.Fprintf(f.IO.Out, "%s  %s  %s\n", e.At.Format(time.TimeOnly), who, term.CleanText(e.Text))
}
