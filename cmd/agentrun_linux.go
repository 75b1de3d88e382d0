package cmd

import (
	"bytes"
	"os"
	"strconv"
)

// ancestorRun looks for an agent's run in the environment of this process's ancestors, up to but not including the
// process last (0: all of them): an agent may have taken the variable out of its own environment, not out of its parents'.
func ancestorRun(last int) string {
	pid := os.Getppid()
	for range 64 {
		if pid <= 1 || pid == last {
			return ""
		}
		dir := "/proc/" + strconv.Itoa(pid)
		// What belongs to another user cannot be read, and is no agent of ours.
		environ, _ := os.ReadFile(dir + "/environ")
		for _, v := range bytes.Split(environ, []byte{0}) {
			if run, ok := bytes.CutPrefix(v, []byte(runVariable+"=")); ok && len(run) > 0 {
				return string(run)
			}
		}
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			return ""
		}
		pid = parentIn(stat)
	}
	return ""
}

// parentIn is the parent's pid in a line of /proc/PID/stat: the second field after the name, which stands in brackets
// and may itself hold brackets and spaces.
func parentIn(stat []byte) int {
	end := bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 2 {
		return 0
	}
	// A field that is no number gives 0, which ends the walk.
	pid, _ := strconv.Atoi(string(fields[1]))
	return pid
}
