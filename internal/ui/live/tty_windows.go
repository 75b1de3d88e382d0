package live

import (
	"os"

	"golang.org/x/sys/windows"
	xterm "golang.org/x/term"
)

// tty is the console: it shows what is typed only where a program reads it, so there is nothing to change about its input.
type tty struct {
	out *os.File
	// resized and stop never come here.
	resized, stop chan os.Signal
}

func openTTY(_, out *os.File) *tty {
	var mode uint32
	console := windows.Handle(out.Fd())
	if windows.GetConsoleMode(console, &mode) == nil {
		// Consoles from before 2016 do not know it; what they show cannot be helped.
		_ = windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
	return &tty{out: out}
}

func (t *tty) ready() bool { return true }

func (t *tty) size() (width, height int, ok bool) {
	w, h, err := xterm.GetSize(int(t.out.Fd()))
	return w, h, err == nil && w > 0 && h > 0
}

func (t *tty) suspend() {}

func (t *tty) close() {}
