package record

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// swapFiles makes two files change places in one moment; false where the file system cannot.
func swapFiles(a, b string) (bool, error) {
	return rename2(a, b, unix.RENAME_EXCHANGE)
}

// moveNew renames a file to a name that must be free (fs.ErrExist); false where the file system cannot.
func moveNew(from, to string) (bool, error) {
	return rename2(from, to, unix.RENAME_NOREPLACE)
}

func rename2(from, to string, flags uint) (bool, error) {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	if err != nil {
		return true, &fs.PathError{Op: "rename", Path: to, Err: err}
	}
	return true, nil
}
