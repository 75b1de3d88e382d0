package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// FindMarked returns the processes whose environment at start holds mark ("NAME=value"), this process aside.
func FindMarked(mark string) []int {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	var pids []int
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that ended meanwhile, or is not ours, cannot be read and needs no ending.
		env, err := os.ReadFile(file)
		if err == nil && hasVariable(env, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func hasVariable(environ []byte, mark string) bool {
	for _, v := range bytes.Split(environ, []byte{0}) {
		if string(v) == mark {
			return true
		}
	}
	return false
}

// KillMarked kills every process that FindMarked finds, again until none is found (a fork may slip in between).
func KillMarked(mark string) {
	for range 20 {
		pids := FindMarked(mark)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
