package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tendril/internal/testkit"
)

// TestAFullDiskIsSaidAndPasses fills the disk at several moments of a plan's life. The engine says what is wrong and loses
// nothing; once there is room the next one goes on, to a plan that is merged once.
func TestAFullDiskIsSaidAndPasses(t *testing.T) {
	t.Parallel()
	disk := testkit.TempDir(t)
	if err := unix.Mount("none", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("a small disk needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	m := newMortalIn(t, filepath.Join(disk, "project"))
	full := func(want string, args ...string) {
		t.Helper()
		fill(t, disk)
		out, err := m.tendril(m.env, args...)
		if err == nil || !strings.Contains(strings.ToLower(out), want) {
			t.Errorf("tendril %s on a full disk: %v\n%s", strings.Join(args, " "), err, out)
		}
		if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
			t.Fatal(err)
		}
	}
	full("no space left", "run", "--once")
	m.until("in-review")
	full("", "accept", "1")
	m.must("accept", "1")
	testkit.Write(t, m.dir, "other.txt", "the base moves\n")
	testkit.Commit(t, m.dir, "the base moves")
	full("no space left", "run", "--once")
	m.until("merged")
	m.check()
}

// fill leaves no byte free.
func fill(t *testing.T, disk string) {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if _, err := fmt.Fprint(f, "x"); err == nil {
		t.Fatal("the disk is not full")
	}
}
