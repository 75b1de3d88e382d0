package worktree

import "tendril/internal/crash"

// The moments between effects that outlive the process.
const (
	crashRecorded   crash.Point = "worktree.recorded"   // the record says that a worktree is being made
	crashBranch     crash.Point = "worktree.branch"     // the branch is there
	crashAdded      crash.Point = "worktree.added"      // git knows the worktree, its folder is empty
	crashLinked     crash.Point = "worktree.linked"     // the record knows what ties them together
	crashCheckedOut crash.Point = "worktree.checkedout" // its files are there
	crashHooked     crash.Point = "worktree.hooked"     // the post-checkout hook ran
	crashReady      crash.Point = "worktree.ready"      // the record says that it can be worked in

	crashCommitted crash.Point = "worktree.leftovers.committed" // the branch has the commit of what was left
	crashStaged    crash.Point = "worktree.leftovers.staged"    // the commit is made, the branch not moved
	crashSynced    crash.Point = "worktree.leftovers.synced"    // the worktree's own index has followed

	crashRemoving     crash.Point = "worktree.removing"     // the record says that it is being removed
	crashMoved        crash.Point = "worktree.moved"        // its folder has another name
	crashUnregistered crash.Point = "worktree.unregistered" // git does not know it any more
	crashDeleted      crash.Point = "worktree.deleted"      // its folder is gone, the record not
)

// CrashPoints are the moments at which a test kills this room's work and then does it again.
func CrashPoints() []crash.Point {
	return []crash.Point{
		crashRecorded, crashBranch, crashAdded, crashLinked, crashCheckedOut, crashHooked, crashReady,
		crashStaged, crashCommitted, crashSynced, crashRemoving, crashMoved, crashUnregistered, crashDeleted,
	}
}
