package git

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// IndexFile is an index as it was read from a file.
type IndexFile struct {
	*Index
	// Path is the file, Info what the system said of it.
	Path string
	Info fs.FileInfo

	trailer []byte
}

// ReadIndexFile reads an index file. No such file is fs.ErrNotExist; see ParseIndex for the other errors.
func ReadIndexFile(path, format string) (*IndexFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	// git replaces the whole file, so what was opened does not change while it is read.
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read index %s: %w", path, err)
	}
	x, err := ParseIndex(data, format)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &IndexFile{Index: x, Path: path, Info: info, trailer: bytes.Clone(data[len(data)-x.sum.size:])}, nil
}

// Same reports whether the file is still the one that was read: the same file of the same size and time, with the same
// checksum at its end (which is zero where index.skipHash is set, so that it alone proves nothing).
func (f *IndexFile) Same() (bool, error) {
	now, err := os.Open(f.Path)
	if err != nil {
		return false, fmt.Errorf("look at index: %w", err)
	}
	defer func() { _ = now.Close() }() // only read from
	info, err := now.Stat()
	if err != nil {
		return false, fmt.Errorf("look at index: %w", err)
	}
	if !os.SameFile(info, f.Info) || info.Size() != f.Info.Size() || !info.ModTime().Equal(f.Info.ModTime()) {
		return false, nil
	}
	trailer := make([]byte, len(f.trailer))
	if _, err := now.ReadAt(trailer, info.Size()-int64(len(trailer))); err != nil {
		return false, fmt.Errorf("look at index: %w", err)
	}
	return bytes.Equal(trailer, f.trailer), nil
}

// Unchanged reports whether the metadata of a file proves that it still has the entry's content. False proves nothing:
// then contents have to be compared. It is stricter than git, which never errs on that side.
func (f *IndexFile) Unchanged(e Entry, info fs.FileInfo) bool {
	now, ok := StatOf(info)
	if !ok || now != e.Stat || !info.ModTime().Before(f.Info.ModTime()) {
		// A file as young as the index may have changed after it was looked at, within the clock's own grain.
		return false
	}
	return modeOf(info) == e.Mode
}

// modeOf is the mode that git would give the file; 0 for what it does not store.
func modeOf(info fs.FileInfo) uint32 {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return ModeSymlink
	case !mode.IsRegular():
		return 0
	case mode&0o100 != 0:
		return ModeExecutable
	}
	return ModeFile
}

// WriteTo writes the index as edited to another file, with the mode and the times of the one that was read. The times
// stay because git trusts metadata only of files older than the index: entries that were as young as the old index must
// go on being compared.
func (f *IndexFile) WriteTo(path string) error {
	err := os.WriteFile(path, f.Encode(), f.Info.Mode().Perm())
	if err == nil {
		// The umask may have taken bits away that the old file has (core.sharedRepository).
		err = os.Chmod(path, f.Info.Mode().Perm())
	}
	if err == nil {
		err = os.Chtimes(path, f.Info.ModTime(), f.Info.ModTime())
	}
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}
