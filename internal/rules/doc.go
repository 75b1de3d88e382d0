// Package rules holds the tests that keep the whole repository in shape: which room may import which (docs/design.md,
// section 12), how long files and functions are, that what is exported is explained, and what must not be written.
package rules
