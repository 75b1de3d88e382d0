package term

import (
	"io"
	"os"
)

// Foreground reports whether w is a file of this process: there is no background of a shell here.
func Foreground(w io.Writer) bool {
	_, ok := w.(*os.File)
	return ok
}
