package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// IndexStamp tells one state of an index file from another.
type IndexStamp struct {
	// Path is the file, Info what the system said of it.
	Path string
	Info fs.FileInfo

	trailer []byte
}

// IndexFile is an index as it was read from a file.
type IndexFile struct {
	*Index
	IndexStamp
}

// ReadIndexFile reads an index file. No such file is fs.ErrNotExist. For a split index (ErrSplitIndex) the stamp is
// there all the same. See ParseIndex for the other errors.
func ReadIndexFile(path, format string) (*IndexFile, error) {
	sum, err := digestOf(format)
	if err != nil {
		return nil, err
	}
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
	file := &IndexFile{IndexStamp: IndexStamp{Path: path, Info: info, trailer: bytes.Clone(data[max(0, len(data)-sum.size):])}}
	if file.Index, err = ParseIndex(data, format); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Same reports whether the file is still the one that was read: the same file of the same size and time, with the same
// checksum at its end (which is zero where index.skipHash is set, so that it alone proves nothing).
func (s *IndexStamp) Same() (bool, error) {
	now, err := os.Open(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at index: %w", err)
	}
	defer func() { _ = now.Close() }() // only read from
	info, err := now.Stat()
	if err != nil {
		return false, fmt.Errorf("look at index: %w", err)
	}
	if !os.SameFile(info, s.Info) || info.Size() != s.Info.Size() || !info.ModTime().Equal(s.Info.ModTime()) {
		return false, nil
	}
	trailer := make([]byte, len(s.trailer))
	if _, err := now.ReadAt(trailer, info.Size()-int64(len(trailer))); err != nil {
		return false, fmt.Errorf("look at index: %w", err)
	}
	return bytes.Equal(trailer, s.trailer), nil
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

// IndexChecksum is the checksum at the end of an index file, in hex: all zero where index.skipHash is set.
func IndexChecksum(path, format string) (string, error) {
	sum, err := digestOf(format)
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("look at index: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at index: %w", err)
	}
	trailer := make([]byte, sum.size)
	if _, err := f.ReadAt(trailer, info.Size()-int64(sum.size)); err != nil {
		return "", fmt.Errorf("look at index: %w", err)
	}
	return hex.EncodeToString(trailer), nil
}
