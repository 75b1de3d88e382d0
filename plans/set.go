package plans

// Set is every plan of one commit.
type Set struct {
	// Commit is what was read, Dir the plans folder in it.
	Commit, Dir string
	// Entries are sorted by number, then key.
	Entries []*Entry
}

// Entry is one plan's folder. Where the plan cannot be read, Plan is nil and Err says why.
type Entry struct {
	Key  Key
	Plan *Plan
	Err  error
	// Record is nil when there is none or it cannot be read (RecordErr).
	Record    *Record
	RecordErr error
	// Blobs are the regular files directly in the folder: name to blob id.
	Blobs map[string]string
}
