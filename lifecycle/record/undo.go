package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tendril/internal/git"
)

// errMade says that a step that seemed to fail was made: the ref stands at the new commit.
var errMade = errors.New("the step was made")

// undo takes back what of the step was done, lets go of every lock and drops the journal. When that does not work, the
// journal stays for the next process.
func (st *step) undo(ctx context.Context, tx *git.RefTransaction) error {
	if err := tx.Close(); err != nil {
		return err
	}
	// git lets go of its locks, unless it was killed.
	if err := st.journal.dropGitLocks(st.repo); err != nil {
		return err
	}
	err := st.takeBackAll(ctx)
	if errors.Is(err, errMade) {
		return err
	}
	for _, s := range st.spots {
		if st.doors[s.GitDir] == nil {
			err = errors.Join(err, s.lock.release())
		}
		s.lock = nil
	}
	if err != nil {
		return fmt.Errorf("take back the step: %w", err)
	}
	st.dropPrepared()
	if st.resumed != nil {
		// What the process before did is still there.
		return st.resumed.write(st.runtime, true)
	}
	return dropJournal(st.runtime)
}

func (st *step) takeBackAll(ctx context.Context) error {
	touched := false
	for _, s := range st.spots {
		for _, it := range s.items {
			touched = touched || it.placed
		}
		if same, err := s.stamp.Same(); err != nil || !same {
			touched = true
		}
	}
	if !touched {
		return nil
	}
	tip, err := tipOf(ctx, st.repo, st.ref)
	if err != nil {
		return err
	}
	if tip == st.new {
		return errMade
	}
	var failed error
	for _, js := range st.journal.Spots {
		failed = errors.Join(failed, takeBack(ctx, st.repo, js, tip, st.runtime, st.log))
	}
	return failed
}

