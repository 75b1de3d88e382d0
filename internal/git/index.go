package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// The file modes that git stores.
const (
	ModeFile       uint32 = 0o100644
	ModeExecutable uint32 = 0o100755
	ModeSymlink    uint32 = 0o120000
	ModeSubmodule  uint32 = 0o160000
	ModeTree       uint32 = 0o40000
)

// Entry is one entry of an index.
type Entry struct {
	// Path is relative to the worktree's top, with slashes. A collapsed folder of a sparse index ends in a slash.
	Path string
	// OID is the object's id in hex, Mode its file mode.
	OID  string
	Mode uint32
	// Stage is 0, or 1 to 3 while the path is unmerged.
	Stage int
	// AssumeUnchanged, SkipWorktree and IntentToAdd are the flags of those names.
	AssumeUnchanged, SkipWorktree, IntentToAdd bool
	// Stat is what git saw of the file when it last compared it; the zero value makes git compare again.
	Stat Stat
}

// Stat is the part of a file's metadata that an index keeps, cut to 32 bits each as git does.
type Stat struct {
	CtimeSec, CtimeNsec, MtimeSec, MtimeNsec, Dev, Ino, UID, GID, Size uint32
}

// ErrSplitIndex is returned by ParseIndex for an index that holds only the difference to a shared one.
var ErrSplitIndex = errors.New("split index")

const (
	indexHeader    = 12
	indexStatBytes = 40
	indexMode      = 24 // where the mode is among them

	flagAssume   = 0x8000
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagName     = 0x0fff

	flagSkipWorktree = 0x4000
	flagIntentToAdd  = 0x2000
)

// indexEntry is an entry as the file has it: the fixed part with its flags, and the path.
type indexEntry struct{ fixed, path []byte }

// Index is the content of an index file, to be looked at and edited in memory. Entries that are not edited are kept as
// they are, byte for byte.
type Index struct {
	version uint32
	sum     digest
	entries []indexEntry
	exts    []indexExtension
	moved   bool // entries were added or removed: what counts entries by position no longer fits
}

// ParseIndex reads the content of an index file (versions 2 to 4) of a repository with the object format ("sha1",
// "sha256"). A split index is ErrSplitIndex.
func ParseIndex(data []byte, format string) (*Index, error) {
	sum, err := digestOf(format)
	if err != nil {
		return nil, err
	}
	if len(data) < indexHeader+sum.size || string(data[:4]) != "DIRC" {
		return nil, errors.New("not an index file\n  git cannot read it either: move it away, then git reset makes a new one (files stay as they are)")
	}
	x := &Index{version: binary.BigEndian.Uint32(data[4:]), sum: sum}
	if x.version < 2 || x.version > 4 {
		return nil, fmt.Errorf("index version %d is not known", x.version)
	}
	body := data[:len(data)-sum.size]
	rest, err := x.parseEntries(body, int(binary.BigEndian.Uint32(data[8:])))
	if err != nil {
		return nil, err
	}
	x.exts, err = parseExtensions(rest)
	return x, err
}

// parseEntries reads count entries and returns what follows them.
func (x *Index) parseEntries(body []byte, count int) ([]byte, error) {
	if count < 0 || count > len(body)/(indexStatBytes+x.sum.size) {
		return nil, fmt.Errorf("index says %d entries and is too short for them", count)
	}
	x.entries = make([]indexEntry, 0, count+8)
	rest, before := body[indexHeader:], []byte(nil)
	for i := range count {
		e, after, err := x.parseEntry(rest, before)
		if err != nil {
			return nil, fmt.Errorf("index entry %d: %w", i, err)
		}
		x.entries = append(x.entries, e)
		rest, before = after, e.path
	}
	return rest, nil
}

var errCutOff = errors.New("cut off")

