package record

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tendril/internal/git"
)

// nextIndex writes the index that the worktree shall have, beside the one it has.
func (s *spot) nextIndex(ctx context.Context) error {
	for _, it := range s.items {
		if err := s.editEntry(it); err != nil {
			return err
		}
	}
	return s.writeNextIndex(ctx)
}

// writeNextIndex writes the index as it was edited.
func (s *spot) writeNextIndex(ctx context.Context) error {
	path := s.nextIndexPath()
	if err := s.index.WriteTo(path); err != nil {
		return err
	}
	if !s.split {
		return nil
	}
	return s.repo.SplitIndex(ctx, path, s.stamp.Info.Mode().Perm())
}

func (s *spot) nextIndexPath() string { return filepath.Join(s.GitDir, nextIndexName) }

// swapIndex puts it in the place of the old one.
func (s *spot) swapIndex() error {
	if err := os.Rename(s.nextIndexPath(), s.stamp.Path); err != nil {
		return fmt.Errorf("replace index: %w", err)
	}
	return nil
}

// fits reports whether what was prepared fits the index, now that it is locked. Another index than the one that was read
// fits as long as it has the same for our paths.
func (s *spot) fits() (bool, error) {
	same, err := s.stamp.Same()
	if err != nil || same || s.split {
		return same, err
	}
	now, err := git.ReadIndexFile(s.stamp.Path, s.repo.Format)
	if err != nil {
		// A split one by now, or gone: that takes a new look.
		return false, nil
	}
	for _, it := range s.items {
		if it.folder != "" || !sameEntries(s.index.Find(it.Path), now.Find(it.Path)) || len(now.Below(it.Path)) != len(s.index.Below(it.Path)) {
			return false, nil
		}
		if _, collapsed := now.Collapsed(it.Path); collapsed {
			return false, nil
		}
	}
	s.index, s.stamp = now, now.IndexStamp
	return true, nil
}

// sameEntries compares entries but for the metadata of files.
func sameEntries(a, b []git.Entry) bool {
	return slices.EqualFunc(a, b, func(x, y git.Entry) bool {
		x.Stat, y.Stat = git.Stat{}, git.Stat{}
		return x == y
	})
}

// editEntry makes the index's side of one item.
func (s *spot) editEntry(it *item) error {
	if it.verdict.index == keep {
		return s.refreshEntry(it)
	}
	change := s.entryChange(it)
	if change.Set == nil {
		s.index.Remove(change.path())
		return nil
	}
	if it.verdict.index == take && it.folder == "" {
		change.Set.Stat = s.vouch(it)
	}
	return s.index.Set(*change.Set)
}

// entryChange is what becomes of an item's entry, without the file's metadata.
func (s *spot) entryChange(it *item) journalEntry {
	change := journalEntry{Was: it.entry}
	switch {
	case it.folder != "" && it.folderID == "", it.folder == "" && !it.has:
	case it.folder != "":
		e := *it.entry
		e.OID = it.folderID
		change.Set = &e
	default:
		e := git.Entry{Path: it.Path, OID: it.New.OID, Mode: it.New.Mode, SkipWorktree: it.outside}
		if it.entry != nil {
			e.AssumeUnchanged, e.SkipWorktree = it.entry.AssumeUnchanged, it.entry.SkipWorktree
			if it.had && it.entry.Mode != it.Old.Mode && sameKind(it.entry.Mode, it.New.Mode) {
				e.Mode = it.entry.Mode // a person staged another
			}
		}
		if it.verdict.index == splice {
			e.OID = it.staged
		}
		change.Set = &e
	}
	return change
}

// vouch is the metadata by which the index says that the file in the working tree is the new side's; zero, which makes git
// look for itself, where that is not known.
func (s *spot) vouch(it *item) git.Stat {
	switch {
	case it.placed && it.verdict.work == take && it.putInfo != nil:
		now, err := os.Lstat(s.file(it.Path))
		if err != nil || !os.SameFile(now, it.putInfo) || now.Size() != it.putInfo.Size() || !now.ModTime().Equal(it.putInfo.ModTime()) {
			return git.Stat{} // a person was quick
		}
		stat, _ := git.StatOf(now)
		return stat
	case !it.placed && it.work == workNew && it.info != nil && !it.info.IsDir():
		stat, _ := git.StatOf(it.info)
		return stat
	}
	return git.Stat{}
}

// refreshEntry keeps an entry that already has what the step brings in step with a file that was written anew.
func (s *spot) refreshEntry(it *item) error {
	if it.index != indexNew || !it.placed || it.entry == nil || it.folder != "" {
		return nil
	}
	e := *it.entry
	e.Stat = s.vouch(it)
	return s.index.Set(e)
}
