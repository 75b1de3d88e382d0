// Package testkit holds what tests share: real git repositories in temporary folders, an environment that knows nothing
// of the person's, snapshots that show whether a checkout was left alone, and waiting with a deadline.
//
// It is imported by tests only. A package whose code under test runs git or reads the environment itself has a TestMain
// that calls Main; then its tests may run in parallel, because nothing is set after that.
package testkit
