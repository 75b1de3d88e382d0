package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// gitAtWork reports whether a git process lives whose working directory is the worktree or lies below it. One that does not
// show its directory (another user's) counts: it may be there.
func gitAtWork(worktree string) bool {
	top, err := filepath.EvalSymlinks(worktree)
	if err != nil {
		return true
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		return true
	}
	for _, file := range lines {
		// A process that ended meanwhile is none that writes a message.
		line, err := os.ReadFile(file)
		if err != nil || !isGit(line) {
			continue
		}
		dir, err := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
		if os.IsPermission(err) || err == nil && (dir == top || strings.HasPrefix(dir, top+string(filepath.Separator))) {
			return true
		}
	}
	return false
}

// isGit tells git by the name of its program. Tendril's own calls of git name no optional locks, and write no message.
func isGit(cmdline []byte) bool {
	args := bytes.Split(cmdline, []byte{0})
	name := filepath.Base(string(args[0]))
	if name != "git" && !strings.HasPrefix(name, "git-") {
		return false
	}
	for _, a := range args {
		if string(a) == "--no-optional-locks" {
			return false
		}
	}
	return true
}
