package record

import (
	"context"
	"errors"
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
	s.gone = !belongs(c, repo.CommonDir)
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

// belongs reports whether the worktree's folder is there and names this git directory as its own. What a git directory
// says alone is not believed: an agent may write into that of its worktree, and could name any folder.
func belongs(c git.Checkout, commonDir string) bool {
	if c.GitDir == commonDir {
		info, err := os.Stat(c.Path)
		return err == nil && info.IsDir()
	}
	raw, err := os.ReadFile(filepath.Join(c.Path, ".git"))
	if err != nil {
		return false
	}
	named, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir:")
	named = strings.TrimSpace(named)
	if !filepath.IsAbs(named) {
		named = filepath.Join(c.Path, named)
	}
	there, err1 := os.Stat(named)
	here, err2 := os.Stat(c.GitDir)
	return ok && err1 == nil && err2 == nil && os.SameFile(there, here)
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
