package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"tendril/internal/git"
)

// defaultRoot is where worktrees go when the configuration does not say.
const defaultRoot = "../{{.Repo}}.worktrees"

// ResolveRoot returns the absolute folder for worktrees. configured may hold {{.Repo}}, the name of the main worktree's
// folder, and is relative to that folder; empty is ../{{.Repo}}.worktrees. Where its parent cannot be written or lies in
// another repository, or the main repository is bare, it is <common git dir>/tendril/worktrees. A folder within the
// repository itself must be ignored there, else it is an error.
func ResolveRoot(ctx context.Context, repo *git.Repo, configured string) (string, error) {
	all, err := registrations(ctx, repo)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fmt.Errorf("git knows no worktree of %s", repo.CommonDir)
	}
	main := all[0]
	fallback := filepath.Join(repo.CommonDir, "tendril", "worktrees")
	if configured == "" && main.Bare {
		return fallback, nil
	}
	root, err := expandRoot(main, configured)
	if err != nil {
		return "", err
	}
	switch why, err := placeFor(ctx, repo, root); {
	case err != nil:
		return "", err
	case why == inOwn && !ignored(ctx, main, root):
		return "", fmt.Errorf("worktrees: %s lies in this repository and would show there as untracked\n  choose a folder outside, or add it to .gitignore", root)
	case why == unusable:
		return fallback, nil
	}
	return root, nil
}

// expandRoot fills in the template; relative paths begin at the main worktree's top.
func expandRoot(main registration, configured string) (string, error) {
	text := configured
	if text == "" {
		text = defaultRoot
	}
	t, err := template.New("worktrees").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("worktrees: %w\n  only {{.Repo}} may stand in it", err)
	}
	name := filepath.Base(main.Path)
	if main.Bare {
		name = strings.TrimSuffix(name, ".git")
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]string{"Repo": name}); err != nil {
		return "", fmt.Errorf("worktrees: %w\n  only {{.Repo}} may stand in it", err)
	}
	root := filepath.FromSlash(b.String())
	if !filepath.IsAbs(root) {
		root = filepath.Join(main.Path, root)
	}
	return filepath.Clean(root), nil
}

// place is what kind of folder a root would lie in.
type place int

const (
	free place = iota
	inOwn
	unusable
)

// placeFor looks at the folder that root is in, or would be made in.
func placeFor(ctx context.Context, repo *git.Repo, root string) (place, error) {
	at := root
	for {
		info, err := os.Stat(at)
		if err == nil && info.IsDir() {
			break
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) || err == nil || at == filepath.Dir(at) {
			return unusable, nil
		}
		at = filepath.Dir(at)
	}
	around, err := git.Open(ctx, at)
	switch {
	case errors.Is(err, git.ErrNotRepository):
	case err != nil:
		// A repository that git refuses (of another owner, damaged) is another's.
		return unusable, ctx.Err()
	case !samePath(around.CommonDir, repo.CommonDir):
		return unusable, nil
	case !around.Bare && !within(around.CommonDir, at):
		return inOwn, nil
	default:
		// Below the git directory nobody sees it as untracked.
	}
	if !writable(at) {
		return unusable, nil
	}
	return free, nil
}

// writable tries, since modes alone do not tell (read-only file systems, access lists).
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".tendril-*")
	if err != nil {
		return false
	}
	_ = f.Close()           // nothing was written
	_ = os.Remove(f.Name()) // left behind it would be an empty hidden file
	return true
}

// ignored asks git whether the main worktree ignores the folder.
func ignored(ctx context.Context, main registration, root string) bool {
	repo, err := git.Open(ctx, main.Path)
	if err != nil {
		return false
	}
	_, err = repo.Run(ctx, "check-ignore", "--quiet", "--", root+string(filepath.Separator))
	return err == nil
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