func (x *Index) parseEntry(rest, before []byte) (indexEntry, []byte, error) {
	size := indexStatBytes + x.sum.size + 2
	if len(rest) < size {
		return indexEntry{}, nil, errCutOff
	}
	if binary.BigEndian.Uint16(rest[size-2:])&flagExtended != 0 {
		size += 2
	}
	if len(rest) < size {
		return indexEntry{}, nil, errCutOff
	}
	e, name := indexEntry{fixed: rest[:size:size]}, rest[size:]
	if x.version == 4 {
		strip, n := offsetVarint(name)
		if n == 0 || strip > len(before) {
			return indexEntry{}, nil, errCutOff
		}
		name = name[n:]
		end := bytes.IndexByte(name, 0)
		if end < 0 {
			return indexEntry{}, nil, errCutOff
		}
		e.path = slices.Concat(before[:len(before)-strip], name[:end])
		return e, name[end+1:], nil
	}
	end := bytes.IndexByte(name, 0)
	if end < 0 {
		return indexEntry{}, nil, errCutOff
	}
	e.path = name[:end:end]
	padded := (size + end + 8) &^ 7
	if len(rest) < padded {
		return indexEntry{}, nil, errCutOff
	}
	return e, rest[padded:], nil
}

// decode is the entry for the outside.
func (x *Index) decode(e indexEntry) Entry {
	f := e.fixed
	word := func(i int) uint32 { return binary.BigEndian.Uint32(f[4*i:]) }
	out := Entry{
		Path: string(e.path), Mode: word(6),
		Stat: Stat{
			CtimeSec: word(0), CtimeNsec: word(1), MtimeSec: word(2), MtimeNsec: word(3), Dev: word(4), Ino: word(5),
			UID: word(7), GID: word(8), Size: word(9),
		},
	}
	f = f[indexStatBytes:]
	out.OID = hex.EncodeToString(f[:x.sum.size])
	flags := binary.BigEndian.Uint16(f[x.sum.size:])
	out.AssumeUnchanged, out.Stage = flags&flagAssume != 0, int(flags&flagStage)>>12
	if flags&flagExtended != 0 {
		more := binary.BigEndian.Uint16(f[x.sum.size+2:])
		out.SkipWorktree, out.IntentToAdd = more&flagSkipWorktree != 0, more&flagIntentToAdd != 0
	}
	return out
}

// encode is the entry as the file has it.
func (x *Index) encode(e Entry) (indexEntry, error) {
	oid, err := hex.DecodeString(e.OID)
	if err != nil || len(oid) != x.sum.size {
		return indexEntry{}, fmt.Errorf("%s: %q is not an object id here", e.Path, e.OID)
	}
	f := make([]byte, 0, indexStatBytes+x.sum.size+4)
	s := e.Stat
	for _, w := range []uint32{s.CtimeSec, s.CtimeNsec, s.MtimeSec, s.MtimeNsec, s.Dev, s.Ino, e.Mode, s.UID, s.GID, s.Size} {
		f = binary.BigEndian.AppendUint32(f, w)
	}
	f = append(f, oid...)
	flags, more := uint16(min(len(e.Path), flagName))|uint16(e.Stage)<<12, uint16(0)
	if e.AssumeUnchanged {
		flags |= flagAssume
	}
	if e.SkipWorktree {
		more |= flagSkipWorktree
	}
	if e.IntentToAdd {
		more |= flagIntentToAdd
	}
	if more == 0 {
		return indexEntry{fixed: binary.BigEndian.AppendUint16(f, flags), path: []byte(e.Path)}, nil
	}
	f = binary.BigEndian.AppendUint16(f, flags|flagExtended)
	return indexEntry{fixed: binary.BigEndian.AppendUint16(f, more), path: []byte(e.Path)}, nil
}

func (x *Index) stage(e indexEntry) int {
	return int(binary.BigEndian.Uint16(e.fixed[indexStatBytes+x.sum.size:])&flagStage) >> 12
}

// search finds where path with that stage is, or would be.
func (x *Index) search(path string, stage int) (int, bool) {
	return slices.BinarySearchFunc(x.entries, path, func(e indexEntry, path string) int {
		if c := bytes.Compare(e.path, []byte(path)); c != 0 {
			return c
		}
		return x.stage(e) - stage
	})
}

