package record

// SpliceStatus sets theirs' status line to new's when theirs still has old's status. Everything else of theirs stays, byte
// for byte.
func SpliceStatus(theirs, old, new []byte) ([]byte, bool) { return nil, false }
