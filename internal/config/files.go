package config

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tendril/internal/git"
)

// Dir is the folder of Tendril's own files in a repository, File its configuration.
const (
	Dir  = ".tendril"
	File = Dir + "/config.yaml"

	agentsDir     = Dir + "/agents/"
	presetsDir    = Dir + "/presets/"
	promptwareDir = Dir + "/promptware/"
)

// Blob is one file of a commit.
type Blob struct {
	// ID is the blob's, Executable its mode.
	ID         string
	Executable bool
	// Data is nil for a file over MaxBytes.
	Data []byte
}

// Files are what .tendril holds at one commit.
type Files struct {
	// Config is .tendril/config.yaml; nil where there is none.
	Config []byte
	// Agents and Presets are .tendril/agents/NAME.yaml and .tendril/presets/NAME.yaml, by NAME.
	Agents, Presets map[string]Blob
	// Promptware is what lies below .tendril/promptware, by the slash-separated path below it.
	Promptware map[string]Blob
}

// ReadFiles reads .tendril of a commit. A configuration that is no plain file, or too large, is an *Error; other such
// files are left out.
func ReadFiles(ctx context.Context, repo *git.Repo, commit string) (*Files, error) {
	batch, err := repo.Batch(ctx)
	if err != nil {
		return nil, err
	}
	// Closing says only that the reader is gone, which is what is wanted.
	defer func() { _ = batch.Close() }()
	listed, err := listFiles(batch, commit, File, agentsDir, presetsDir, promptwareDir)
	if err != nil || len(listed) == 0 {
		return &Files{}, err
	}
	files := &Files{Agents: map[string]Blob{}, Presets: map[string]Blob{}, Promptware: map[string]Blob{}}
	for _, l := range listed {
		blob, err := l.read(batch)
		if err != nil {
			return nil, err
		}
		if err := files.take(l, blob); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// fileAt is the configuration of a commit as bytes; nil where it has none, or none that Load would read.
func fileAt(ctx context.Context, repo *git.Repo, commit string) ([]byte, error) {
	batch, err := repo.Batch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = batch.Close() }() // a reader
	listed, err := listFiles(batch, commit, File)
	if err != nil || len(listed) != 1 {
		return nil, err
	}
	blob, err := listed[0].read(batch)
	return blob.Data, err
}

// take puts one file where it belongs.
func (f *Files) take(l listed, blob Blob) error {
	if strings.HasPrefix(l.path, File+"/") {
		return &Error{Path: File, Line: 1, Column: 1, Msg: "this is a folder", Hint: "it must be a plain file"}
	}
	if l.path == File {
		if !l.plain() || blob.Data == nil {
			return &Error{Path: File, Line: 1, Column: 1, Msg: fmt.Sprintf("must be a plain file of at most %d bytes", MaxBytes), Hint: seeHelp}
		}
		f.Config = blob.Data
		return nil
	}
	if !l.plain() {
		return nil
	}
	if rest, ok := strings.CutPrefix(l.path, promptwareDir); ok {
		f.Promptware[rest] = blob
		return nil
	}
	for dir, into := range map[string]map[string]Blob{agentsDir: f.Agents, presetsDir: f.Presets} {
		rest, below := strings.CutPrefix(l.path, dir)
		if name, yaml := strings.CutSuffix(rest, ".yaml"); below && yaml && !strings.Contains(name, "/") {
			into[name] = blob
		}
	}
	return nil
}

// Extra are the files that are, hold or steer commands, by path: agents, presets and promptware. Memory is left out: it
// is reviewed with each diff and grows with every delivery.
func (f *Files) Extra() map[string]string {
	extra := map[string]string{}
	for name, blob := range f.Agents {
		extra[agentsDir+name+".yaml"] = blob.text()
	}
	for name, blob := range f.Presets {
		extra[presetsDir+name+".yaml"] = blob.text()
	}
	for name, blob := range f.Promptware {
		if unit, rest, _ := strings.Cut(name, "/"); unit != "" && !strings.HasPrefix(rest, "Memory/") {
			extra[promptwareDir+name] = blob.text()
		}
	}
	return extra
}

// text is the content where a person can read it, else its id, which stands for it as well.
func (b Blob) text() string {
	if b.Data == nil || !utf8.Valid(b.Data) {
		return "blob " + b.ID
	}
	return string(b.Data)
}

// listed is one file in a tree.
type listed struct {
	mode     uint32
	id, path string
	size     int64
}

// plain reports whether it is a file, not a link or a submodule.
func (l listed) plain() bool { return l.mode&0o170000 == 0o100000 }

func (l listed) read(batch *git.Batch) (Blob, error) {
	blob := Blob{ID: l.id, Executable: l.mode&0o100 != 0}
	if !l.plain() || l.size > MaxBytes {
		return blob, nil
	}
	object, err := batch.Get(l.id)
	if err != nil {
		return blob, fmt.Errorf("read %s: %w", l.path, err)
	}
	if object.Data == nil {
		object.Data = []byte{}
	}
	blob.Data = object.Data
	return blob, nil
}

// listFiles lists what a commit holds at and below the paths, which lie in Dir.
func listFiles(batch *git.Batch, commit string, paths ...string) ([]listed, error) {
	top, ok, err := batch.Entry(commit, Dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", Dir, err)
	}
	if !ok || top.Mode != git.ModeTree {
		return nil, nil
	}
	all, err := listFolder(batch, top.OID, Dir, paths)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", Dir, err)
	}
	ids := make([]string, len(all))
	for i, l := range all {
		ids[i] = l.id
	}
	infos, err := batch.Infos(ids)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", Dir, err)
	}
	for i, info := range infos {
		// A submodule's commit is not here: it is no plain file, its size is not asked for.
		all[i].size = info.Size
	}
	return all, nil
}

// listFolder lists the files of a tree and of those below it that lead to one of the paths.
func listFolder(batch *git.Batch, tree, dir string, paths []string) ([]listed, error) {
	entries, err := batch.Tree(tree)
	if err != nil {
		return nil, err
	}
	var all []listed
	for _, e := range entries {
		at := dir + "/" + e.Name
		if !slices.ContainsFunc(paths, func(p string) bool { return at == p || strings.HasPrefix(at+"/", strings.TrimSuffix(p, "/")+"/") }) {
			continue
		}
		if e.Mode != git.ModeTree {
			all = append(all, listed{mode: e.Mode, id: e.OID, path: at})
			continue
		}
		below, err := listFolder(batch, e.OID, at, paths)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}
