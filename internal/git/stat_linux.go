package git

import (
	"io/fs"
	"syscall"
)

// StatOf is a file's metadata as git keeps it in an index; false where this system does not show it all.
func StatOf(info fs.FileInfo) (Stat, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stat{}, false
	}
	return Stat{
		CtimeSec: uint32(s.Ctim.Sec), CtimeNsec: uint32(s.Ctim.Nsec), MtimeSec: uint32(s.Mtim.Sec), MtimeNsec: uint32(s.Mtim.Nsec),
		Dev: uint32(s.Dev), Ino: uint32(s.Ino), UID: s.Uid, GID: s.Gid, Size: uint32(s.Size),
	}, true
}