// tipOf is the commit that a ref stands at; empty when there is no such ref.
func tipOf(ctx context.Context, repo *git.Repo, ref string) (string, error) {
	tip, err := repo.Run(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if code, failed := git.ExitCode(err); failed && code == 1 {
		return "", nil
	}
	return tip, err
}

// takeBack makes one worktree what it was before a step that was not made: files that the step put there become what
// they replaced, entries that it set become what they were. What a person did since stays; so does what the branch's tip
// has by now. The index must be locked by the caller.
func takeBack(ctx context.Context, repo *git.Repo, js journalSpot, tip, runtime string, log func(string, ...any)) error {
	s, err := openSpot(ctx, repo, git.Checkout{GitDir: js.GitDir, Path: js.Path})
	if err != nil || s == nil {
		return err
	}
	b, err := repo.Batch(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // a reader
	for _, f := range js.Files {
		committed, err := committedBy(b, tip, f.Path, f.New)
		if err != nil {
			return err
		}
		if committed || s.gone {
			continue
		}
		if err := s.takeBackFile(ctx, f, runtime, log); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	changed := false
	for _, e := range js.Index {
		set := git.Side{}
		if e.Set != nil {
			set = git.Side{Mode: e.Set.Mode, OID: e.Set.OID}
		}
		committed, err := committedBy(b, tip, strings.TrimSuffix(e.path(), "/"), set)
		if err != nil {
			return err
		}
		if committed {
			continue
		}
		did, err := s.takeBackEntry(e)
		if err != nil {
			return err
		}
		changed = changed || did
	}
	if !changed {
		return nil
	}
	if err := s.writeNextIndex(ctx); err != nil {
		return err
	}
	return s.swapIndex()
}

// committedBy reports whether a commit has exactly this at the path.
func committedBy(b *git.Batch, commit, path string, side git.Side) (bool, error) {
	if commit == "" {
		return false, nil
	}
	o, err := b.Get(commit + ":" + path)
	if errors.Is(err, git.ErrNoObject) {
		return !side.There(), nil
	}
	return side.There() && o.ID == side.OID, err
}

// takeBackEntry sets an entry back if it is still the step's; it reports whether it did.
func (s *spot) takeBackEntry(e journalEntry) (bool, error) {
	found := s.index.Find(e.path())
	switch {
	case e.Set == nil && len(found) > 0, e.Set != nil && len(found) != 1:
		return false, nil
	case e.Set != nil && (found[0].Stage != 0 || found[0].OID != e.Set.OID || found[0].Mode != e.Set.Mode || found[0].IntentToAdd):
		return false, nil
	case e.Was == nil:
		return s.index.Remove(e.path()), nil
	}
	return true, s.index.Set(*e.Was)
}

// takeBackFile puts back what a file was, if the step's content is in its place.
func (s *spot) takeBackFile(ctx context.Context, f journalFile, runtime string, log func(string, ...any)) error {
	target := s.file(f.Path)
	if blocker, err := s.blockedParent(f.Path, nil); err != nil || blocker != "" {
		return err
	}
	now, err := hashOrNothing(target)
	if err != nil {
		return err
	}
	temp, held, err := heldContent(target, f)
	if err != nil {
		return err
	}
	replaced := held != "" && held != f.Put // it is what stood in the target's place
	switch {
	case now != f.Put:
		// Not placed, or a person's again.
		return s.dropHeld(f, temp, held, runtime, log)
	case replaced:
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		return os.Rename(temp, target)
	case f.Was == "":
		err := removeIfThere(target)
		if err == nil {
			s.dropEmptyParents(f.Path)
		}
		return err
	}
	return s.restore(ctx, f, target)
}

// restore makes a file what it was where the replaced content is not kept: the old side's, or, where a person had edited
// it, what is there with the old status again.
func (s *spot) restore(ctx context.Context, f journalFile, target string) error {
	if !isBlob(f.Old.Mode) {
		return nil // git shows it as changed; nothing of a person's is lost
	}
	contents, err := s.repo.Smudge(ctx, []git.Content{{OID: f.Old.OID, Path: f.Path}})
	if err != nil {
		return err
	}
	content, mode := contents[0], fs.FileMode(0o666)
	if f.Old.Mode == git.ModeExecutable {
		mode = 0o777
	}
	if f.Put != "" {
		info, err := os.Lstat(target)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	if hashOf(content) != f.Was {
		if content, err = s.unsplice(ctx, f, target); err != nil || content == nil {
			return err
		}
	}
	next := filepath.Join(s.GitDir, restoredName)
	if err := os.WriteFile(next, content, mode); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	return os.Rename(next, target)
}

// unsplice is the file that is there with the old side's status; nil where that does not apply.
func (s *spot) unsplice(ctx context.Context, f journalFile, target string) ([]byte, error) {
	if f.Put == "" || !isBlob(f.New.Mode) {
		return nil, nil
	}
	b, err := s.repo.Batch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Close() }() // a reader
	old, err := blob(b, f.Old.OID)
	if err != nil {
		return nil, err
	}
	new, err := blob(b, f.New.OID)
	if err != nil {
		return nil, err
	}
	theirs, err := os.ReadFile(target)
	if err != nil {
		return nil, err
	}
	out, _ := SpliceStatus(theirs, new, old)
	return out, nil
}

// heldContent finds the content that waits for a file, or that it replaced: its path and hash, empty for nothing.
func heldContent(target string, f journalFile) (path, hash string, err error) {
	for _, p := range []string{asidePath(target, f.Temp), f.Temp} {
		if hash, err = hashOrNothing(p); err != nil || hash != "" {
			return p, hash, err
		}
	}
	return "", "", nil
}

// hashOrNothing is hashFile; empty where there is no file (or a folder).
func hashOrNothing(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) || err == nil && info.IsDir() {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return hashFile(path)
}

// dropHeld ends the keeping of a content. One that is neither the step's nor what the step meant to replace is a person's,
// caught by a crash in the moment of a swap: it goes back, or where that is not possible any more into a folder of its own.
func (s *spot) dropHeld(f journalFile, path, hash, runtime string, log func(string, ...any)) error {
	if hash == "" {
		return nil
	}
	if hash == f.Put || hash == f.Was {
		return removeIfThere(path)
	}
	target := s.file(f.Path)
	now, err := hashOrNothing(target)
	if err != nil {
		return err
	}
	if now == f.Put {
		return os.Rename(path, target)
	}
	kept := filepath.Join(runtime, "kept", filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return err
	}
	log("%s in %s was edited twice while a step was cut off; the first edit is kept in %s", f.Path, s.Path, kept)
	return os.Rename(path, kept)
}
