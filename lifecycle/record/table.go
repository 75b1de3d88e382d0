package record

// indexState is what the index has for a path, against the old (o) and the new (n) side of a change.
type indexState int

const (
	indexAbsent   indexState = iota // no entry: removed, or never there
	indexOld                        // o
	indexNew                        // n
	indexOther                      // something a person staged
	indexIntent                     // an entry of `git add -N`: it has no content yet
	indexUnmerged                   // stages of a conflict
)

// workState is what the working tree has for a path.
type workState int

const (
	workAbsent  workState = iota // nothing, nor a folder for it perhaps
	workOld                      // a file with o's content
	workNew                      // a file with n's content
	workOther                    // a file with another content
	workBlocked                  // no file that could be ours: a link, a folder, or one of these instead of a parent folder
)

// seen is all that the table decides by.
type seen struct {
	had, has bool // whether the path is there on the old and on the new side
	plan     bool // a plan.md
	index    indexState
	work     workState
	skip     bool // marked skip-worktree
}

// action is what becomes of one place.
type action int

const (
	keep   action = iota // as it is
	take                 // n; where n is nothing, removed
	splice               // the person's content with the status changed, if theirs is still o's; else as it is
)

// verdict is a row of the table: what to do with index and working tree. Why is set where a person's change stays.
type verdict struct {
	index, work action
	why         string
}

// What is said of a path that was left.
const (
	whyEdited    = "edited, not staged: left as it is"
	whyStaged    = "staged: left as it is"
	whyUntracked = "an untracked file is in the way: left as it is"
	whyBlocked   = "no plain file there, or none of its folders: left as it is"
	whyRemoved   = "removed from the index: left as it is"
)

// decide is the table: one row for each combination of what a step changes and what a person has. Unmerged paths are not
// decided; the step waits for them.
func decide(s seen) verdict {
	switch {
	case !s.had:
		return decideNew(s)
	case !s.has:
		return decideGone(s)
	}
	v := decideChanged(s)
	if s.skip && (v.work == take && s.work != workOld || v.work == splice) {
		v.work, v.why = keep, ""
	}
	return v
}

// decideChanged is for a path that was there and stays.
func decideChanged(s seen) verdict {
	switch s.index {
	case indexAbsent:
		return verdict{keep, keep, whyRemoved}
	case indexIntent:
		return verdict{keep, keep, whyStaged}
	case indexOther:
		if !s.plan {
			return verdict{keep, keep, whyStaged}
		}
		return verdict{splice, spliceIfFile(s.work), whyStaged}
	case indexNew:
		if s.work == workNew || s.work == workAbsent {
			return verdict{keep, keep, ""}
		}
		return verdict{keep, keep, whyEdited}
	}
	switch s.work {
	case workOld:
		return verdict{take, take, ""}
	case workOther:
		if s.plan {
			return verdict{take, splice, whyEdited}
		}
		// Leaving o in the index would stage a revert of the step.
		return verdict{take, keep, whyEdited}
	case workBlocked:
		return verdict{take, keep, whyBlocked}
	}
	return verdict{take, keep, ""} // half done already, or removed by hand and staying so
}

func spliceIfFile(w workState) action {
	if w == workOld || w == workOther {
		return splice
	}
	return keep
}

// decideNew is for a path that the step adds.
func decideNew(s seen) verdict {
	switch s.index {
	case indexNew:
		return verdict{keep, keep, ""}
	case indexOther:
		return verdict{keep, keep, whyStaged}
	}
	// The entry is made whatever lies there: without it the next commit would delete the file.
	switch s.work {
	case workAbsent:
		if s.skip {
			return verdict{take, keep, ""}
		}
		return verdict{take, take, ""}
	case workNew:
		return verdict{take, keep, ""}
	case workBlocked:
		return verdict{take, keep, whyBlocked}
	}
	return verdict{take, keep, whyUntracked}
}

// decideGone is for a path that the step removes.
func decideGone(s seen) verdict {
	switch s.index {
	case indexAbsent, indexNew:
		return verdict{keep, keep, ""}
	case indexOther, indexIntent:
		return verdict{keep, keep, whyStaged}
	}
	switch s.work {
	case workOld:
		return verdict{take, take, ""}
	case workOther:
		return verdict{take, keep, whyEdited}
	case workBlocked:
		return verdict{take, keep, whyBlocked}
	}
	return verdict{take, keep, ""}
}

// decideAgain is for the look after a step that is done: only what a git command with an older index in its hands put
// back is mended, and only in the index.
func decideAgain(s seen) verdict {
	stale := false
	switch {
	case s.index == indexUnmerged:
	case !s.had:
		stale = s.index == indexAbsent && s.work == workNew
	case !s.has:
		stale = s.index == indexOld && s.work == workAbsent
	default:
		// A working file that is o again was put back by a person.
		stale = s.index == indexOld && s.work != workOld
	}
	if stale {
		return verdict{take, keep, ""}
	}
	return verdict{}
}

// barred reports whether a strict move must not touch the path: anything there is not as the old side has it. resumed
// says that the move was begun before and may have written some files.
func barred(s seen, resumed bool) bool {
	if s.index == indexUnmerged {
		return true
	}
	if resumed && (s.work == workNew || !s.has && s.work == workAbsent) {
		return s.index != indexOld && s.index != indexNew && (s.had || s.index != indexAbsent)
	}
	if !s.had {
		return s.index != indexAbsent || s.work != workAbsent
	}
	return s.index != indexOld || s.work != workOld && !(s.skip && s.work == workAbsent)
}
