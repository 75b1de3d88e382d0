package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tendril/internal/git"
)

// maxDepth bounds submodules within submodules.
const maxDepth = 8

// submodulesAtRisk says what would be lost with the submodules that were filled in this worktree: their repositories lie in
// the worktree's git directory and go with it.
func (w *Workspace) submodulesAtRisk(ctx context.Context) ([]string, error) {
	if !exists(filepath.Join(w.GitDir, "modules")) {
		return nil, nil
	}
	var configs []string
	err := filepath.WalkDir(filepath.Join(w.GitDir, "modules"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (d.Name() == "config" || d.Name() == "config.worktree") && exists(filepath.Join(filepath.Dir(path), "HEAD")) {
			configs = append(configs, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("worktree %s: %w", w.Name, err)
	}
	// These files were the agent's to write. Git is asked nothing where they could make it run a program.
	for _, c := range configs {
		if name, err := w.unusualSetting(ctx, c); err != nil {
			return nil, err
		} else if name != "" {
			return []string{fmt.Sprintf("a submodule has the setting %s (%s)", name, c)}, nil
		}
	}
	return submodules(ctx, w.Path, "", maxDepth)
}

// unusualSetting names a setting beyond those that git itself writes into a submodule's configuration.
func (w *Workspace) unusualSetting(ctx context.Context, file string) (string, error) {
	out, err := w.Repo.Run(ctx, "config", "--file", file, "--no-includes", "--name-only", "--list", "-z")
	if err != nil {
		return "", err
	}
	plain := []string{
		"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.worktree", "core.ignorecase",
		"core.symlinks", "core.precomposeunicode", "extensions.objectformat",
	}
	for _, name := range splitNUL(out) {
		section, rest, _ := strings.Cut(name, ".")
		key := rest[strings.LastIndexByte(rest, '.')+1:]
		switch {
		case slices.Contains(plain, name):
		case section == "remote" && (key == "url" || key == "fetch" || key == "pushurl"):
		case section == "branch" && (key == "remote" || key == "merge"):
		case section == "submodule" && (key == "url" || key == "active"):
		case section == "user" && (key == "name" || key == "email"):
		default:
			return name, nil
		}
	}
	return "", nil
}

// submodules looks into each submodule below top that is filled.
func submodules(ctx context.Context, top, prefix string, depth int) ([]string, error) {
	repo := &git.Repo{Dir: top}
	out, err := repo.Run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var risks []string
	for _, entry := range splitNUL(out) {
		mode, path, _ := strings.Cut(entry, "\t")
		dir := filepath.Join(top, filepath.FromSlash(path))
		if !strings.HasPrefix(mode, "160000 ") || !exists(filepath.Join(dir, ".git")) {
			continue
		}
		if depth == 0 {
			return nil, fmt.Errorf("%s: submodules lie too deep in each other", top)
		}
		found, err := submoduleRisk(ctx, dir, prefix+path, depth)
		if err != nil {
			return nil, err
		}
		risks = append(risks, found...)
	}
	return risks, nil
}

func submoduleRisk(ctx context.Context, dir, name string, depth int) ([]string, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, errors.Join(err, fmt.Errorf("submodule %s is no folder", name))
	}
	sub := &git.Repo{Dir: dir}
	var risks []string
	changed, err := sub.Run(ctx, "status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	if changed != "" {
		risks = append(risks, "changes in submodule "+name)
	}
	commit, err := sub.Run(ctx, "rev-list", "--max-count=1", "HEAD", "--branches", "--tags", "--not", "--remotes")
	if err != nil {
		return nil, err
	}
	if commit != "" {
		risks = append(risks, "commit "+commit+" of submodule "+name+" is in none of its remotes")
	}
	below, err := submodules(ctx, dir, name+"/", depth-1)
	return append(risks, below...), err
}

func splitNUL(out string) []string {
	var all []string
	for s := range strings.SplitSeq(out, "\x00") {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}
