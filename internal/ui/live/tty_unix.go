//go:build unix

package live

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"

	"tendril/internal/term"
)

// tty is the terminal: it does not show what is typed while the screen is there.
type tty struct {
	in, out *os.File
	// before is how the terminal was, nil where it was left alone.
	before *xterm.State
	// resized and stop are the signals of the terminal: its size changed, Ctrl-Z.
	resized, stop chan os.Signal
}

func openTTY(in, out *os.File) *tty {
	t := &tty{in: in, out: out, resized: make(chan os.Signal, 1), stop: make(chan os.Signal, 1)}
	signal.Notify(t.resized, syscall.SIGWINCH)
	signal.Notify(t.stop, syscall.SIGTSTP)
	t.quiet()
	return t
}

// quiet keeps what is typed off the screen. Keys that are signals stay signals.
func (t *tty) quiet() {
	if t.in == nil || !t.ours() {
		return
	}
	fd := int(t.in.Fd())
	state, err := xterm.GetState(fd)
	if err != nil {
		return
	}
	mode, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return
	}
	mode.Lflag &^= unix.ECHO | unix.ICANON
	if unix.IoctlSetTermios(fd, setTermios, mode) == nil {
		t.before = state
	}
}

// restore makes the terminal what it was. What was typed meanwhile was meant for nobody and is dropped.
func (t *tty) restore() {
	if t.before == nil || !t.ours() {
		return
	}
	fd := int(t.in.Fd())
	flushInput(fd)
	// There is nothing to be done about a terminal that is gone.
	_ = xterm.Restore(fd, t.before)
	t.before = nil
}

// ready says whether the screen may be drawn now, and sees to it that nothing typed gets in between: the process may have come
// from the background a moment ago.
func (t *tty) ready() bool {
	if !t.ours() {
		return false
	}
	if t.before == nil {
		t.quiet()
	}
	return true
}

// ours says whether this process is in the foreground of the terminal: only then may it change anything there.
func (t *tty) ours() bool { return term.Foreground(t.out) }

// size is the terminal's, in columns and rows.
func (t *tty) size() (width, height int, ok bool) {
	w, h, err := xterm.GetSize(int(t.out.Fd()))
	return w, h, err == nil && w > 0 && h > 0
}

// suspend stops this process, as Ctrl-Z does, and returns when it goes on.
func (t *tty) suspend() {
	t.restore()
	// It may be that nobody is there to let it go on; then it is not stopped.
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	t.quiet()
}

// close gives the terminal back.
func (t *tty) close() {
	signal.Stop(t.resized)
	signal.Stop(t.stop)
	t.restore()
}
