// Package worktree owns the folders in which plans are worked on: one linked worktree and one branch each. It makes them,
// takes them up again after whatever happened, proves that they still are what was made, commits what an agent left, and
// removes them once nothing in them would be lost.
//
// Nothing that an agent could have written into a worktree is believed: git directory, common directory and worktree are
// named on every call, what links them is compared with what was written when the worktree was made, and the state of the
// files is read through an index of Tendril's own. It knows nothing of states, agents and checks.
package worktree
