package config

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tendril/internal/git"
)

// OwnBranch is the plans branch of the layout that keeps plans off the default branch.
const OwnBranch = "tendril/plans"

// ErrNoCommit is returned where the repository has no commit yet.
var ErrNoCommit = errors.New("the repository has no commit yet")

const (
	headsPrefix   = "refs/heads/"
	remotesPrefix = "refs/remotes/"
)

// usualNames are the names that a default branch has where nobody says one.
var usualNames = [...]string{"main", "master", "trunk"}

// PlansBranch is the ref ("refs/heads/…") of the branch that plans, configuration, agents and promptware are read from:
// the machine's key `branch`, else the default branch's, else tendril/plans where it exists here or on the remote, else
// the default branch. The branch may be on the remote only. An error says what to do.
func PlansBranch(ctx context.Context, repo *git.Repo) (string, error) {
	machine := MachineFile(repo)
	src, err := readMachine(machine)
	if err != nil {
		return "", err
	}
	name, err := branchKey(machine, src)
	if err != nil {
		return "", err
	}
	refs, err := readRefs(ctx, repo)
	if err != nil {
		return "", err
	}
	if name != "" {
		return existing(ctx, repo, name, machine)
	}
	def, defErr := refs.defaultBranch(ctx, repo)
	if defErr == nil {
		name, err := branchOfCommit(ctx, repo, def, refs)
		if err != nil {
			return "", err
		}
		if name != "" {
			return existing(ctx, repo, name, File+" of "+def)
		}
	}
	if refs.has(OwnBranch) {
		return headsPrefix + OwnBranch, nil
	}
	if defErr != nil {
		return "", defErr
	}
	return headsPrefix + def, nil
}

// branchOfCommit reads the key branch on the default branch; where that is on a remote only, from there.
func branchOfCommit(ctx context.Context, repo *git.Repo, def string, refs *refs) (string, error) {
	commit := refs.local[def]
	if commit == "" {
		commit = refs.remote[def]
	}
	if commit == "" {
		return "", nil
	}
	src, err := fileAt(ctx, repo, commit)
	if err != nil || src == nil {
		return "", err
	}
	return branchKey(File, src)
}

// existing is the ref of a configured branch, which must be here or on a remote.
func existing(ctx context.Context, repo *git.Repo, name, where string) (string, error) {
	ref := headsPrefix + name
	out, err := repo.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname)", ref, remotesPrefix+"*/"+name)
	if err != nil {
		return "", fmt.Errorf("look for branch %s: %w", name, err)
	}
	if out == "" {
		return "", fmt.Errorf("plans branch %s (from %s) is neither here nor on a remote\n  git fetch brings it if it is new there; else create it (git branch %s), or mend the key branch\n"+
			"  where a move of the plans was cut off: tendril init --move-plans", name, where, name)
	}
	return ref, nil
}

// DefaultBranch is the short name of the branch that work goes to where nobody says another: what the remote's HEAD
// names, else git's init.defaultBranch where there is such a branch, else the one of main, master and trunk that exists,
// else the branch that the main worktree is on. The branch may be on the remote only. In a repository without a commit
// the error wraps ErrNoCommit.
func DefaultBranch(ctx context.Context, repo *git.Repo) (string, error) {
	refs, err := readRefs(ctx, repo)
	if err != nil {
		return "", err
	}
	return refs.defaultBranch(ctx, repo)
}

// refs are the few refs that decide which branch is meant.
type refs struct {
	// local and remote hold the objects of the branches asked for, by short name.
	local, remote map[string]string
	// remoteHead is what a remote's HEAD names, origin's before others'.
	remoteHead string
	// initial is git's init.defaultBranch.
	initial string
}

func (r *refs) has(name string) bool { return r.local[name] != "" || r.remote[name] != "" }

