//go:build unix

package lifecycle

import (
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable asks the system whether this user may make files in a folder; the error says why not.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// ownerOf is the name of a folder's owner, where that is somebody else who can be named.
func ownerOf(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Geteuid() {
		return ""
	}
	id := strconv.FormatUint(uint64(stat.Uid), 10)
	if who, err := user.LookupId(id); err == nil {
		return who.Username
	}
	return "user " + id
}
