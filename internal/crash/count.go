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
