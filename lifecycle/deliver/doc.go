// Package deliver brings accepted work into its base branch: it decides the next step of an accepted plan, builds merges
// from objects, and proves that a merge is automatic, so that the base never gets a combination that nobody ran.
//
// It writes objects only. Refs are moved by package record.
package deliver
