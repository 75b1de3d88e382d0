package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tendril/internal/git"
)

// The names of our own files in a worktree's git directory.
const (
	nextIndexName = "tendril-index"  // the index to be
	joinName      = "tendril-joined" // a split index made whole
	sparseName    = "tendril-sparse" // asks git what a sparse checkout holds
	stepDirName   = "tendril-step"   // new contents, and old ones until the step is done
	restoredName  = "tendril-restored"
	lockDraftName = "tendril-lock" // becomes index.lock by a link
)

// spot is one worktree that has the branch checked out, with all that a step knows of it.
type spot struct {
	git.Checkout
	repo  *git.Repo
	stamp git.IndexStamp // of the index file as it was read
	index *git.IndexFile
	split bool // the index file is a split one; index is it made whole
	gone  bool // the worktree's folder is not there (an unmounted disk): only the index follows

	fileMode, symlinks, sparse bool

	items []*item
	lock  *indexLock
}

// item is one path of a step in one worktree.
type item struct {
	git.TreeChange
	seen
	verdict verdict

	entry  *git.Entry // what the index has; nil is nothing
	folder string     // the collapsed folder of a sparse index that the path lies in
	// folderID is what that folder's tree is on the new side; empty is gone.
	folderID string
	info     fs.FileInfo // what the working tree has; nil is nothing
	data     []byte      // its content, where it was read
	chmod    bool        // its executable bit is not the old side's
	blocker  string      // what is in the way (workBlocked)
	outside  bool        // a new path that the sparse checkout leaves out

	old, new []byte // both sides' content, for a plan.md
	staged   string // the blob of a spliced index entry

	put     []byte // what goes into the working tree, until it lies in temp
	temp    string // the file with it, in the step's folder
	putHash string // of put
	putInfo fs.FileInfo
	wasHash string // of what is there before; empty for nothing
	placed  bool
}

func (it *item) kindOf() (old, new uint32) { return it.Old.Mode, it.New.Mode }

// openSpot reads a worktree's index and settings. A worktree without an index (made with --no-checkout) gives nil.
func openSpot(ctx context.Context, repo *git.Repo, c git.Checkout) (*spot, error) {
	s := &spot{Checkout: c, repo: repo.Pinned(c.GitDir, c.Path)}
	if info, err := os.Stat(c.Path); err != nil || !info.IsDir() {
		s.gone = true
	}
	config, err := s.repo.Config(ctx, "core.filemode", "core.symlinks", "core.sparsecheckout")
	if err != nil {
		return nil, err
	}
	s.fileMode = config["core.filemode"] != "false"
	s.symlinks = config["core.symlinks"] != "false"
	s.sparse = config["core.sparsecheckout"] == "true"
	found, err := s.readIndex(ctx)
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}

// readIndex reads the index as it is now; false when there is none.
func (s *spot) readIndex(ctx context.Context) (bool, error) {
	file, err := git.ReadIndexFile(filepath.Join(s.GitDir, "index"), s.repo.Format)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, git.ErrSplitIndex):
		s.split, s.stamp = true, file.IndexStamp
		s.index, err = s.repo.JoinIndex(ctx, &s.stamp, filepath.Join(s.GitDir, joinName))
		return true, err
	case err != nil:
		return false, err
	}
	s.split, s.stamp, s.index = false, file.IndexStamp, file
	return true, nil
}

// file is a path of the worktree for the system.
func (s *spot) file(path string) string { return filepath.Join(s.Path, filepath.FromSlash(path)) }

// look finds out what index and working tree have for each change.
func (s *spot) look(ctx context.Context, st *step, b *git.Batch) error {
	s.items = make([]*item, 0, len(st.changes))
	for _, c := range st.changes {
		it := &item{TreeChange: c}
		it.had, it.has, it.plan = c.Old.There(), c.New.There(), st.isPlan(c.Path)
		s.items = append(s.items, it)
		if err := s.lookIndex(it, st, b); err != nil {
			return err
		}
	}
	if err := s.lookFiles(ctx); err != nil {
		return err
	}
	return s.lookSparse(ctx)
}

