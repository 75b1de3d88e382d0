package git

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// indexExtension is a part of an index behind its entries.
type indexExtension struct {
	name string
	data []byte
	tree *cacheTree // of TREE, once it had to be changed
}

// The extensions that are carried over. The others are left out, as git itself leaves out what it does not know: EOIE and
// IEOT say where entries lie in the file, FSMN counts them by position; git makes all of them anew.
const (
	extTree       = "TREE" // ids of the trees that the entries make
	extUndo       = "REUC" // what unmerged entries were before they were resolved
	extUntracked  = "UNTR" // what is untracked in each folder
	extSparse     = "sdir" // this index has collapsed folders
	extSplit      = "link" // this index is only the difference to a shared one
	extHeaderSize = 8
)

// parseExtensions reads what follows the entries. Names that begin with another byte than A to Z must be understood.
func parseExtensions(rest []byte) ([]indexExtension, error) {
	var exts []indexExtension
	for len(rest) >= extHeaderSize {
		name, size := string(rest[:4]), int(binary.BigEndian.Uint32(rest[4:]))
		rest = rest[extHeaderSize:]
		if size < 0 || size > len(rest) {
			return nil, fmt.Errorf("index extension %q: %w", name, errCutOff)
		}
		data := rest[:size:size]
		rest = rest[size:]
		switch name {
		case extTree, extUndo, extUntracked, extSparse:
			exts = append(exts, indexExtension{name: name, data: data})
		case extSplit:
			return nil, ErrSplitIndex
		default:
			if name[0] < 'A' || name[0] > 'Z' {
				return nil, fmt.Errorf("index extension %q is not known\n  tell us which version of git wrote it", name)
			}
		}
	}
	if len(rest) != 0 {
		return nil, fmt.Errorf("index extensions: %w", errCutOff)
	}
	return exts, nil
}

// encode is the extension's data; moved says that entries came or went.
func (e indexExtension) encode(moved bool, hashSize int) []byte {
	switch {
	case e.tree != nil:
		return e.tree.append(nil)
	case e.name == extUntracked && moved:
		return emptyUntracked(e.data, hashSize)
	}
	return e.data
}

// invalidate makes git compute the trees that hold path anew.
func (x *Index) invalidate(path string) {
	for i := range x.exts {
		ext := &x.exts[i]
		if ext.name != extTree {
			continue
		}
		if ext.tree == nil {
			tree, rest, ok := parseCacheTree(ext.data, x.sum.size)
			if !ok || len(rest) != 0 {
				// What cannot be read is left out: git makes it anew.
				x.exts = slices.Delete(x.exts, i, i+1)
				return
			}
			ext.tree = tree
		}
		ext.tree.invalidate([]byte(path))
		return
	}
}

// cacheTree is one folder of the TREE extension: how many entries it spans (negative: not known any more) and its tree's
// id.
type cacheTree struct {
	name  []byte
	count int
	oid   []byte
	subs  []*cacheTree
}

func parseCacheTree(b []byte, hashSize int) (tree *cacheTree, rest []byte, ok bool) {
	name, b, ok := bytes.Cut(b, []byte{0})
	if !ok {
		return nil, nil, false
	}
	line, b, ok := bytes.Cut(b, []byte{'\n'})
	if !ok {
		return nil, nil, false
	}
	first, second, ok := bytes.Cut(line, []byte{' '})
	if !ok {
		return nil, nil, false
	}
	count, err1 := strconv.Atoi(string(first))
	subs, err2 := strconv.Atoi(string(second))
	if err1 != nil || err2 != nil || subs < 0 || subs > len(b) {
		return nil, nil, false
	}
	t := &cacheTree{name: name, count: count}
	if count >= 0 {
		if len(b) < hashSize {
			return nil, nil, false
		}
		t.oid, b = b[:hashSize:hashSize], b[hashSize:]
	}
	for range subs {
		sub, after, ok := parseCacheTree(b, hashSize)
		if !ok {
			return nil, nil, false
		}
		t.subs, b = append(t.subs, sub), after
	}
	return t, b, true
}

func (t *cacheTree) append(out []byte) []byte {
	out = append(append(out, t.name...), 0)
	out = fmt.Appendf(out, "%d %d\n", t.count, len(t.subs))
	if t.count >= 0 {
		out = append(out, t.oid...)
	}
	for _, sub := range t.subs {
		out = sub.append(out)
	}
	return out
}

// invalidate forgets the ids of every folder on the way to path; a folder in its very place is dropped.
func (t *cacheTree) invalidate(path []byte) {
	t.count, t.oid = -1, nil
	name, rest, deeper := bytes.Cut(path, []byte{'/'})
	for i, sub := range t.subs {
		if !bytes.Equal(sub.name, name) {
			continue
		}
		if deeper {
			sub.invalidate(rest)
		} else {
			t.subs = slices.Delete(t.subs, i, i+1)
		}
		return
	}
}

// emptyUntracked is the untracked cache switched on and without content: git fills it again. It is what is left when
// entries came or went, since each folder's list leaves out what is tracked.
func emptyUntracked(data []byte, hashSize int) []byte {
	size, n := offsetVarint(data)
	head := n + size + 2*36 + 4 + 2*hashSize // identity; stat of two ignore files; flags; their ids
	if n == 0 || head > len(data) {
		return nil
	}
	end := bytes.IndexByte(data[head:], 0) // the per-folder ignore file's name
	if end < 0 {
		return nil
	}
	return append(bytes.Clone(data[:head+end+1]), 0)
}
