package plans

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"tendril/internal/git"
)

// Reader reads the plans of commits. What it parsed it keeps by blob id, so that reading again costs one git process. It may
// be used by several goroutines.
type Reader struct {
	repo *git.Repo

	mu    sync.Mutex
	cache map[cacheKey]*cached
	turn  int
}

// cacheKey names a parsed file: its place is part of it, since a plan and its errors carry it.
type cacheKey struct{ path, blob string }

// cached is one parsed file: a plan or a record, or what is wrong with it.
type cached struct {
	plan   *Plan
	record *Record
	err    error
	// turn is when it was last used.
	turn int
}

// keptTurns is for how many readings a parsed file is kept that none of them met.
const keptTurns = 4

// NewReader returns a reader of the repository's plans.
func NewReader(repo *git.Repo) *Reader {
	return &Reader{repo: repo, cache: map[cacheKey]*cached{}}
}

// Close lets go of what the reader keeps. No process of its runs between two readings.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cache = map[cacheKey]*cached{}
	return nil
}

// Read returns every plan in folder dir (slashes, relative to the repository) of a commit, or of whatever else git can find a
// tree by. A plan that cannot be read is an entry with an Err; an error of Read itself means that git could not tell, or
// that dir is no folder there (a *SyntaxError).
func (r *Reader) Read(ctx context.Context, commit, dir string) (*Set, error) {
	if commit == "" || strings.HasPrefix(commit, "-") {
		return nil, fmt.Errorf("read plans: %q names no commit", commit)
	}
	dir = path.Clean("/" + dir)[1:]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn++
	files, err := listTree(ctx, r.repo, commit, dir)
	if err != nil {
		return nil, err
	}
	set := &Set{Commit: commit, Dir: dir, Strays: strays(files, dir)}
	folders := groupByKey(files, dir)
	if err := r.load(ctx, folders); err != nil {
		return nil, err
	}
	for _, f := range folders {
		set.Entries = append(set.Entries, r.entry(f))
	}
	for k, c := range r.cache {
		if c.turn < r.turn-keptTurns {
			delete(r.cache, k)
		}
	}
	return set, nil
}

// entry puts one plan's folder together from what was parsed.
func (r *Reader) entry(f *folder) *Entry {
	e := &Entry{Key: f.key, Blobs: f.blobs, Err: f.err}
	if c := r.cache[cacheKey{f.path(PlanFile), f.blobs[PlanFile]}]; e.Err == nil && c != nil {
		e.Plan, e.Err = c.plan, c.err
	}
	if f.recordErr != nil {
		e.RecordErr = f.recordErr
	} else if c := r.cache[cacheKey{f.path(RecordFile), f.blobs[RecordFile]}]; c != nil {
		e.Record, e.RecordErr = c.record, c.err
	}
	if e.Record != nil && e.Record.Key != f.key {
		e.RecordErr = &SyntaxError{
			Path: f.path(RecordFile), Msg: fmt.Sprintf("this is the record of %q: the folder was renamed or copied", clip(string(e.Record.Key))),
			Hint: fmt.Sprintf("rename the folder back, or delete %s to make %s a plan of its own", RecordFile, f.key),
		}
		e.Record = nil
	}
	if e.Err == nil {
		// Without its record nobody can tell what was done for the plan already.
		e.Err = e.RecordErr
	}
	return e
}

// load brings what the folders hold into the cache, of which it reads only the new blobs.
func (r *Reader) load(ctx context.Context, folders []*folder) error {
	var jobs []*job
	for _, f := range folders {
		for _, name := range [...]string{PlanFile, RecordFile} {
			blob := f.blobs[name]
			if blob == "" {
				continue
			}
			k := cacheKey{f.path(name), blob}
			if c := r.cache[k]; c != nil {
				c.turn = r.turn
				continue
			}
			jobs = append(jobs, &job{cacheKey: k, key: f.key, isPlan: name == PlanFile})
		}
	}
	if err := loadBlobs(ctx, r.repo, jobs); err != nil {
		return err
	}
	for _, j := range jobs {
		j.result.turn = r.turn
		r.cache[j.cacheKey] = j.result
	}
	return nil
}
