package worktree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// links is what ties a worktree's folder to its repository: the content of the files by which git finds one from the
// other. An agent can write them all, and could so have Tendril work in another folder, or run programs.
type links struct {
	// DotGit is the file .git in the worktree; Back, Common and Config are gitdir, commondir and config.worktree in its git
	// directory; Config is empty where there is none. A setting in there acts on Tendril's own git, and may run programs or
	// hide files from it (sparse-checkout).
	DotGit string `json:"dot_git"`
	Back   string `json:"gitdir"`
	Common string `json:"commondir"`
	Config string `json:"config_worktree,omitempty"`
}

// maxLink is the greatest size of such a file, in bytes.
const maxLink = 64 << 10

// readLinks reads what ties path and gitDir together now.
func readLinks(path, gitDir string) (links, error) {
	var l links
	for _, f := range []struct {
		to       *string
		file     string
		optional bool
	}{
		{&l.DotGit, filepath.Join(path, ".git"), false},
		{&l.Back, filepath.Join(gitDir, "gitdir"), false},
		{&l.Common, filepath.Join(gitDir, "commondir"), false},
		{&l.Config, filepath.Join(gitDir, "config.worktree"), true},
	} {
		text, err := readPlain(f.file)
		if err != nil && (!f.optional || !errors.Is(err, fs.ErrNotExist)) {
			return l, err
		}
		*f.to = text
	}
	return l, nil
}

// readPlain reads a small regular file, and nothing that only looks like one.
func readPlain(file string) (string, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a plain file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only
	data, err := io.ReadAll(io.LimitReader(f, maxLink+1))
	if err == nil && len(data) > maxLink {
		err = fmt.Errorf("%s is larger than %d bytes", file, maxLink)
	}
	return string(data), err
}

// gitDirOf returns the git directory that path's .git file names, when it is one of the worktrees of the repository whose
// common git directory is given; else why not.
func gitDirOf(path, commonDir string) (string, error) {
	text, err := readPlain(filepath.Join(path, ".git"))
	if err != nil {
		return "", err
	}
	dir, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if !ok {
		return "", errors.New("its .git is not the link of a worktree")
	}
	dir = filepath.FromSlash(dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(path, dir)
	}
	dir = filepath.Clean(dir)
	if !samePath(filepath.Dir(dir), filepath.Join(commonDir, "worktrees")) {
		return "", fmt.Errorf("it belongs to another repository (%s)", dir)
	}
	return dir, nil
}

// intact compares a worktree with what was remembered when it was made.
func (r record) intact() error {
	info, err := os.Lstat(r.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &LostError{r.Path, "the folder is gone"}
	case err != nil:
		return fmt.Errorf("worktree %s: %w", r.Name, err)
	case !info.IsDir():
		return &LostError{r.Path, "it is no folder any more"}
	}
	now, err := readLinks(r.Path, r.GitDir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !exists(r.GitDir):
		return &LostError{r.Path, "its registration is gone (" + r.GitDir + ")"}
	case err != nil:
		return &LostError{r.Path, err.Error()}
	case now.DotGit != r.Links.DotGit:
		return &LostError{r.Path, "its .git was replaced"}
	case now.Back != r.Links.Back || now.Common != r.Links.Common:
		return &LostError{r.Path, "its registration was replaced (" + r.GitDir + ")"}
	}
	if now.Config != r.Links.Config {
		return &LostError{r.Path, "its config.worktree was changed"}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// samePath compares two absolute paths, whatever symbolic links lead to the folders they are in. The last part need not
// be there.
func samePath(a, b string) bool {
	return realParent(a) == realParent(b)
}

func realParent(path string) string {
	path = filepath.Clean(filepath.FromSlash(path))
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	return filepath.Join(dir, filepath.Base(path))
}
