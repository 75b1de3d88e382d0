package record

import (
	"errors"

	"golang.org/x/sys/windows"
)

// crossDevice reports whether a rename failed because its ends lie on two file systems.
func crossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