// lookIndex finds the index's side of an item.
func (s *spot) lookIndex(it *item, st *step, b *git.Batch) error {
	found := s.index.Find(it.Path)
	switch {
	case len(found) > 0:
		it.entry = &found[0]
		it.index = stateOf(found[0], it.TreeChange)
		it.skip = found[0].SkipWorktree
		return nil
	case s.crossed(it.Path, st):
		it.index = indexOther
		return nil
	}
	if folder, ok := s.index.Collapsed(it.Path); ok {
		return it.lookFolderEntry(folder, st, b)
	}
	return nil
}

// crossed reports whether a person staged a folder in the place of a file, or a file in that of a folder. Entries that go
// with this step are none of theirs.
func (s *spot) crossed(path string, st *step) bool {
	stays := func(e git.Entry) bool {
		c, known := st.going[e.Path]
		return !known || stateOf(e, c) != indexOld
	}
	if slices.ContainsFunc(s.index.Below(path), stays) {
		return true
	}
	for i, c := range []byte(path) {
		if c == '/' && slices.ContainsFunc(s.index.Find(path[:i]), stays) {
			return true
		}
	}
	return false
}

// lookFolderEntry is for a path inside a collapsed folder of a sparse index: the folder's tree stands for all its files.
func (it *item) lookFolderEntry(e git.Entry, st *step, b *git.Batch) error {
	it.folder, it.entry, it.skip = strings.TrimSuffix(e.Path, "/"), &e, true
	oldTree, err := treeID(b, st.old, it.folder)
	if err != nil {
		return err
	}
	if it.folderID, err = treeID(b, st.new, it.folder); err != nil {
		return err
	}
	switch {
	case e.OID == it.folderID && it.has:
		it.index = indexNew
	case e.OID == oldTree && it.had:
		it.index = indexOld
	case e.OID != it.folderID && e.OID != oldTree:
		it.index = indexOther
		it.plan = false // a whole folder cannot be spliced
	}
	return nil
}

// treeID is the id of a folder's tree in a commit; empty when the commit has no such folder.
func treeID(b *git.Batch, commit, folder string) (string, error) {
	o, err := b.Get(commit + ":" + folder)
	if errors.Is(err, git.ErrNoObject) {
		return "", nil
	}
	return o.ID, err
}

// stateOf compares an entry with both sides. A mode that a person staged is not content: n takes it over.
func stateOf(e git.Entry, c git.TreeChange) indexState {
	switch {
	case e.Stage != 0:
		return indexUnmerged
	case e.IntentToAdd:
		return indexIntent
	case c.Old.There() && e.OID == c.Old.OID && sameKind(e.Mode, c.Old.Mode):
		return indexOld
	case c.New.There() && e.OID == c.New.OID && sameKind(e.Mode, c.New.Mode):
		return indexNew
	}
	return indexOther
}

// sameKind reports whether two modes differ at most in the executable bit.
func sameKind(a, b uint32) bool { return a&0o170000 == b&0o170000 }

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

// lookSparse asks git which new paths a sparse checkout leaves out.
func (s *spot) lookSparse(ctx context.Context) error {
	if !s.sparse {
		return nil
	}
	var added []git.TreeChange
	for _, it := range s.items {
		if !it.had && it.folder == "" && it.index == indexAbsent {
			added = append(added, it.TreeChange)
		}
	}
	if len(added) == 0 {
		return nil
	}
	outside, err := s.repo.OutsideSparse(ctx, added, filepath.Join(s.GitDir, sparseName))
	if err != nil {
		return err
	}
	for _, it := range s.items {
		if outside[it.Path] {
			it.outside, it.skip = true, true
		}
	}
	return nil
}
