// Package plans owns the files of a plan: the key of its folder, plan.md with its front matter and its one status line, the
// table of states, record.yaml, costs.csv, verification.md, review.md, and the board over all of them. It reads plans from
// commits and turns values into bytes; it never writes to a repository, and it imports no other room.
package plans
