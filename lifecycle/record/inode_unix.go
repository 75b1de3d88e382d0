//go:build unix

package record

import (
	"io/fs"
	"syscall"
)

// inodeOf tells files of one file system apart; 0 where that is not known.
func inodeOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
