package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoObject is returned for a name that is no object here.
var ErrNoObject = errors.New("no such object")

// Object is one object's id, type ("blob", "tree", "commit", "tag") and content.
type Object struct {
	ID, Type string
	Data     []byte
}

// Info is what an object is, without its content. Size is in bytes; a name that is no object here has an empty ID.
type Info struct {
	ID, Type string
	Size     int64
}

// Batch reads objects for one piece of work. It may be used from several goroutines.
type Batch struct {
	ctx  context.Context
	repo *Repo
	// own is a process for this Batch alone, nil where the repository's is used.
	own *reader
}

// Batch begins to read; it ends with Close or with ctx. Repositories from Open share one process among all that reads them,
// which ends with Repo.Close; one that is pinned to a worktree gets a process of its own.
func (r *Repo) Batch(ctx context.Context) (*Batch, error) {
	b := &Batch{ctx: ctx, repo: r}
	if r.sharedReader() == nil {
		b.own = &reader{}
	}
	return b, nil
}

// sharedReader is the reader of the repository's copies, as far as names mean the same for them.
func (r *Repo) sharedReader() *reader {
	if r.pinned || r.shared == nil || r.shared.gitDir != r.GitDir {
		return nil
	}
	return &r.shared.reader
}

// shared is what the copies of a Repo have in common.
type shared struct {
	gitDir   string
	reader   reader
	settings settings
}

// Close ends the process that reads the repository's objects, if one runs. The Repo can be used on: the next reading starts
// another.
func (r *Repo) Close() {
	if rd := r.sharedReader(); rd != nil {
		rd.close()
	}
}

func (b *Batch) ask(questions []string, take func(i int, o Object, size int64, missing bool) error) error {
	rd := b.own
	if rd == nil {
		rd = b.repo.sharedReader()
	}
	return rd.ask(b.ctx, b.repo, questions, take)
}

// Close ends what was started for this Batch alone.
func (b *Batch) Close() error {
	if b.own != nil {
		b.own.close()
	}
	return nil
}

// Get reads one object by any name that git understands (an id, "commit:path"). A name with a newline is refused.
func (b *Batch) Get(name string) (Object, error) {
	var object Object
	err := b.Each([]string{name}, func(_ int, o Object) error {
		object = o
		return nil
	})
	if err == nil && object.ID == "" {
		return Object{}, fmt.Errorf("%s: %w", name, ErrNoObject)
	}
	return object, err
}

// Each reads many objects in one round, one in memory at a time, and hands each to visit with its place among the names; for
// a name that is no object here visit gets an Object without an ID. An error of visit ends it. visit must not read objects
// itself: it is its turn.
func (b *Batch) Each(names []string, visit func(i int, o Object) error) error {
	questions, err := questionsFor(askContents, names)
	if err != nil {
		return err
	}
	return b.ask(questions, func(i int, o Object, _ int64, _ bool) error { return visit(i, o) })
}

// Infos tells for each name what it is.
func (b *Batch) Infos(names []string) ([]Info, error) {
	questions, err := questionsFor(askInfo, names)
	if err != nil || len(questions) == 0 {
		return nil, err
	}
	infos := make([]Info, len(names))
	err = b.ask(questions, func(i int, o Object, size int64, _ bool) error {
		infos[i] = Info{ID: o.ID, Type: o.Type, Size: size}
		return nil
	})
	return infos, err
}

func questionsFor(ask string, names []string) ([]string, error) {
	questions := make([]string, len(names))
	for i, name := range names {
		if name == "" || strings.ContainsAny(name, "\n\x00") {
			return nil, fmt.Errorf("object name %q: %w", name, ErrNoObject)
		}
		questions[i] = ask + name
	}
	return questions, nil
}

// Object is Batch and Get for one object.
func (r *Repo) Object(ctx context.Context, name string) (Object, error) {
	b, err := r.Batch(ctx)
	if err != nil {
		return Object{}, err
	}
	o, err := b.Get(name)
	return o, errors.Join(err, b.Close())
}

// Tree reads the entries of a tree, or of a commit's. An object that the repository has lost is an ErrNoObject.
func (b *Batch) Tree(name string) ([]TreeEntry, error) {
	o, err := b.Get(name + "^{tree}")
	if err != nil {
		return nil, err
	}
	return ParseTree(o.Data, b.repo.Format)
}

// Entry returns what a commit or tree has at a path (slashes, clean, no link followed), and false where it has nothing. It
// goes down folder by folder: an object that the repository has lost is an error, and not a path that is not there.
func (b *Batch) Entry(commit, path string) (TreeEntry, bool, error) {
	at := TreeEntry{OID: commit, Mode: ModeTree}
	for name := range strings.SplitSeq(path, "/") {
		if at.Mode != ModeTree {
			return TreeEntry{}, false, nil
		}
		entries, err := b.Tree(at.OID)
		if err != nil {
			return TreeEntry{}, false, err
		}
		i := slices.IndexFunc(entries, func(e TreeEntry) bool { return e.Name == name })
		if i < 0 {
			return TreeEntry{}, false, nil
		}
		at = entries[i]
	}
	return at, true, nil
}

// File returns the content of a file of a commit or tree, of a symbolic link its target; nil where there is no such path or
// it is a folder or a submodule, never nil for a file.
func (r *Repo) File(ctx context.Context, commit, path string) ([]byte, error) {
	b, err := r.Batch(ctx)
	if err != nil {
		return nil, err
	}
	data, err := b.file(commit, path)
	return data, errors.Join(err, b.Close())
}

func (b *Batch) file(commit, path string) ([]byte, error) {
	e, ok, err := b.Entry(commit, path)
	if err != nil || !ok || e.Mode == ModeTree || e.Mode == ModeSubmodule {
		return nil, err
	}
	o, err := b.Get(e.OID)
	return o.Data, err
}
