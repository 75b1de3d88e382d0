package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// TreeEntry is one name in a tree.
type TreeEntry struct {
	Name string
	Mode uint32
	OID  string
}

// ParseTree reads a tree object's content.
func ParseTree(data []byte, format string) ([]TreeEntry, error) {
	sum, err := digestOf(format)
	if err != nil {
		return nil, err
	}
	var entries []TreeEntry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || len(rest) < sum.size {
			return nil, fmt.Errorf("tree: %w", errCutOff)
		}
		bits, err := strconv.ParseUint(mode, 8, 32)
		if err != nil {
			return nil, fmt.Errorf("tree entry %q: mode %q", name, mode)
		}
		entries = append(entries, TreeEntry{Name: name, Mode: uint32(bits), OID: hex.EncodeToString(rest[:sum.size])})
		data = rest[sum.size:]
	}
	return entries, nil
}

// EncodeTree is the content of the tree object with the entries, in any order.
func EncodeTree(entries []TreeEntry) ([]byte, error) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b TreeEntry) int { return strings.Compare(treeOrder(a), treeOrder(b)) })
	var out []byte
	for _, e := range sorted {
		oid, err := hex.DecodeString(e.OID)
		if err != nil {
			return nil, fmt.Errorf("tree entry %q: %q is not an object id", e.Name, e.OID)
		}
		out = fmt.Appendf(out, "%o %s\x00", e.Mode, e.Name)
		out = append(out, oid...)
	}
	return out, nil
}

// treeOrder is what entries are sorted by: folders as if their names ended in a slash.
func treeOrder(e TreeEntry) string {
	if e.Mode == ModeTree {
		return e.Name + "/"
	}
	return e.Name
}

// FileEdit is new content for one file of a tree, or its removal.
type FileEdit struct {
	Path   string
	Data   []byte
	Delete bool
}

// PathError says that an edit does not fit the tree.
type PathError struct{ Path, Why string }

// Error is the path and what is wrong with it.
func (e *PathError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Why) }

// TreeEditor edits a tree without an index: only the folders on the way to the edits are read.
type TreeEditor struct {
	// Batch reads the trees that are there.
	Batch *Batch
	// Format is the repository's object format.
	Format string

	objects []NewObject
	changes []TreeChange
}

// EditedTree is what edits make of a tree.
type EditedTree struct {
	// ID is the new tree's, Objects are what has to be written for it.
	ID      string
	Objects []NewObject
	// Changes are the files that differ, by path.
	Changes []TreeChange
}

// Apply edits the tree of root, a tree's or commit's id. Files that are there keep their mode; new ones are ModeFile. Folders that become empty go. A *PathError says
// that an edit has a link, a submodule, a folder or a file in its way.
func (t *TreeEditor) Apply(root string, edits []FileEdit) (EditedTree, error) {
	t.objects, t.changes = nil, nil
	split := make([]treeEdit, len(edits))
	seen := map[string]bool{}
	for i, e := range edits {
		if seen[e.Path] {
			return EditedTree{}, &PathError{e.Path, "edited twice in one commit"}
		}
		seen[e.Path] = true
		split[i] = treeEdit{FileEdit: e, rest: e.Path}
	}
	id, _, err := t.folder(root+"^{tree}", split)
	slices.SortFunc(t.changes, func(a, b TreeChange) int { return strings.Compare(a.Path, b.Path) })
	return EditedTree{ID: id, Objects: t.objects, Changes: t.changes}, err
}

// treeEdit is an edit on its way down: rest is what is left of its path.
type treeEdit struct {
	FileEdit
	rest string
}

