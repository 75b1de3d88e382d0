package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/git"
	"tendril/plans"
)

// DefaultSetupLimit ends a checkout or a post-checkout hook where the configuration does not say.
const DefaultSetupLimit = 15 * time.Minute

// Manager makes, finds and removes the worktrees of one clone. Several processes may use managers of the same clone.
type Manager struct {
	// Repo is the repository, seen from any of its worktrees.
	Repo *git.Repo
	// Root is the absolute folder under which worktrees are made (see ResolveRoot).
	Root string
	// Runtime is <common git dir>/tendril.
	Runtime string
	// SetupLimit ends the checkout and the repository's post-checkout hook; zero is DefaultSetupLimit.
	SetupLimit time.Duration
	// Desk is the folder in a worktree, with slashes, by which Tendril and an agent exchange files. It ignores itself, and what
	// is untracked there is nobody's work even when it does not: an agent may have deleted its .gitignore, or whoever made it
	// died. Empty: there is none.
	Desk string
	// Committer is who moves refs here, in their reflogs: Tendril's configured identity.
	Committer git.Ident
}

// Want says which worktree is wanted.
type Want struct {
	// Key is the plan.
	Key plans.Key
	// Branch is the branch's short name, "tendril/KEY"; in a race "tendril/KEY.CANDIDATE".
	Branch string
	// Base is the commit that a new branch starts at. A branch that is there is continued, whatever Base says.
	Base string
	// Name is the folder's name below Root; empty is the last part of Branch.
	Name string
}

// branchPrefix begins the name of every branch that is made here.
const branchPrefix = "tendril/"

// checked returns the want with its name filled in, or why it cannot be had.
func (w Want) checked() (Want, error) {
	rest, ok := strings.CutPrefix(w.Branch, branchPrefix)
	if !ok || !plainName(rest) {
		return w, fmt.Errorf("branch %q is not one of a plan", w.Branch)
	}
	if w.Name == "" {
		w.Name = rest
	}
	if !plainName(w.Name) {
		return w, fmt.Errorf("worktree name %q is not usable as a folder's", w.Name)
	}
	return w, nil
}

// plainName reports whether s can be a file's name everywhere and the last part of a branch's.
func plainName(s string) bool {
	if s == "" || len(s) > 200 || strings.HasSuffix(s, ".lock") || strings.HasSuffix(s, ".") || strings.Contains(s, "..") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || i > 0 && (c == '-' || c == '_' || c == '.')
		if !plain {
			return false
		}
	}
	return true
}

// Workspace is one worktree that was made here and proved to be the one it was.
type Workspace struct {
	// Key is the plan.
	Key plans.Key
	// Name is the folder's name, and of what is remembered of it in the runtime folder.
	Name string
	// Path is the worktree's top, GitDir its own git directory. Absolute.
	Path, GitDir string
	// Branch is the short name; Base the commit that was wanted when it was made.
	Branch, Base string
	// Slot is a small number, from 1, that no other live worktree of this clone has.
	Slot int
	// Desk is the manager's.
	Desk string
	// Repo runs git in the worktree without believing anything in it.
	Repo *git.Repo
	// Warnings say what went wrong while it was made and does not keep anyone from working in it (a failing post-checkout
	// hook, say); set by Ensure only.
	Warnings []string

	rec  record
	stem string // what is remembered of it is in files that begin so
}

func (m *Manager) workspace(rec record) *Workspace {
	return &Workspace{
		Key: rec.Key, Name: rec.Name, Path: rec.Path, GitDir: rec.GitDir, Branch: rec.Branch, Base: rec.Base, Slot: rec.Slot,
		Desk: m.Desk, Repo: m.Repo.Pinned(rec.GitDir, rec.Path), rec: rec, stem: m.stem(rec.Name),
	}
}

func (m *Manager) setupLimit() time.Duration {
	if m.SetupLimit > 0 {
		return m.SetupLimit
	}
	return DefaultSetupLimit
}

func (m *Manager) committer() []string {
	who := m.Committer
	if who.Name == "" {
		who.Name = "Tendril"
	}
	if who.Email == "" {
		who.Email = "tendril@localhost"
	}
	return who.CommitterEnv()
}

// What is remembered of a worktree NAME is in NAME.json, and beside it; a name never holds a tilde.
const (
	recordSuffix = ".json"
	indexSuffix  = "~index"
	madeSuffix   = "~made.json"
	lockSuffix   = "~lock"
)

// dir holds what is remembered of worktrees.
func (m *Manager) dir() string { return filepath.Join(m.Runtime, "worktrees") }

func (m *Manager) stem(name string) string { return m.dir() + string(filepath.Separator) + name }

// lock waits for a lock among all processes of this clone: "" for what concerns all worktrees, else one's name. The
// returned func gives it back.
func (m *Manager) lock(ctx context.Context, name string) (func(), error) {
	if err := makePrivateDir(m.dir()); err != nil {
		return nil, err
	}
	return lockFile(ctx, m.stem(name)+lockSuffix)
}

// Lock waits for a lock on this worktree among all processes of this clone, for a purpose ("checks"). The returned func
// gives it back.
func (w *Workspace) Lock(ctx context.Context, purpose string) (func(), error) {
	return lockFile(ctx, w.stem+"~"+purpose+lockSuffix)
}

func lockFile(ctx context.Context, file string) (func(), error) {
	const every = 20 * time.Millisecond
	// Lock files are never deleted: whoever waits on a deleted one would be alone with it.
	l := flock.New(file)
	if _, err := l.TryLockContext(ctx, every); err != nil {
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	}
	return func() { _ = l.Unlock() }, nil // the lock ends with the handle in any case
}
