package record

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"tendril/internal/git"
)

// compareAtOnce bounds how many files' contents are in memory together.
const compareAtOnce = 100

// compare finds out whether files have the old or the new side's content. Equal bytes are equal, whatever git's filters
// would make of them (a blob with CRLF under autocrlf is not what git would make of its own file); else git is asked what
// it would store.
func (s *spot) compare(ctx context.Context, items []*item) error {
	for len(items) > 0 {
		some := items[:min(len(items), compareAtOnce)]
		items = items[len(some):]
		if err := s.compareSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (s *spot) compareSome(ctx context.Context, items []*item) error {
	var wanted []git.Content
	for _, it := range items {
		data, err := os.ReadFile(s.file(it.Path))
		if err != nil {
			return fmt.Errorf("look at %s: %w", it.Path, err)
		}
		it.data, it.work = data, workOther
		for _, side := range []git.Side{it.Old, it.New} {
			if isBlob(side.Mode) {
				wanted = append(wanted, git.Content{OID: side.OID, Path: it.Path})
			}
		}
	}
	contents, err := s.repo.Smudge(ctx, wanted)
	if err != nil {
		return err
	}
	var unequal []*item
	for _, it := range items {
		same := func(side git.Side) bool {
			if !isBlob(side.Mode) {
				return false
			}
			content := contents[0]
			contents = contents[1:]
			return bytes.Equal(content, it.data)
		}
		isOld, isNew := same(it.Old), same(it.New)
		switch {
		case isOld:
			it.work = workOld
		case isNew:
			it.work = workNew
		default:
			unequal = append(unequal, it)
		}
	}
	return s.compareCleaned(ctx, unequal)
}

// compareCleaned compares by what git would store.
func (s *spot) compareCleaned(ctx context.Context, items []*item) error {
	paths := make([]string, len(items))
	for i, it := range items {
		paths[i] = it.Path
	}
	ids, err := s.repo.Clean(ctx, paths)
	if err != nil {
		return err
	}
	for i, it := range items {
		// A file with a link's target in it is that link only where there are no links.
		is := func(side git.Side) bool { return ids[i] == side.OID && (isBlob(side.Mode) || !s.symlinks) }
		switch {
		case is(it.Old):
			it.work = workOld
		case is(it.New):
			it.work = workNew
		}
	}
	return nil
}

// isBlob reports whether a mode is that of a file with content, links left out.
func isBlob(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExecutable }

// isNotDir reports whether a path led through something that is no folder.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// hashOf is the hash of a content as the journal has it.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// hashFile is hashOf a file, or of a link's target. The file may be large.
func hashFile(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		return hashOf([]byte(target)), err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
