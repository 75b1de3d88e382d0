//go:build unix

package record

import (
	"errors"
	"syscall"
)

// crossDevice reports whether a rename failed because its ends lie on two file systems.
func crossDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
