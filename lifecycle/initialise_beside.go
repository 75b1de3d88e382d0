package lifecycle

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/detect"
	"tendril/internal/git"
	"tendril/internal/proc"
)

// commitTree is the tree of a commit, as what detects a project's commands reads it.
type commitTree struct {
	batch          *git.Batch
	commit, format string
	listed         map[string][]string
}

// ReadFile returns a blob's content.
func (t *commitTree) ReadFile(name string) ([]byte, error) {
	names, err := t.List(strings.TrimSuffix(strings.TrimSuffix(name, path.Base(name)), "/"))
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, path.Base(name)) {
		return nil, fs.ErrNotExist
	}
	o, err := t.batch.Get(t.commit + ":" + name)
	return o.Data, err
}

// List returns the names in a folder; links and submodules are neither files nor folders here.
func (t *commitTree) List(dir string) ([]string, error) {
	if names, known := t.listed[dir]; known {
		return slices.Clone(names), nil
	}
	// Folder by folder from the top, so that a folder is only asked for that is there.
	if dir != "" {
		above, base := path.Split(dir)
		names, err := t.List(strings.TrimSuffix(above, "/"))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, base+"/") {
			return nil, fs.ErrNotExist
		}
	}
	o, err := t.batch.Get(t.commit + ":" + dir)
	if err != nil {
		return nil, err
	}
	entries, err := git.ParseTree(o.Data, t.format)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, e := range entries {
		switch e.Mode {
		case git.ModeTree:
			names = append(names, e.Name+"/")
		case git.ModeSymlink, git.ModeSubmodule:
		default:
			names = append(names, e.Name)
		}
	}
	if t.listed == nil {
		t.listed = map[string][]string{}
	}
	t.listed[dir] = names
	return slices.Clone(names), nil
}

// beside is the person's machine, above all the main checkout with what is there and no commit has; dir is empty in a bare
// repository
type beside struct {
	dir  string
	repo *git.Repo
}

// moduleLimit ends a Python that hangs.
const moduleLimit = 10 * time.Second

// host is what detect asks of the machine.
func (b beside) host(ctx context.Context) detect.Host {
	return detect.Host{Beside: b.has, Module: func(name string) bool { return b.module(ctx, name) }}
}

// module tells whether the Python on PATH has a module. It is asked where no file of the repository is imported.
func (b beside) module(ctx context.Context, name string) bool {
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: []string{"python3", "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)", name},
		Env:  os.Environ(), Dir: b.repo.CommonDir, Timeout: moduleLimit,
	})
	return err == nil && res.ExitCode == 0
}

// has reports whether something lies in the checkout.
func (b beside) has(name string) bool {
	if b.dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(b.dir, filepath.FromSlash(name)))
	return err == nil
}

// git runs git as seen from the main checkout.
func (b beside) git(ctx context.Context, args ...string) (string, error) {
	return b.repo.Pinned(b.repo.CommonDir, b.dir).Run(ctx, args...)
}

// unignored are those of a list of patterns, as in .gitignore, that git does not ignore there.
func (b beside) unignored(ctx context.Context, patterns []string) []string {
	var out []string
	for _, pattern := range patterns {
		name := strings.ReplaceAll(pattern, "*", "tendril")
		file := filepath.Join(b.dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			file += string(filepath.Separator)
		}
		_, err := b.git(ctx, "check-ignore", "--quiet", "--", file)
		if code, exited := git.ExitCode(err); exited && code == 1 {
			out = append(out, pattern)
		}
	}
	return out
}

// usualSecrets are files that a project often needs and git ignores.
func usualSecrets() []string {
	return []string{".env", ".env.local", ".env.development", ".env.development.local", ".env.test", ".env.test.local", "config/master.key"}
}

// includeFile names, in the way of .gitignore, what other tools copy into worktrees.
const includeFile = ".worktreeinclude"

// maxCopies bounds what a pattern may bring.
const maxCopies = 50

// copies are the files of the checkout that git ignores and each worktree needs: the usual ones, and what
// .worktreeinclude names. Folders are left out: they are made by setup.
func (b beside) copies(ctx context.Context) ([]string, error) {
	var out []string
	take := func(name string) {
		if strings.ContainsAny(name, "\\:*?[]{}\n") {
			return // copy takes it for a pattern, or for no path at all
		}
		info, err := os.Lstat(filepath.Join(b.dir, filepath.FromSlash(name)))
		if err != nil || !info.Mode().IsRegular() || len(out) >= maxCopies || slices.Contains(out, name) {
			return
		}
		if _, err := b.git(ctx, "check-ignore", "--quiet", "--", filepath.Join(b.dir, filepath.FromSlash(name))); err == nil {
			out = append(out, name)
		}
	}
	for _, name := range usualSecrets() {
		take(name)
	}
	include := filepath.Join(b.dir, includeFile)
	if _, err := os.Stat(include); err != nil {
		return out, nil
	}
	list, err := b.git(ctx, "-C", b.dir, "ls-files", "-z", "--others", "--ignored", "--directory", "--exclude-from="+include)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(list, "\x00") {
		if name != "" && !strings.HasSuffix(name, "/") {
			take(name)
		}
	}
	return out, nil
}
