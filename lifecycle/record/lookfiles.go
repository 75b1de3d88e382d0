package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tendril/internal/git"
)

// lookFiles finds the working tree's side of every item. Files that go come first: what lies in their place afterwards
// is not in the way of what comes.
func (s *spot) lookFiles(ctx context.Context) error {
	if s.gone {
		return nil
	}
	vanishing := map[string]bool{}
	var unsure []*item
	order := slices.Clone(s.items)
	slices.SortStableFunc(order, func(a, b *item) int { return boolInt(a.has) - boolInt(b.has) })
	for i, it := range order {
		if it.has && (i == 0 || !order[i-1].has) {
			// The files that go are known now.
			if err := s.compare(ctx, unsure); err != nil {
				return err
			}
			unsure = nil
			for _, gone := range order[:i] {
				if gone.work == workOld && (gone.index == indexOld) {
					vanishing[gone.Path] = true
				}
			}
		}
		known, err := s.lookFile(it, vanishing)
		if err != nil {
			return err
		}
		if !known {
			unsure = append(unsure, it)
		}
	}
	return s.compare(ctx, unsure)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// lookFile looks at one file; false when contents have to be compared.
func (s *spot) lookFile(it *item, vanishing map[string]bool) (known bool, err error) {
	blocker, err := s.blockedParent(it.Path, vanishing)
	if err != nil {
		return false, err
	}
	if blocker != "" {
		it.work, it.blocker = workBlocked, blocker
		return true, nil
	}
	info, err := os.Lstat(s.file(it.Path))
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		it.work = workAbsent
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", it.Path, err)
	}
	it.info = info
	oldKind, newKind := it.kindOf()
	switch mode := info.Mode(); {
	case mode.IsDir():
		return true, s.lookFolder(it, vanishing)
	case mode&fs.ModeSymlink != 0:
		return true, s.lookLink(it)
	case !mode.IsRegular(), oldKind == git.ModeSymlink && s.symlinks && newKind == git.ModeSymlink:
		it.work, it.blocker = workBlocked, it.Path
		return true, nil
	}
	it.chmod = s.fileMode && sameKind(it.Old.Mode, git.ModeFile) && (info.Mode()&0o100 != 0) != (it.Old.Mode == git.ModeExecutable)
	if it.entry != nil && it.folder == "" && s.index.Unchanged(*it.entry, info) {
		switch it.index {
		case indexOld:
			it.work = workOld
		case indexNew:
			it.work = workNew
		default:
			it.work = workOther
		}
		return true, nil
	}
	return false, nil
}

// lookFolder is for a folder where the change has a file, or a submodule.
func (s *spot) lookFolder(it *item, vanishing map[string]bool) error {
	names, err := os.ReadDir(s.file(it.Path))
	if err != nil {
		return fmt.Errorf("look at %s: %w", it.Path, err)
	}
	oldKind, newKind := it.kindOf()
	switch {
	case oldKind == git.ModeSubmodule && (newKind == git.ModeSubmodule || newKind == 0 || len(names) == 0):
		it.work = workOld // git, too, leaves a submodule's folder alone
	case newKind == git.ModeSubmodule && len(names) == 0:
		it.work = workNew
	default:
		stranger, err := s.stranger(it.Path, vanishing)
		if err != nil {
			return err
		}
		if stranger == "" && len(names) > 0 {
			it.info, it.work = nil, workAbsent // empty by then
			return nil
		}
		if stranger == "" {
			stranger = it.Path
		}
		it.work, it.blocker = workBlocked, stranger
	}
	return nil
}

// stranger finds a file in a folder that does not go with this step.
func (s *spot) stranger(folder string, vanishing map[string]bool) (string, error) {
	found := ""
	err := filepath.WalkDir(s.file(folder), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.Path, file)
		if err != nil {
			return err
		}
		if path := filepath.ToSlash(rel); !vanishing[path] {
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", folder, err)
	}
	return found, nil
}

// lookLink is for a symbolic link: it is compared by its target, and is in the way of anything else.
func (s *spot) lookLink(it *item) error {
	oldKind, newKind := it.kindOf()
	target, err := os.Readlink(s.file(it.Path))
	if err != nil {
		return fmt.Errorf("look at %s: %w", it.Path, err)
	}
	id, err := git.ObjectID(s.repo.Format, "blob", []byte(target))
	if err != nil {
		return err
	}
	it.data = []byte(target)
	switch {
	case oldKind == git.ModeSymlink && id == it.Old.OID:
		it.work = workOld
	case newKind == git.ModeSymlink && id == it.New.OID:
		it.work = workNew
	case oldKind == git.ModeSymlink:
		it.work, it.blocker = workOther, it.Path
	default:
		it.work, it.blocker = workBlocked, it.Path
	}
	return nil
}

// blockedParent returns the first parent folder of path that is there and is none. One that goes with this step is as
// good as gone.
func (s *spot) blockedParent(path string, vanishing map[string]bool) (string, error) {
	for i, c := range []byte(path) {
		if c != '/' {
			continue
		}
		info, err := os.Lstat(s.file(path[:i]))
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("look at %s: %w", path[:i], err)
		}
		if !info.IsDir() {
			if vanishing[path[:i]] {
				return "", nil
			}
			return path[:i], nil
		}
	}
	return "", nil
}
