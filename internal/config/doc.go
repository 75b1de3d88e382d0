// Package config reads how a repository wants Tendril to work: .tendril/config.yaml of the plans branch, the machine's
// own file over it, which branch the plans are on, and which of the repository's commands are trusted here.
//
// It reads commits, never working trees. It imports no room.
package config
