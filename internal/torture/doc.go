// Package torture kills Tendril at random and looks at what is left, with an oracle of its own: it knows the repository's
// files and git, and imports no room. scripts/torture runs it for as long as asked; it has nothing but tests.
package torture
