// Package record writes commits to branches that people may have checked out, and brings index and working tree along
// without losing a byte of theirs.
//
// A commit is built from objects and moved in by compare-and-swap. Where the branch is checked out, each path is decided
// by one table (table.go) from what the commit changes and what the person has there; everything is prepared before any
// lock is taken; index.lock is held across the move of the ref; a journal on disk lets the next process finish, or take
// back, whatever a crash cut off. No hooks of the repository run.
package record
