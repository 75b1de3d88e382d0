package proc

import (
	"errors"
	"time"
)

// Process is one living process as the system's table shows it.
type Process struct {
	Identity
	// Parent is the parent's pid, Group the process group's.
	Parent, Group int
	// CPU is the time it has worked, with that of its ended children that it waited for. Zero where CPUKnown is false.
	CPU time.Duration
}

// ErrUnsupported says that this system does not show what was asked for.
var ErrUnsupported = errors.New("not known on this system")

// Table is the system's processes at one moment, by pid; zombies are left out.
type Table map[int]Process

// Descendants returns the pids below root, root itself left out, in no order.
func (t Table) Descendants(root int) []int {
	children := make(map[int][]int, len(t))
	for pid, p := range t {
		children[p.Parent] = append(children[p.Parent], pid)
	}
	var found []int
	seen := map[int]bool{root: true}
	for next := []int{root}; len(next) > 0; {
		pid := next[len(next)-1]
		next = next[:len(next)-1]
		for _, child := range children[pid] {
			if !seen[child] {
				seen[child] = true
				found = append(found, child)
				next = append(next, child)
			}
		}
	}
	return found
}

// InGroup returns the pids of the process group.
func (t Table) InGroup(group int) []int {
	var found []int
	for pid, p := range t {
		if group > 0 && p.Group == group {
			found = append(found, pid)
		}
	}
	return found
}
