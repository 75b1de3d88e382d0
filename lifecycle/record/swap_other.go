//go:build !linux

package record

// swapFiles makes two files change places in one moment; false where the system cannot.
func swapFiles(string, string) (bool, error) { return false, nil }

// moveNew renames a file to a name that must be free (fs.ErrExist); false where the system cannot.
func moveNew(string, string) (bool, error) { return false, nil }