// folder edits the tree of that name ("" is a new one); empty is true when nothing is left in it.
func (t *TreeEditor) folder(name string, edits []treeEdit) (id string, empty bool, err error) {
	var entries []TreeEntry
	if name != "" {
		o, err := t.Batch.Get(name)
		if err != nil {
			return "", false, err
		}
		if entries, err = ParseTree(o.Data, t.Format); err != nil {
			return "", false, err
		}
		id = o.ID
	}
	byName := map[string]TreeEntry{}
	for _, e := range entries {
		byName[e.Name] = e
	}
	below := map[string][]treeEdit{}
	for _, e := range edits {
		first, rest, deeper := strings.Cut(e.rest, "/")
		if deeper {
			e.rest = rest
			below[first] = append(below[first], e)
			continue
		}
		if err := t.file(byName, first, e.FileEdit); err != nil {
			return "", false, err
		}
	}
	for _, first := range slices.Sorted(maps.Keys(below)) {
		if err := t.subfolder(byName, first, below[first]); err != nil {
			return "", false, err
		}
	}
	data, err := EncodeTree(slices.Collect(maps.Values(byName)))
	if err != nil {
		return "", false, err
	}
	was := id
	if id, err = ObjectID(t.Format, "tree", data); err != nil {
		return "", false, err
	}
	if id != was && (len(byName) > 0 || name != "") {
		t.objects = append(t.objects, NewObject{"tree", data})
	}
	return id, len(byName) == 0, nil
}

// file edits one name of a folder.
func (t *TreeEditor) file(byName map[string]TreeEntry, name string, e FileEdit) error {
	old, there := byName[name]
	if there {
		switch old.Mode {
		case ModeTree:
			return &PathError{e.Path, "is a folder on the branch"}
		case ModeSymlink:
			return &PathError{e.Path, "is a symbolic link on the branch"}
		case ModeSubmodule:
			return &PathError{e.Path, "is a submodule on the branch"}
		}
	}
	if e.Delete {
		if there {
			delete(byName, name)
			t.changes = append(t.changes, TreeChange{Path: e.Path, Old: Side{old.Mode, old.OID}})
		}
		return nil
	}
	id, err := ObjectID(t.Format, "blob", e.Data)
	if err != nil {
		return err
	}
	mode := ModeFile
	if there {
		mode = old.Mode
	}
	if id != old.OID {
		t.objects = append(t.objects, NewObject{"blob", e.Data})
		t.changes = append(t.changes, TreeChange{Path: e.Path, Old: Side{old.Mode, old.OID}, New: Side{mode, id}})
	}
	byName[name] = TreeEntry{Name: name, Mode: mode, OID: id}
	return nil
}

// subfolder edits what lies below one name of a folder.
func (t *TreeEditor) subfolder(byName map[string]TreeEntry, name string, edits []treeEdit) error {
	old, there := byName[name]
	if there && old.Mode != ModeTree {
		if slices.ContainsFunc(edits, func(e treeEdit) bool { return !e.Delete }) {
			return &PathError{edits[0].Path, "lies below something that is no folder on the branch"}
		}
		return nil
	}
	id, empty, err := t.folder(old.OID, edits)
	switch {
	case err != nil:
		return err
	case empty:
		delete(byName, name)
	default:
		byName[name] = TreeEntry{Name: name, Mode: ModeTree, OID: id}
	}
	return nil
}

// ErrBadPath is returned by CheckPath.
var ErrBadPath = errors.New("not a path inside the repository")

// CheckPath refuses paths that git would not store or that lead out of a worktree: absolute ones, empty, "." and ".."
// parts, anything named .git in any case or disguise, control bytes and backslashes.
func CheckPath(path string) error {
	for part := range strings.SplitSeq(path, "/") {
		folded := strings.ToLower(strings.TrimRight(part, " ."))
		if part == "" || part == "." || part == ".." || folded == ".git" || strings.HasPrefix(folded, "git~1") {
			return fmt.Errorf("%q: %w", path, ErrBadPath)
		}
	}
	for _, c := range []byte(path) {
		if c < 0x20 || c == 0x7f || c == '\\' {
			return fmt.Errorf("%q: %w", path, ErrBadPath)
		}
	}
	return nil
}
