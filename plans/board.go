package plans

// BoardRow is one plan on the board.
type BoardRow struct {
	Key   Key
	Title string
	// Status is empty for a plan that cannot be read.
	Status Status
	// Note is a few words for people: why it failed, what is refused, UNVERIFIED.
	Note string
	// Files are further files of the plan's folder to link to ("verification.md").
	Files []string
}
