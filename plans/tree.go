package plans

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"tendril/internal/git"
)

// treeFile is one line of git ls-tree: a file's mode, object and path.
type treeFile struct{ mode, blob, path string }

const (
	modeLink   = "120000"
	modeModule = "160000"
)

// listTree lists every file below a folder of a commit. A folder that is not there holds none; something else in its
// place is a *SyntaxError.
func listTree(ctx context.Context, repo *git.Repo, commit, dir string) ([]treeFile, error) {
	args := []string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit}
	if dir != "" {
		args = append(args, "--", dir)
	}
	out, err := repo.Do(ctx, git.Call{Args: args})
	if err != nil {
		return nil, fmt.Errorf("list plans: %w", err)
	}
	files := make([]treeFile, 0, bytes.Count(out, []byte{0}))
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		meta, name, ok := strings.Cut(string(line), "\t")
		parts := strings.Fields(meta)
		if !ok || len(parts) != 3 {
			return nil, fmt.Errorf("git ls-tree answered %q", line)
		}
		if name == dir {
			return nil, noFolder(dir, parts[0])
		}
		files = append(files, treeFile{mode: parts[0], blob: parts[2], path: name})
	}
	return files, nil
}

// noFolder says what lies where the plans should.
func noFolder(dir, mode string) error {
	what := "a file"
	switch mode {
	case modeLink:
		what = "a symbolic link"
	case modeModule:
		what = "a submodule"
	}
	return &SyntaxError{Path: dir, Msg: "this is " + what, Hint: "it must be a folder; plans: in .tendril/config.yaml names another one"}
}

// folder is one plan's folder in a tree.
type folder struct {
	dir            string
	key            Key
	blobs          map[string]string
	err, recordErr error
	isPlan         bool
}

func (f *folder) path(name string) string { return path.Join(f.dir, string(f.key), name) }

// groupByKey sorts files into the folders that are plans: those with a key for a name and a plan.md. What cannot be taken for
// a file of that name (a symbolic link, a submodule, a folder) is an error on that plan.
func groupByKey(files []treeFile, dir string) []*folder {
	byName := map[string]*folder{}
	var out []*folder
	for _, file := range files {
		rest := file.path
		if dir != "" {
			rest = strings.TrimPrefix(rest, dir+"/")
		}
		name, below, ok := strings.Cut(rest, "/")
		if !ok {
			continue
		}
		f := byName[name]
		if f == nil {
			key, err := ParseKey(name)
			if err != nil {
				// Not a plan's folder: not Tendril's.
				continue
			}
			f = &folder{dir: dir, key: key, blobs: map[string]string{}}
			byName[name] = f
			out = append(out, f)
		}
		f.add(file, below)
	}
	out = slices.DeleteFunc(out, func(f *folder) bool { return !f.isPlan })
	slices.SortFunc(out, func(a, b *folder) int {
		return cmp.Or(cmp.Compare(a.key.Number(), b.key.Number()), cmp.Compare(a.key, b.key))
	})
	return out
}

// strays are the folders that somebody meant for a plan's, by their number and their plan.md, in their order.
func strays(files []treeFile, dir string) []string {
	var out []string
	for _, file := range files {
		name, below, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(file.path, dir), "/"), "/")
		if below != PlanFile || leadingDigits(name) == 0 {
			continue
		}
		if _, err := ParseKey(name); err != nil {
			out = append(out, name)
		}
	}
	return out
}

// add takes a file of the folder, below being its path in there.
func (f *folder) add(file treeFile, below string) {
	name, _, nested := strings.Cut(below, "/")
	what := ""
	switch {
	case nested:
		what = "a folder"
	case file.mode == modeLink:
		what = "a symbolic link"
	case file.mode == modeModule:
		what = "a submodule"
	default:
		f.blobs[name] = file.blob
	}
	var bad error
	if what != "" {
		bad = &SyntaxError{Path: f.path(name), Msg: "this is " + what, Hint: "it must be an ordinary file"}
	}
	switch name {
	case PlanFile:
		f.isPlan, f.err = true, bad
	case RecordFile:
		f.recordErr = bad
	}
}
