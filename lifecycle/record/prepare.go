package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tendril/internal/git"
)

// settle decides every item and makes the contents that will be put into the working tree. Nothing outside the worktree's
// git directory is touched.
func (s *spot) settle(ctx context.Context, st *step, b *git.Batch) error {
	for _, it := range s.items {
		it.verdict = decide(it.seen)
		if it.index == indexUnmerged {
			return &BusyError{Why: fmt.Sprintf("%s has a conflict", it.Path), Worktree: s.Path}
		}
		if s.gone && it.verdict.work != keep {
			it.verdict.work = keep
		}
		if err := s.settlePlan(ctx, it, st, b); err != nil {
			return err
		}
	}
	return s.prepareFiles(ctx)
}

// strangers lists what a strict move would have to touch though it is not committed.
func (s *spot) strangers(st *step, b *git.Batch) ([]string, error) {
	var paths []string
	for _, it := range s.items {
		if !barred(it.seen, st.resumed != nil) && (!it.chmod || it.work != workOld) {
			continue
		}
		if spared, err := st.spares(it, b); err != nil {
			return nil, err
		} else if spared {
			continue
		}
		if it.blocker != "" {
			paths = append(paths, it.blocker)
		} else {
			paths = append(paths, it.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// spares reports whether the table may decide a path of a careful move: what Tendril writes beside a plan, the board, and a
// plan.md of which only the status changes. Unmerged paths are nobody's to decide.
func (st *step) spares(it *item, b *git.Batch) (bool, error) {
	if !st.careful || it.index == indexUnmerged {
		return false, nil
	}
	if it.plan && it.had && it.has {
		old, err := blob(b, it.Old.OID)
		if err != nil {
			return false, err
		}
		new, err := blob(b, it.New.OID)
		if err != nil {
			return false, err
		}
		only, ok := SpliceStatus(old, old, new)
		return ok && bytes.Equal(only, new), nil
	}
	return ownFile(st.plansDir, it.Path), nil
}

// settlePlan makes the spliced contents of a plan.md that a person changed.
func (s *spot) settlePlan(ctx context.Context, it *item, st *step, b *git.Batch) error {
	if !it.plan || !it.had || !it.has {
		return nil
	}
	// Both sides are kept in any case: a person may edit the file until the moment that it is replaced.
	var err error
	if it.old, err = blob(b, it.Old.OID); err != nil {
		return err
	}
	if it.new, err = blob(b, it.New.OID); err != nil {
		return err
	}
	if it.verdict.index != splice && it.verdict.work != splice {
		return nil
	}
	why := ""
	if it.verdict.index == splice {
		it.verdict.index, err = s.spliceStaged(ctx, it, st, b)
		if err != nil {
			return err
		}
		if it.verdict.index == keep {
			why = whyStaged
		}
	}
	if it.verdict.work == splice {
		if it.data == nil {
			if it.data, err = os.ReadFile(s.file(it.Path)); err != nil {
				return fmt.Errorf("look at %s: %w", it.Path, err)
			}
		}
		if it.put, it.verdict.work = spliced(st.splice, it.data, it); it.verdict.work == keep {
			why = whyEdited
		}
	}
	it.verdict.why = why
	return nil
}

// spliced is theirs with the step's change of status; keep where that does not apply.
func spliced(f Splice, theirs []byte, it *item) ([]byte, action) {
	out, ok := f(theirs, it.old, it.new)
	if !ok {
		return nil, keep
	}
	return out, splice
}

// spliceStaged makes the blob of an index entry that a person staged.
func (s *spot) spliceStaged(ctx context.Context, it *item, st *step, b *git.Batch) (action, error) {
	if it.entry == nil || !isBlob(it.entry.Mode) {
		return keep, nil
	}
	theirs, err := blob(b, it.entry.OID)
	if err != nil {
		return keep, err
	}
	out, act := spliced(st.splice, theirs, it)
	if act == keep {
		return keep, nil
	}
	if it.staged, err = git.ObjectID(s.repo.Format, "blob", out); err != nil {
		return keep, err
	}
	return splice, s.repo.WriteObjects(ctx, []git.NewObject{{Type: "blob", Data: out}})
}

func blob(b *git.Batch, id string) ([]byte, error) {
	o, err := b.Get(id)
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	return o.Data, nil
}

// stepDir is where contents wait.
func (s *spot) stepDir() string { return filepath.Join(s.GitDir, stepDirName) }

// prepareFiles writes every content that will be put into the working tree into the step's folder, so that putting it
// there is one rename.
func (s *spot) prepareFiles(ctx context.Context) error {
	if err := os.RemoveAll(s.stepDir()); err != nil {
		return fmt.Errorf("clear %s: %w", s.stepDir(), err)
	}
	var taken []*item
	for _, it := range s.items {
		if it.verdict.work != keep && it.has && (it.New.Mode != git.ModeSubmodule) {
			taken = append(taken, it)
		}
	}
	if len(taken) == 0 && !slices.ContainsFunc(s.items, func(it *item) bool { return it.verdict.work != keep }) {
		return nil
	}
	if err := os.Mkdir(s.stepDir(), 0o700); err != nil {
		return fmt.Errorf("make a folder for the step: %w", err)
	}
	for i, it := range s.items {
		it.temp = filepath.Join(s.stepDir(), strconv.Itoa(i))
	}
	for len(taken) > 0 {
		some := taken[:min(len(taken), compareAtOnce)]
		taken = taken[len(some):]
		if err := s.prepareSome(ctx, some); err != nil {
			return err
		}
	}
	return s.hashPresent()
}

func (s *spot) prepareSome(ctx context.Context, items []*item) error {
	wanted := make([]git.Content, len(items))
	for i, it := range items {
		wanted[i] = git.Content{OID: it.New.OID, Path: it.Path}
	}
	contents, err := s.smudge(ctx, items, wanted)
	if err != nil {
		return err
	}
	for i, it := range items {
		switch {
		case it.verdict.work == take:
			it.put = contents[i]
		case bytes.Equal(it.put, contents[i]):
			it.verdict.work = take // spliced, it is what the step has anyway
		}
		if err := s.writeTemp(it); err != nil {
			return fmt.Errorf("prepare %s: %w", it.Path, err)
		}
	}
	return nil
}

// smudge is git's Smudge, but for links: their content is a target and no filter applies.
func (s *spot) smudge(ctx context.Context, items []*item, wanted []git.Content) ([][]byte, error) {
	var files []git.Content
	var links int
	for i, it := range items {
		if isBlob(it.New.Mode) {
			files = append(files, wanted[i])
		} else {
			links++
		}
	}
	contents, err := s.repo.Smudge(ctx, files)
	if err != nil || links == 0 {
		return contents, err
	}
	b, err := s.repo.Batch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Close() }() // a reader
	out := make([][]byte, len(items))
	for i, it := range items {
		if isBlob(it.New.Mode) {
			out[i], contents = contents[0], contents[1:]
			continue
		}
		if out[i], err = blob(b, it.New.OID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// writeTemp writes an item's content into the step's folder and notes what it wrote.
func (s *spot) writeTemp(it *item) error {
	if err := s.writeContent(it); err != nil {
		return err
	}
	info, err := os.Lstat(it.temp)
	if err != nil {
		return err
	}
	it.putInfo, it.putHash, it.put = info, hashOf(it.put), nil
	return nil
}

// writeContent writes it with the mode that the file shall have: that of the file which is there, less or plus the
// executable bit where the step changes it.
func (s *spot) writeContent(it *item) error {
	if it.New.Mode == git.ModeSymlink && s.symlinks {
		return os.Symlink(string(it.put), it.temp)
	}
	executable := it.New.Mode == git.ModeExecutable && s.fileMode
	mode := fs.FileMode(0o666)
	if executable {
		mode = 0o777
	}
	if err := os.WriteFile(it.temp, it.put, mode); err != nil {
		return err
	}
	if it.info == nil || !it.info.Mode().IsRegular() {
		return nil // new: the umask has its say, as for git
	}
	mode = it.info.Mode().Perm()
	switch {
	case it.Old.Mode == it.New.Mode:
	case executable:
		mode |= mode & 0o444 >> 2
	case s.fileMode:
		mode &^= 0o111
	}
	return os.Chmod(it.temp, mode)
}

// hashPresent notes what is there now in the place of each file that will change, for the case of a crash.
func (s *spot) hashPresent() error {
	for _, it := range s.items {
		if it.verdict.work == keep || it.info == nil || it.info.IsDir() {
			continue
		}
		if it.data != nil {
			it.wasHash = hashOf(it.data)
			continue
		}
		hash, err := hashFile(s.file(it.Path))
		if errors.Is(err, fs.ErrNotExist) {
			continue // placing will see it
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", it.Path, err)
		}
		it.wasHash = hash
	}
	return nil
}