// readRefs looks at the usual names only: a repository may have very many branches.
func readRefs(ctx context.Context, repo *git.Repo) (*refs, error) {
	r := &refs{local: map[string]string{}, remote: map[string]string{}}
	initial, err := repo.Setting(ctx, "init.defaultBranch")
	if err != nil {
		return nil, err
	}
	if validBranch(initial) {
		r.initial = initial
	}
	args := []string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", remotesPrefix + "*/HEAD"}
	for _, name := range append(usualNames[:], OwnBranch, r.initial) {
		if name != "" {
			args = append(args, headsPrefix+name, remotesPrefix+"*/"+name)
		}
	}
	out, err := repo.Run(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("look for branches: %w", err)
	}
	for line := range strings.SplitSeq(out, "\n") {
		fields := strings.Split(line, "\x00")
		if len(fields) == 3 {
			r.add(fields[0], fields[1], fields[2])
		}
	}
	return r, nil
}

func (r *refs) add(name, id, symref string) {
	if short, ok := strings.CutPrefix(name, headsPrefix); ok {
		r.local[short] = id
		return
	}
	remote, short, _ := strings.Cut(strings.TrimPrefix(name, remotesPrefix), "/")
	if short != "HEAD" {
		if r.remote[short] == "" || remote == "origin" {
			r.remote[short] = id
		}
		return
	}
	target, ok := strings.CutPrefix(symref, remotesPrefix+remote+"/")
	if ok && (r.remoteHead == "" || remote == "origin") {
		r.remoteHead = target
		r.remote[target] = id
	}
}

func (r *refs) defaultBranch(ctx context.Context, repo *git.Repo) (string, error) {
	if name, _ := r.named(); name != "" {
		return name, nil
	}
	return headBranch(ctx, repo)
}

// named is the default branch where refs or git's configuration tell it, and by what; empty where only the main
// worktree does.
func (r *refs) named() (name, by string) {
	if r.remoteHead != "" {
		return r.remoteHead, "the remote's HEAD names it"
	}
	if r.initial != "" && r.has(r.initial) {
		return r.initial, "git's init.defaultBranch names it"
	}
	for _, here := range [...]map[string]string{r.local, r.remote} {
		var found []string
		for _, name := range usualNames {
			if here[name] != "" {
				found = append(found, name)
			}
		}
		if len(found) == 1 {
			return found[0], "the usual name"
		}
		if len(found) > 1 {
			break // Two of them here: the remote does not settle it.
		}
	}
	return "", ""
}

// DefaultFound is the default branch with what it is told by.
type DefaultFound struct {
	// Name is short; By says by what it is told, for people.
	Name, By string
	// Checkout is true where only the main worktree's HEAD tells it: then it changes with what is checked out there.
	Checkout bool
}

// FindDefaultBranch is DefaultBranch, and says what the branch is told by.
func FindDefaultBranch(ctx context.Context, repo *git.Repo) (DefaultFound, error) {
	refs, err := readRefs(ctx, repo)
	if err != nil {
		return DefaultFound{}, err
	}
	if name, by := refs.named(); name != "" {
		return DefaultFound{Name: name, By: by}, nil
	}
	name, err := headBranch(ctx, repo)
	return DefaultFound{Name: name, By: "it is checked out", Checkout: true}, err
}

// headBranch is the branch that the main worktree is on, which must have a commit.
func headBranch(ctx context.Context, repo *git.Repo) (string, error) {
	head, err := repo.Run(ctx, "rev-parse", "--symbolic-full-name", "main-worktree/HEAD")
	if err != nil {
		any, anyErr := repo.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname)")
		if anyErr == nil && any == "" {
			return "", fmt.Errorf("%w\n  make one: git commit --allow-empty -m 'Initial commit'", ErrNoCommit)
		}
		head = ""
	}
	if name, ok := strings.CutPrefix(head, headsPrefix); ok {
		return name, nil
	}
	return "", fmt.Errorf("cannot tell the default branch: no remote names one, and the main worktree is on none\n"+
		"  write branch: NAME into %s, or run: git config init.defaultBranch NAME", MachineFile(repo))
}
