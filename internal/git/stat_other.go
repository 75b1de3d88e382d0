//go:build !linux && !darwin

package git

import "io/fs"

// StatOf is a file's metadata as git keeps it in an index; false where this system does not show it all. Then entries
// are written without it, and git compares contents the next time it looks.
func StatOf(fs.FileInfo) (Stat, bool) { return Stat{}, false }
