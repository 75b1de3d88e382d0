package plans

import "strings"

// Status is where a plan stands: the value of its status line.
type Status string

// The states of a plan, as the design's section 2 lists them.
const (
	Draft            Status = "draft"
	Icebox           Status = "icebox"
	Approved         Status = "approved"
	Executing        Status = "executing"
	Verifying        Status = "verifying"
	InReview         Status = "in-review"
	ChangesRequested Status = "changes-requested"
	Accepted         Status = "accepted"
	Merged           Status = "merged"
	Failed           Status = "failed"
	Rejected         Status = "rejected"
)

// Statuses returns every state in the order of a plan's life.
func Statuses() []Status {
	return []Status{
		Draft, Icebox, Approved, Executing, Verifying, InReview, ChangesRequested, Accepted, Merged, Failed, Rejected,
	}
}

// ParseStatus reads a status without regard to case, spaces, hyphens and underscores. It returns false for any other word.
func ParseStatus(s string) (Status, bool) {
	folded := foldStatus(s)
	for _, st := range Statuses() {
		if folded == foldStatus(string(st)) {
			return st, true
		}
	}
	return "", false
}

// foldStatus drops what a status is read without: only ASCII is folded, so that no letter of another script passes for one.
func foldStatus(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case isStatusSeparator(c):
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + ('a' - 'A'))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isStatusSeparator(c byte) bool { return c == ' ' || c == '-' || c == '_' }

// statusNames lists every state, for hints.
func statusNames() string {
	names := make([]string, 0, len(Statuses()))
	for _, s := range Statuses() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
