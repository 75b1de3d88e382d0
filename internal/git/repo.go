// Package git is the one client through which Tendril runs git: argv, never a shell; a clean environment; the user's
// colour, pager, hooks and monitors out of the way; a time limit; typed errors. It imports no room.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DefaultTimeout ends a git process that takes longer; a call may ask for another limit.
const DefaultTimeout = 2 * time.Minute

// Repo is one repository seen from one of its worktrees (or bare). It is a value: the With methods return changed copies.
type Repo struct {
	// Dir is the top of the worktree, or the git directory of a bare repository. Absolute.
	Dir string
	// GitDir is this worktree's git directory, CommonDir the one shared by all worktrees. Absolute.
	GitDir, CommonDir string
	// Bare is true when there is no worktree here.
	Bare bool
	// Format is the object format, "sha1" or "sha256".
	Format string

	pinned bool
	// shared is what reads the objects, for Open's Repo and its copies.
	shared *shared
}

// ErrNotRepository is returned by Open where no repository is found.
var ErrNotRepository = errors.New("not a git repository")

// Open finds the repository that holds dir. Where there is none, or git refuses to work in it, the error says what to do.
func Open(ctx context.Context, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder to work in is gone: %w\n  go to one that is there", err)
	}
	r := &Repo{Dir: abs}
	lines, err := r.describe(ctx)
	if err != nil {
		return nil, notOpened(abs, err)
	}
	r.Bare, r.Format, r.GitDir, r.CommonDir = lines[0] == "true", lines[1], lines[2], lines[3]
	r.shared = &shared{gitDir: r.GitDir}
	if r.Bare {
		r.Dir = r.GitDir
	} else if lines[4] != "" {
		r.Dir = lines[4]
	}
	return r, nil
}

// describe asks whether the repository is bare, for its object format, git directory, common directory and top, which is
// empty inside of a git directory.
func (r *Repo) describe(ctx context.Context) ([]string, error) {
	const ask, top = "rev-parse", "--show-toplevel"
	args := []string{"--is-bare-repository", "--show-object-format", "--git-dir", "--git-common-dir"}
	out, err := r.Run(ctx, append([]string{ask, "--path-format=absolute"}, append(args, top)...)...)
	lines := strings.Split(out, "\n")
	switch _, exited := ExitCode(err); {
	case err == nil && len(lines) == len(args)+1:
		return lines, nil
	case exited && len(lines) == len(args):
		// All was told but the top, which there is none of here.
		return append(lines, ""), nil
	case err != nil && (!exited || out == ""):
		return nil, err
	}
	// A path holds a line end: then each has to be asked for on its own.
	lines = make([]string, len(args), len(args)+1)
	for i, arg := range args {
		if lines[i], err = r.Run(ctx, ask, "--path-format=absolute", arg); err != nil {
			return nil, err
		}
	}
	dir, err := r.Run(ctx, ask, "--path-format=absolute", top)
	if _, exited := ExitCode(err); err != nil && !exited {
		return nil, err
	}
	return append(lines, dir), nil
}

// notOpened says why git does not work in a folder, in words for people.
func notOpened(dir string, err error) error {
	var ge *Error
	if !errors.As(err, &ge) {
		return err
	}
	if strings.Contains(ge.Stderr, "not a git repository") {
		return fmt.Errorf("%s: %w\n  run tendril inside a repository, or give one with -C DIR", dir, ErrNotRepository)
	}
	if at := dubious.FindStringSubmatch(ge.Stderr); at != nil {
		return fmt.Errorf("%s belongs to another user, and git works in it only with your word (dubious ownership)\n"+
			"  if you trust it: git config --global --add safe.directory %s", at[1], quoted(at[1]))
	}
	if at := badConfig.FindStringSubmatch(ge.Stderr); at != nil {
		file := at[2]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		return fmt.Errorf("%s:%s: git cannot read its configuration\n  mend that line; git config --list reads it again", file, at[1])
	}
	return err
}

// quoted is a path as a shell takes it for one word.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+:@%,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// Pinned returns the repository seen from another of its worktrees, with git directory, common directory and worktree
// named on every call, so that nothing an agent could have written into the worktree (a replaced .git file, a
// commondir) is believed.
func (r *Repo) Pinned(gitDir, worktree string) *Repo {
	c := *r
	c.Dir, c.GitDir, c.Bare, c.pinned = worktree, gitDir, false, true
	return &c
}

// Main returns the repository seen from its main worktree at dir, or from no worktree where dir is empty.
func (r *Repo) Main(dir string) *Repo {
	c := *r
	c.Dir, c.GitDir, c.Bare = dir, r.CommonDir, dir == ""
	if c.Bare {
		c.Dir = r.CommonDir
	}
	c.shared = &shared{gitDir: c.GitDir}
	return &c
}

// Call is one run of git with everything that may differ from the plain one.
type Call struct {
	// Args follow the engine's own flags: the subcommand first.
	Args []string
	// Stdin is what git reads; nil is nothing.
	Stdin []byte
	// Env is added to the clean environment ("NAME=value").
	Env []string
	// Index is a private index file; empty is the worktree's own.
	Index string
	// Hooks lets the repository's hooks run (off by default).
	Hooks bool
	// Locks lets git take optional locks, as refreshing an index needs.
	Locks bool
	// Timeout replaces DefaultTimeout.
	Timeout time.Duration
}

// Run runs git and returns what it printed, less one last newline.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	out, err := r.Do(ctx, Call{Args: args})
	return strings.TrimSuffix(string(out), "\n"), err
}

// engineFlags make git deaf to what a user or a hostile worktree may have configured.
func (r *Repo) engineFlags(c Call) []string {
	flags := []string{
		"-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		// What a ref names must be on the disk before the ref: by default git leaves loose objects to the system.
		"-c", "core.fsync=objects,derived-metadata,reference", "-c", "core.fsyncMethod=batch",
		"-c", "core.quotePath=false", "-c", "color.ui=false", "-c", "core.pager=cat", "-c", "advice.detachedHead=false",
	}
	if !c.Hooks {
		flags = append(flags, "-c", "core.hooksPath="+os.DevNull)
	}
	if !c.Locks {
		flags = append(flags, "--no-optional-locks")
	}
	if r.pinned {
		return append(flags, "--git-dir="+r.GitDir, "--work-tree="+r.Dir)
	}
	return append(flags, "-C", r.Dir)
}

// environ is the caller's environment less every GIT_ variable and prompt, plus what makes git headless.
func (r *Repo) environ(c Call) []string {
	env := make([]string, 0, len(os.Environ())+8)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if kept, scrubbed := keptGitVariables[name], strings.HasPrefix(name, "GIT_"); scrubbed && !kept {
			continue
		}
		switch name {
		case "LC_ALL", "LANGUAGE", "SSH_ASKPASS", "PAGER", "EDITOR", "VISUAL":
			continue
		}
		env = append(env, kv)
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "GIT_EDITOR=false",
		"GIT_SEQUENCE_EDITOR=false", "GIT_ASKPASS=", "SSH_ASKPASS=")
	if r.pinned {
		env = append(env, "GIT_COMMON_DIR="+r.CommonDir)
	}
	if c.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.Index)
	}
	return append(env, c.Env...)
}

// keptGitVariables say where git's own configuration and certificates are; they change nothing about which repository
// is meant.
var keptGitVariables = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_SSL_CAINFO": true,
	"GIT_SSL_CAPATH": true, "GIT_EXEC_PATH": true, "GIT_SSH_COMMAND": true, "GIT_SSH": true,
}
