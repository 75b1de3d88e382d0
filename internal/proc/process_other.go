//go:build !linux && !darwin

package proc

// CPUKnown says whether Process.CPU is filled on this system.
const CPUKnown = false

// Processes is not known on this system.
func Processes() (Table, error) { return nil, ErrUnsupported }

func environ(int) []byte { return nil }

// AdoptOrphans is not known on this system.
func AdoptOrphans() error { return nil }

func ownPIDs() []int { return nil }

// ReapOrphans does nothing: nobody is adopted here.
func ReapOrphans(int) {}
