package config

import (
	"context"
	"fmt"
	"path"
	"strconv"
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
	listed, err := listFiles(ctx, repo, commit, File, agentsDir, presetsDir, promptwareDir)
	if err != nil || len(listed) == 0 {
		return &Files{}, err
	}
	batch, err := repo.Batch(ctx)
	if err != nil {
		return nil, err
	}
	// Closing says only that the reader is gone, which is what is wanted.
	defer func() { _ = batch.Close() }()
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

// listed is one line of git ls-tree.
type listed struct {
	mode, id, path string
	size           int64
}

// plain reports whether it is a file, not a link or a submodule.
func (l listed) plain() bool { return strings.HasPrefix(l.mode, "100") }

func (l listed) read(batch *git.Batch) (Blob, error) {
	blob := Blob{ID: l.id, Executable: l.mode == "100755"}
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

// listFiles lists what a commit holds at and below the paths.
func listFiles(ctx context.Context, repo *git.Repo, commit string, paths ...string) ([]listed, error) {
	out, err := repo.Run(ctx, append([]string{"ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--"}, paths...)...)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", Dir, err)
	}
	var all []listed
	for line := range strings.SplitSeq(out, "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || path.Clean(name) != name {
			continue
		}
		// A submodule's size is "-": it is no plain file, its size is not asked for.
		size, _ := strconv.ParseInt(fields[3], 10, 64)
		all = append(all, listed{mode: fields[0], id: fields[2], path: name, size: size})
	}
	return all, nil
}
