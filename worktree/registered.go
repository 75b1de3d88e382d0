package worktree

import (
	"context"
	"path/filepath"
	"strings"

	"tendril/internal/git"
)

// lockReason begins the reason for which our worktrees are locked: nothing prunes them, and we know them by it.
const lockReason = "tendril"

// registration is one worktree as git knows it.
type registration struct {
	// Path is where git believes it; Branch the full name of the branch it is on, empty when detached or bare.
	Path, Branch string
	// Bare and Locked; Reason is why it is locked.
	Bare, Locked bool
	Reason       string
	// Main is true for the first one, which has no registration of its own.
	Main bool
	// Missing is true when there is nothing at Path.
	Missing bool
}

// ours reports whether the registration says that it was made here.
func (r registration) ours() bool { return r.Locked && strings.HasPrefix(r.Reason, lockReason) }

// registrations lists what git knows of.
func registrations(ctx context.Context, repo *git.Repo) ([]registration, error) {
	out, err := repo.Do(ctx, git.Call{Args: []string{"worktree", "list", "--porcelain", "-z"}})
	if err != nil {
		return nil, err
	}
	all := parseRegistrations(string(out))
	for i := range all {
		all[i].Missing = !exists(all[i].Path)
	}
	return all, nil
}

// parseRegistrations reads `git worktree list --porcelain -z`: attributes end with NUL, worktrees with an empty one.
func parseRegistrations(out string) []registration {
	var all []registration
	for block := range strings.SplitSeq(out, "\x00\x00") {
		var r registration
		for line := range strings.SplitSeq(block, "\x00") {
			name, value, _ := strings.Cut(line, " ")
			switch name {
			case "worktree":
				r.Path = filepath.FromSlash(value)
			case "branch":
				r.Branch = value
			case "bare":
				r.Bare = true
			case "locked":
				r.Locked, r.Reason = true, value
			}
		}
		if r.Path != "" {
			r.Main = len(all) == 0
			all = append(all, r)
		}
	}
	return all
}

// prune removes the registration of a worktree whose folder is gone, and no other. Git refuses where there is something.
func (m *Manager) prune(ctx context.Context, r registration) error {
	if r.Locked {
		if _, err := m.Repo.Run(ctx, "worktree", "unlock", "--", r.Path); err != nil {
			return err
		}
	}
	_, err := m.Repo.Run(ctx, "worktree", "remove", "--", r.Path)
	return err
}
