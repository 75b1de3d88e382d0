package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tendril/internal/crash"
	"tendril/internal/git"
)

// errTouched says that a file is not any more what it was when the step was prepared.
var errTouched = errors.New("changed while the step was made")

// placeAll brings the working tree along: files that go first, then files that come. A file that a person changed
// meanwhile gets the table's answer anew; with strict, it ends the step (errTouched).
func (s *spot) placeAll(st *step) error {
	for _, coming := range []bool{false, true} {
		for _, it := range s.items {
			if it.verdict.work == keep || it.has != coming {
				continue
			}
			crash.At(pointPlacing)
			err := s.place(it)
			strict := st.strict && !(st.careful && (it.plan || ownFile(st.plansDir, it.Path)))
			for tries := 0; errors.Is(err, errTouched) && !strict && tries < 3; tries++ {
				err = s.placeAgain(it, st)
			}
			if err != nil && strict {
				return &strangersError{paths: []string{it.Path}, err: err}
			}
			if err != nil {
				it.verdict.why = leftWhy(err)
				continue
			}
			it.placed = it.verdict.work != keep
			crash.At(pointPlaced)
		}
	}
	return nil
}

// strangersError ends a strict step at a file.
type strangersError struct {
	paths []string
	err   error
}

func (e *strangersError) Error() string { return strings.Join(e.paths, ", ") + ": " + e.err.Error() }
func (e *strangersError) Unwrap() error { return e.err }

// leftWhy is what is said of a file that could not be written: the index has its new content, the file stays as it is.
func leftWhy(err error) string {
	switch {
	case errors.Is(err, errTouched):
		return whyEdited
	case errors.Is(err, fs.ErrNotExist):
		return whyBlocked
	}
	return "cannot be written: " + err.Error()
}

// place makes one file what the step has for it, if it is still as it was seen.
func (s *spot) place(it *item) error {
	target := s.file(it.Path)
	if err := s.makeParents(it); err != nil {
		return err
	}
	if it.New.Mode == git.ModeSubmodule {
		return s.placeSubmodule(it, target)
	}
	err := s.put(it, target)
	if crossDevice(err) {
		// The git directory lies on another file system: the content waits beside its target instead.
		if err = s.bringNear(it, target); err == nil {
			err = s.put(it, target)
		}
	}
	if err == nil && !it.has {
		s.dropEmptyParents(it.Path)
	}
	return err
}

// put does it, by renames between temp and target.
func (s *spot) put(it *item, target string) error {
	switch {
	case !it.has:
		return takeAway(it, target)
	case it.info != nil && it.info.IsDir():
		if err := os.Remove(target); err != nil { // a submodule's; what is in it stays
			return errTouched
		}
		return putNew(it.temp, target)
	case it.info == nil:
		return putNew(it.temp, target)
	}
	return putOver(it, target)
}

