package gate

import "fmt"

// Refusal is why a gate does not count. It concerns one plan and stops nothing else.
type Refusal struct {
	// Commit is the gate commit that was refused; empty where none was found.
	Commit string
	// Why says in one line what is wrong, Hint what a person can do.
	Why, Hint string
}

// Error returns the reason, the commit, and the hint on a second line.
func (r *Refusal) Error() string {
	msg := r.Why
	if r.Commit != "" {
		msg = fmt.Sprintf("%s (commit %s)", msg, short(r.Commit))
	}
	if r.Hint != "" {
		msg += "\n  " + r.Hint
	}
	return msg
}

// Moved is returned by Acceptance when a person accepted another head than the one that is recorded now: the plan has to
// be verified and accepted again.
type Moved struct {
	// Commit accepted the head Accepted; Current is the head that was verified last.
	Commit, Accepted, Current string
}

// Error names both heads.
func (m *Moved) Error() string {
	return fmt.Sprintf("commit %s accepted %s, but the head under review is %s\n  look at that one and accept it",
		short(m.Commit), short(m.Accepted), short(m.Current))
}

// short is a commit's id as messages show it.
func short(id string) string {
	const digits = 10
	if len(id) <= digits {
		return id
	}
	return id[:digits]
}
