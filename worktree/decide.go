package worktree

import "strings"

// footing is what a folder is that stands, or does not, where a worktree is wanted.
type footing int

const (
	absent   footing = iota // nothing is there
	empty                   // an empty folder
	bare                    // a folder that holds nothing but the .git of the unfinished worktree
	attached                // a folder tied to the repository as remembered
	strange                 // anything else
)

// step is what Ensure does next.
type step int

const (
	takeUp   step = iota // it is there and was handed out before
	finish               // it was being made: its files are put in place
	adopt                // it is ours by its registration, but nothing of it is remembered
	makeAnew             // there is nothing, or nothing but stale registrations
)

// sight is what Ensure sees before it does anything.
type sight struct {
	want Want
	path string
	// rec is what is remembered; nil is nothing.
	rec *record
	// ground is what stands at path, why says why it is strange, lost the error of what is remembered and not so.
	ground footing
	why    string
	lost   error
	// known are git's worktrees.
	known []registration
}

// decide says what to do, and which stale registrations to prune first. It deletes nothing that may be a person's: a
// folder that is not ours and a branch that is in use elsewhere are errors.
func decide(s sight) (step, []registration, error) {
	var stale []registration
	var here *registration
	for _, r := range s.known {
		at := samePath(r.Path, s.path)
		holds := r.Branch == "refs/heads/"+s.want.Branch
		switch {
		case at && r.Main:
			return 0, nil, &ForeignError{s.path, "it is the main worktree of this repository"}
		case at:
			here = &r
		case !holds:
		case !r.Missing:
			return 0, nil, &ClashError{Branch: s.want.Branch, Worktree: r.Path}
		case r.Locked && !r.ours():
			// On a disk that is not mounted just now, say.
			return 0, nil, &ClashError{Branch: s.want.Branch, Worktree: r.Path}
		default:
			stale = append(stale, r)
		}
	}
	switch s.ground {
	case absent, empty, bare:
		if s.ground == bare && (s.rec == nil || s.rec.Phase != making) {
			return 0, nil, s.foreign("it holds an unfinished worktree that is not remembered")
		}
		if here != nil {
			if here.Locked && !here.ours() && !strings.HasPrefix(here.Reason, initializing) {
				return 0, nil, s.foreign("its registration is locked: " + here.Reason)
			}
			stale = append(stale, *here)
		}
		return makeAnew, stale, nil
	case attached:
		switch {
		case s.rec != nil && s.rec.Phase == making:
			return finish, stale, nil
		case s.rec != nil:
			return takeUp, stale, nil
		case here != nil && here.ours() && here.Branch == "refs/heads/"+s.want.Branch:
			return adopt, stale, nil
		}
		return 0, nil, s.foreign("it is a worktree of this repository that tendril did not make")
	default:
		if s.lost != nil {
			return 0, nil, s.lost
		}
		return 0, nil, s.foreign(s.why)
	}
}

// initializing is how git itself locks a worktree that it is just making.
const initializing = "initializing"

func (s sight) foreign(why string) error { return &ForeignError{Path: s.path, Why: why} }
