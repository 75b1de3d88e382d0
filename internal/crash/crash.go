// Package crash names the moments at which a test may kill this process.
//
// A crash point lies before or after an effect that outlives the process: a ref moved, a file renamed, a process spawned.
// Death is SIGKILL of the real process, so nothing that Go would still run (deferred calls, buffers) can hide a fault.
package crash

import (
	"os"
	"strings"
)

// Env is the environment variable that names the point at which this process shall die: "POINT" or "POINT:N" for the
// Nth time the point is reached. Unset, every point is free and does nothing.
const Env = "TENDRIL_CRASH_AT"

// MarkEnv names a file that is written before a death, where it is set: a process that finds it there does not die. So
// one death comes to a family of processes that share the environment, and a test knows that it came.
const MarkEnv = "TENDRIL_CRASH_MARK"

// Point is the name of one moment, "room.moment".
type Point string

// At kills this process with SIGKILL when Env names p.
func At(p Point) {
	want := os.Getenv(Env)
	if want == "" {
		return
	}
	name, nth, _ := strings.Cut(want, ":")
	if name != string(p) || !due(p, nth) || !mark(p) {
		return
	}
	die()
}
