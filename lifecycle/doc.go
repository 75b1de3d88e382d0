// Package lifecycle moves plans through their states: it compares what the plans branch says with what is there
// (worktrees, branches, runs) and takes the next step of each plan.
//
// The decisions are pure: Next says what one plan needs, Admit who may start at all. The actions do the work, one file
// each. Everything that a person does passes through Pass and New with an Actor. It owns neither a file format (package
// plans) nor a git protocol (lifecycle/record, lifecycle/gate, lifecycle/deliver).
package lifecycle