// putNew puts a file where nothing is.
func putNew(temp, target string) error {
	able, err := moveNew(temp, target)
	if !able {
		// A hard link, too, refuses a name that is taken.
		if err = os.Link(temp, target); err == nil {
			err = os.Remove(temp)
		} else if !errors.Is(err, fs.ErrExist) {
			if _, gone := os.Lstat(target); !errors.Is(gone, fs.ErrNotExist) {
				return errTouched
			}
			err = os.Rename(temp, target)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return errTouched
	}
	return err
}

// putOver replaces a file by a prepared one and looks at what came out: if it is not the file that was seen, it goes
// back in its place.
func putOver(it *item, target string) error {
	temp := it.temp
	if !unchanged(it, target) {
		return errTouched
	}
	able, err := swapFiles(temp, target)
	if !able {
		return os.Rename(temp, target)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errTouched
	}
	if err != nil || unchanged(it, temp) {
		return err
	}
	if _, err := swapFiles(temp, target); err != nil {
		return fmt.Errorf("put %s back: %w\n  it is in %s", it.Path, err, temp)
	}
	return errTouched
}

// takeAway removes a file by moving it into the step's folder, where it stays until the step is done.
func takeAway(it *item, target string) error {
	temp := it.temp
	if it.info != nil && it.info.IsDir() {
		// A submodule's folder goes when it is empty, as git does it.
		if err := os.Remove(target); err != nil {
			return errors.New("the submodule's folder is not empty")
		}
		return nil
	}
	if !unchanged(it, target) {
		return errTouched
	}
	if err := os.Rename(target, temp); err != nil {
		return err
	}
	if unchanged(it, temp) {
		return nil
	}
	if err := putNew(temp, target); err != nil {
		return fmt.Errorf("put %s back: %w\n  it is in %s", it.Path, err, temp)
	}
	return errTouched
}

// unchanged reports whether the file there is the one that was seen.
func unchanged(it *item, path string) bool {
	now, err := os.Lstat(path)
	if err != nil || !os.SameFile(now, it.info) || now.Size() != it.info.Size() ||
		!now.ModTime().Equal(it.info.ModTime()) || now.Mode() != it.info.Mode() {
		return false
	}
	if now.Size() > smallFile || it.wasHash == "" {
		return true
	}
	// Two writes within the clock's grain leave the same time.
	hash, err := hashFile(path)
	return err == nil && hash == it.wasHash
}

// smallFile is the size up to which a content is compared, not only its metadata.
const smallFile = 1 << 20

// placeAgain is for a file that a person changed after it was seen: what they have now is edited, or in the way.
func (s *spot) placeAgain(it *item, st *step) error {
	info, err := os.Lstat(s.file(it.Path))
	if errors.Is(err, fs.ErrNotExist) && it.had {
		it.verdict.work, it.verdict.why = keep, "" // removed by hand, and staying so
		return nil
	}
	if err != nil {
		return err
	}
	if !it.plan || !it.had || !it.has || !info.Mode().IsRegular() || it.old == nil {
		return errTouched
	}
	theirs, err := os.ReadFile(s.file(it.Path))
	if err != nil {
		return err
	}
	var act action
	it.info, it.data, it.wasHash = info, theirs, hashOf(theirs)
	if it.put, act = spliced(st.splice, theirs, it); act == keep {
		return errTouched
	}
	it.verdict.work = splice
	if err := os.Remove(it.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.writeTemp(it); err != nil {
		return err
	}
	return s.place(it)
}

// placeSubmodule makes the empty folder of a new submodule; one that is there stays as it is.
func (s *spot) placeSubmodule(it *item, target string) error {
	if it.info != nil && it.info.IsDir() {
		return nil
	}
	if it.info != nil {
		if err := takeAway(it, target); err != nil {
			return err
		}
	}
	err := os.Mkdir(target, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return errTouched
	}
	return err
}

// makeParents makes the folders that a coming file needs. A link, or anything else that is no folder, is never followed.
func (s *spot) makeParents(it *item) error {
	for i, c := range []byte(it.Path) {
		if c != '/' {
			continue
		}
		folder := s.file(it.Path[:i])
		info, err := os.Lstat(folder)
		if errors.Is(err, fs.ErrNotExist) && it.has {
			if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			if info, err = os.Lstat(folder); err != nil {
				return err
			}
		}
		if info == nil || !info.IsDir() {
			return errTouched
		}
	}
	return nil
}

// dropEmptyParents removes the folders that a removed file leaves empty, as git does.
func (s *spot) dropEmptyParents(path string) {
	for i := len(path) - 1; i > 0; i-- {
		// A folder that holds something refuses to go; that ends it.
		if path[i] == '/' && os.Remove(s.file(path[:i])) != nil {
			return
		}
	}
}

// bringNear moves a prepared content beside its target.
func (s *spot) bringNear(it *item, target string) error {
	aside := asidePath(target, it.temp)
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := os.Lstat(it.temp)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a removal has nothing prepared
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(it.temp)
		if err == nil {
			err = os.Symlink(link, aside)
		}
		if err != nil {
			return err
		}
	default:
		data, err := os.ReadFile(it.temp)
		if err == nil {
			err = os.WriteFile(aside, data, info.Mode().Perm())
		}
		if err == nil {
			err = os.Chmod(aside, info.Mode().Perm())
		}
		if err != nil {
			return err
		}
	}
	it.temp = aside
	return nil
}

// asidePath is where a content waits that cannot wait in the git directory.
func asidePath(target, temp string) string {
	return filepath.Join(filepath.Dir(target), ".tendril-step-"+filepath.Base(temp))
}

// clearUp ends the keeping of what was replaced. A file that was written through a handle opened before it was replaced
// goes back in its place: it is a person's.
func (s *spot) clearUp(log func(string, ...any)) {
	for _, it := range s.items {
		if it.temp == "" || !it.placed || it.info == nil || it.info.IsDir() {
			continue
		}
		if _, err := os.Lstat(it.temp); err != nil || unchanged(it, it.temp) {
			continue
		}
		target := s.file(it.Path)
		able, err := swapFiles(it.temp, target)
		if !able && !it.has {
			err = putNew(it.temp, target)
		}
		it.verdict.why = whyEdited
		log("%s in %s was written while it was replaced: put back (%v)", it.Path, s.Path, err)
	}
	for _, it := range s.items {
		if filepath.Dir(it.temp) != s.stepDir() && it.temp != "" {
			_ = os.Remove(it.temp) // beside its target; the next step's clean-up finds none either
		}
	}
	if err := os.RemoveAll(s.stepDir()); err != nil {
		log("clear %s: %v", s.stepDir(), err)
	}
}