// Find returns the entries of a path: none, the one of stage 0, or those of an unmerged path.
func (x *Index) Find(path string) []Entry {
	var found []Entry
	at, _ := x.search(path, 0)
	for ; at < len(x.entries) && string(x.entries[at].path) == path; at++ {
		found = append(found, x.decode(x.entries[at]))
	}
	return found
}

// Below returns the entries inside a folder, given without its last slash.
func (x *Index) Below(folder string) []Entry {
	var found []Entry
	prefix := []byte(folder + "/")
	at, _ := x.search(folder+"/", 0)
	for ; at < len(x.entries) && bytes.HasPrefix(x.entries[at].path, prefix); at++ {
		found = append(found, x.decode(x.entries[at]))
	}
	return found
}

// Collapsed returns the entry of the collapsed folder (of a sparse index) that path lies in.
func (x *Index) Collapsed(path string) (Entry, bool) {
	for i, c := range []byte(path) {
		if c != '/' {
			continue
		}
		if at, found := x.search(path[:i+1], 0); found {
			return x.decode(x.entries[at]), true
		}
	}
	return Entry{}, false
}

// Len is the number of entries.
func (x *Index) Len() int { return len(x.entries) }

// Set puts the entry in the place of the one with its path and stage, or adds it.
func (x *Index) Set(e Entry) error {
	raw, err := x.encode(e)
	if err != nil {
		return err
	}
	at, found := x.search(e.Path, e.Stage)
	if found {
		// Metadata of the file is not part of a tree; all else (mode, id, flags) may be.
		if old := x.entries[at].fixed; !bytes.Equal(old[indexMode:indexMode+4], raw.fixed[indexMode:indexMode+4]) ||
			!bytes.Equal(old[indexStatBytes:], raw.fixed[indexStatBytes:]) {
			x.invalidate(e.Path)
		}
		x.entries[at] = raw
		return nil
	}
	x.entries = slices.Insert(x.entries, at, raw)
	x.moved = true
	x.invalidate(e.Path)
	return nil
}

// Remove takes out every entry of a path; it reports whether there was one.
func (x *Index) Remove(path string) bool {
	at, _ := x.search(path, 0)
	end := at
	for end < len(x.entries) && string(x.entries[end].path) == path {
		end++
	}
	if end == at {
		return false
	}
	x.entries = slices.Delete(x.entries, at, end)
	x.moved = true
	x.invalidate(path)
	return true
}

// Encode is the content of the index file.
func (x *Index) Encode() []byte {
	version := x.version
	if version < 4 {
		version = 2
		for _, e := range x.entries {
			if len(e.fixed) > indexStatBytes+x.sum.size+2 {
				version = 3
				break
			}
		}
	}
	size := indexHeader + x.sum.size
	for _, e := range x.entries {
		size += len(e.fixed) + len(e.path) + 8
	}
	for _, ext := range x.exts {
		size += len(ext.data) + 8
	}
	out := make([]byte, 0, size)
	out = append(out, "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.entries)))
	var before []byte
	for _, e := range x.entries {
		out = append(out, e.fixed...)
		if version == 4 {
			common := commonPrefix(before, e.path)
			out = appendOffsetVarint(out, len(before)-common)
			out = append(append(out, e.path[common:]...), 0)
			before = e.path
			continue
		}
		out = append(out, e.path...)
		out = append(out, "\x00\x00\x00\x00\x00\x00\x00\x00"[:8-(len(e.fixed)+len(e.path))%8]...)
	}
	for _, ext := range x.exts {
		out = append(out, ext.name...)
		data := ext.encode(x.moved, x.sum.size)
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		out = append(out, data...)
	}
	return append(out, x.sum.of(out)...)
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// offsetVarint reads the varint of pack offsets and version 4 indexes; n is 0 when it is cut off or too large.
func offsetVarint(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

func appendOffsetVarint(out []byte, value int) []byte {
	var buf [10]byte
	at := len(buf) - 1
	buf[at] = byte(value & 0x7f)
	for value >>= 7; value > 0; value >>= 7 {
		value--
		at--
		buf[at] = byte(value&0x7f) | 0x80
	}
	return append(out, buf[at:]...)
}
