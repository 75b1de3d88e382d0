package proc

import (
	"bytes"
	"os"
	"slices"
)

// FindMarked returns the living processes whose environment at start holds mark ("NAME=value"), this process aside. Where
// the environment of other processes cannot be read it finds none; on macOS that is so for the system's own programs.
func FindMarked(mark string) []Identity {
	self := os.Getpid()
	var found []Identity
	for _, pid := range ownPIDs() {
		if pid == self || !hasVariable(environ(pid), mark) {
			continue
		}
		// The mark is read once more after the identity was taken, lest the pid was used again in between.
		if id, err := Identify(pid); err == nil && hasVariable(environ(pid), mark) {
			found = append(found, id)
		}
	}
	return found
}

// MarkedValues returns the values that a variable had at the start of the living processes, each once, in order. What
// FindMarked cannot see is not among them.
func MarkedValues(name string) []string {
	var values []string
	for _, pid := range ownPIDs() {
		for v := range bytes.SplitSeq(environ(pid), []byte{0}) {
			if value, ok := bytes.CutPrefix(v, []byte(name+"=")); ok {
				values = append(values, string(value))
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

func hasVariable(environ []byte, mark string) bool {
	if mark == "" {
		return false
	}
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		if string(v) == mark {
			return true
		}
	}
	return false
}
