package crash

import (
	"os"
	"strconv"
	"sync"
)

// passes counts how often this process reached each point. It is process state on purpose: a crash ends the process.
var passes = struct {
	sync.Mutex
	seen map[Point]int
}{seen: map[Point]int{}}

// due reports whether this pass of p is the one asked for; an empty or unreadable nth means the first.
func due(p Point, nth string) bool {
	want, err := strconv.Atoi(nth)
	if err != nil || want < 1 {
		want = 1
	}
	passes.Lock()
	defer passes.Unlock()
	passes.seen[p]++
	return passes.seen[p] == want
}

// mark writes the file of MarkEnv and says whether this process is the one to die.
func mark(p Point) bool {
	file := os.Getenv(MarkEnv)
	if file == "" {
		return true
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	_, err = f.WriteString(string(p) + "\n")
	return err == nil && f.Close() == nil
}

// die ends the process as a power cut would: no deferred call runs.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		os.Exit(137)
	}
	select {}
}
