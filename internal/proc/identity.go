package proc

// Identity names one process for good: its pid, and when it started, since pids are used again.
type Identity struct {
	PID int `json:"pid"`
	// Start is the system's own word for the start time, with the boot it counts from; to be compared, not read.
	Start string `json:"start"`
}
