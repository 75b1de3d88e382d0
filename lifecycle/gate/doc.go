// Package gate answers who passed a gate, for what: the commit that approved a plan's text, the commit that accepted a
// head, the status that the history of the plans branch really grants, and which approvals were already spent.
//
// Everything here is read from commits; nothing is written but the ledger. Identities are the raw ones of the commits:
// mail maps, replace refs, grafts and commit-graph files change nothing. Without signatures an author is free text, so
// the rules guard against mistakes; `signed` guards against forgers.
package gate
