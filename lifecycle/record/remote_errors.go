package record

import "fmt"

// GoneError says that the remote has no such branch (any more).
type GoneError struct {
	Remote, Branch string
	// Known is where it stood when this clone last saw it; empty where it never did.
	Known string
}

// Error says what brings it there.
func (e *GoneError) Error() string {
	if e.Known == "" {
		return fmt.Sprintf("%s has no branch %s yet\n  put it there: git push %s %s", e.Remote, e.Branch, e.Remote, e.Branch)
	}
	return fmt.Sprintf("the branch %s was deleted at %s; nothing is pushed there again unasked\n  to put it back as it was: git push %s %s:refs/heads/%s",
		e.Branch, e.Remote, e.Remote, e.Known, e.Branch)
}

// RewoundError says that the remote's branch was set back or written anew: it is not followed.
type RewoundError struct {
	Remote, Branch string
	// Known is where it stood when this clone last saw it, There where it stands now.
	Known, There string
	// Unproven is true where only the remote-tracking branch here says that it stood at Known.
	Unproven bool
}

// Error says how a person decides.
func (e *RewoundError) Error() string {
	if e.Unproven {
		return fmt.Sprintf("refs/remotes/%s/%s here is at %.10s, which %s does not have (it is at %.10s): it was set back there, or that ref was moved here; nothing is followed or pushed\n"+
			"  to go by what is there: tendril sync --follow", e.Remote, e.Branch, e.Known, e.Remote, e.There)
	}
	return fmt.Sprintf("the branch %s was set back or rewritten at %s (it was at %.10s, now it is at %.10s): that is not followed, and nothing is pushed\n"+
		"  if that was meant: tendril sync --follow; else put it back: git push --force-with-lease %s %s:refs/heads/%s",
		e.Branch, e.Remote, e.Known, e.There, e.Remote, KnownRef(e.Remote, e.Branch), e.Branch)
}

// RefusedError says that the server does not take commits on a branch. Nothing was lost: what was to be written stays to
// be written.
type RefusedError struct {
	Remote, Branch string
	// Words are the server's.
	Words string
}

// Error has the server's words, and what to do about the usual cause.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s does not take commits on %s: %s\n  allow this clone's user to push there, or keep plans on a branch of their own (tendril help clones)",
		e.Remote, e.Branch, e.Words)
}
