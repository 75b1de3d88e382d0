package proc

import (
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal is a terminal of the test's own.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	open := func(name string) *os.File {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Skipf("no terminal can be made here: %s: %v", name, err)
		}
		file := os.NewFile(uintptr(fd), name)
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	master := open("/dev/ptmx")
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return open(fmt.Sprintf("/dev/pts/%d", number))
}

// A program that dies leaves the terminal as it found it; what one that ends well did to it is meant.
func TestInteractiveGivesTheTerminalBack(t *testing.T) {
	for _, c := range []struct {
		name, script string
		echo         bool
	}{
		{"killed", "stty -echo -icanon; kill -KILL $$", true},
		{"crashed", "stty -echo -icanon; exit 3", true},
		{"ended well", "stty -echo -icanon", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tty := openTerminal(t)
			i := Interactive{Argv: []string{"sh", "-c", c.script}, Env: os.Environ(), Stdin: tty, Stdout: io.Discard, Stderr: os.Stderr}
			if _, err := i.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			mode, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			if echo := mode.Lflag&unix.ECHO != 0; echo != c.echo {
				t.Errorf("echo is %v, want %v", echo, c.echo)
			}
		})
	}
}
