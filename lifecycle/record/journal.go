package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"tendril/internal/git"
	"tendril/internal/proc"
)

const (
	journalName    = "step.json"
	journalVersion = 1
)

// journal is a step on disk: enough for another process to finish it or to take it back.
type journal struct {
	Version int           `json:"version"`
	Owner   proc.Identity `json:"owner"`
	// Child is the git process that holds the ref; zero when the branch is moved without one.
	Child    proc.Identity `json:"child"`
	At       time.Time     `json:"at"`
	Ref      string        `json:"ref"`
	Old      string        `json:"old"`
	New      string        `json:"new"`
	PlansDir string        `json:"plans_dir"`
	Reflog   string        `json:"reflog"`
	By       git.Ident     `json:"by"`
	Spots    []journalSpot `json:"worktrees"`
	// Locks are the ref locks that git held for us, added once it holds them.
	Locks []journalLock `json:"locks,omitempty"`
}

// journalSpot is one worktree of a step.
type journalSpot struct {
	GitDir string         `json:"git_dir"`
	Path   string         `json:"path"`
	Files  []journalFile  `json:"files"`
	Index  []journalEntry `json:"index"`
}

// journalEntry is an index entry that the step changes; nil is none.
type journalEntry struct {
	Was *git.Entry `json:"was"`
	Set *git.Entry `json:"set"`
}

func (e journalEntry) path() string {
	if e.Was != nil {
		return e.Was.Path
	}
	return e.Set.Path
}

// journalFile is a file that the step puts into the working tree, or removes.
type journalFile struct {
	Path string   `json:"path"`
	Old  git.Side `json:"old"`
	New  git.Side `json:"new"`
	// Temp is where the new content waits and, once it is in its place, what it replaced.
	Temp string `json:"temp"`
	// Put and Was are the hashes of the new content and of what it replaces; empty is nothing.
	Put string `json:"put"`
	Was string `json:"was"`
}

// journalLock is a lock file by its identity.
type journalLock struct {
	Path  string    `json:"path"`
	Inode uint64    `json:"inode"`
	Time  time.Time `json:"time"`
}

func journalPath(dir string) string { return filepath.Join(dir, journalName) }

// readJournal returns the journal of a step that was cut off; nil when there is none.
func readJournal(dir string) (*journal, error) {
	data, err := os.ReadFile(journalPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	j := &journal{}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("read the journal %s: %w\n  it is written whole or not at all; if the disk lost it, check `git status` and remove it", journalPath(dir), err)
	}
	if j.Version != journalVersion {
		return nil, fmt.Errorf("the journal %s is of version %d, this tendril knows %d\n  finish the step with the tendril that wrote it", journalPath(dir), j.Version, journalVersion)
	}
	return j, nil
}

// write puts the journal on disk; with sync it is there even when the machine stops the next moment.
func (j *journal) write(dir string, sync bool) error {
	data, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := replaceFile(journalPath(dir), append(data, '\n'), sync); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// inherit adds what an earlier attempt at the same step did and this one does not have to do again: to take the step back
// means to take back both.
func (j *journal) inherit(earlier *journal) {
	if earlier == nil {
		return
	}
	for _, was := range earlier.Spots {
		i := slices.IndexFunc(j.Spots, func(s journalSpot) bool { return s.GitDir == was.GitDir })
		if i < 0 {
			j.Spots = append(j.Spots, was)
			continue
		}
		now := &j.Spots[i]
		for _, f := range was.Files {
			if !slices.ContainsFunc(now.Files, func(g journalFile) bool { return g.Path == f.Path }) {
				now.Files = append(now.Files, f)
			}
		}
		for _, e := range was.Index {
			if !slices.ContainsFunc(now.Index, func(g journalEntry) bool { return g.path() == e.path() }) {
				now.Index = append(now.Index, e)
			}
		}
	}
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, data []byte, sync bool) error {
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil || !sync {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a rename last; Windows has no such thing.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
