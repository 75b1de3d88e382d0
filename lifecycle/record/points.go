package record

import "tendril/internal/crash"

// The moments of a step, in order: before and after each effect outside the process.
const (
	pointBuilt      crash.Point = "record.built"      // the commit is among the objects, named by nothing
	pointPrepared   crash.Point = "record.prepared"   // new contents lie in the git directory
	pointJournalled crash.Point = "record.journalled" // the journal is on disk
	pointLocked     crash.Point = "record.locked"     // an index is locked (once for each worktree)
	pointHeld       crash.Point = "record.held"       // the ref is locked at the old tip
	pointPlacing    crash.Point = "record.placing"    // before a file changes (once for each)
	pointPlaced     crash.Point = "record.placed"     // after it
	pointIndexing   crash.Point = "record.indexing"   // before a new index replaces the old one (once for each worktree)
	pointIndexed    crash.Point = "record.indexed"    // after it
	pointMoved      crash.Point = "record.moved"      // the ref stands at the new commit
	pointUnlocked   crash.Point = "record.unlocked"   // an index is free again (once for each worktree)
	pointDone       crash.Point = "record.done"       // the journal is gone
)

// CrashPoints is the table of moments at which tests kill a process that records.
var CrashPoints = []crash.Point{
	pointBuilt, pointPrepared, pointJournalled, pointLocked, pointHeld, pointPlacing, pointPlaced, pointIndexing,
	pointIndexed, pointMoved, pointUnlocked, pointDone,
}
