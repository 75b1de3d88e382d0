package deliver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"tendril/internal/git"
	"tendril/plans"
)

// Moved tells whether the base moved from one commit to another in a way that matters: its tree differs outside plan
// folders, board and memory.
func Moved(ctx context.Context, repo *git.Repo, from, to, plansDir string) (bool, error) {
	work, _, err := compare(ctx, repo, from, to, plansDir)
	return len(work) > 0, err
}

// Brings lists what a built commit changes, against the base it goes onto, in plan folders, board and memory: work
// brings nothing there unless the plan's scope says so.
func Brings(ctx context.Context, repo *git.Repo, baseTip, built, plansDir string) ([]string, error) {
	_, kept, err := compare(ctx, repo, baseTip, built, plansDir)
	return kept, err
}

// compare lists the paths in which two commits or trees differ: those of the work, and those of the bookkeeping.
func compare(ctx context.Context, repo *git.Repo, from, to, plansDir string) (work, kept []string, err error) {
	out, err := repo.Do(ctx, plain("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-relative", "--ignore-submodules=none",
		"-O/dev/null", from, to))
	if err != nil {
		return nil, nil, fmt.Errorf("compare %.10s with %.10s: %w", from, to, err)
	}
	folders := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name == "" {
			continue
		}
		if folder, inPlan := planFolder(name, plansDir); inPlan {
			isPlan, asked := folders[folder]
			if !asked {
				if isPlan, err = hasPlan(ctx, repo, folder, from, to); err != nil {
					return nil, nil, err
				}
				folders[folder] = isPlan
			}
			if isPlan {
				kept = append(kept, name)
				continue
			}
		} else if isBoardOrMemory(name, plansDir) {
			kept = append(kept, name)
			continue
		}
		work = append(work, name)
	}
	return work, kept, nil
}

// planFolder is the plan's folder that a path lies in, if its name is a key's.
func planFolder(name, plansDir string) (string, bool) {
	rest, below := strings.CutPrefix(name, prefix(plansDir))
	folder, _, deeper := strings.Cut(rest, "/")
	if !below || !deeper {
		return "", false
	}
	_, err := plans.ParseKey(folder)
	return prefix(plansDir) + folder, err == nil
}

// isBoardOrMemory tells whether a path is the board, or what a unit learned (.tendril/promptware/UNIT/Memory/).
func isBoardOrMemory(name, plansDir string) bool {
	if name == prefix(plansDir)+"README.md" {
		return true
	}
	rest, below := strings.CutPrefix(name, ".tendril/promptware/")
	_, inUnit, deeper := strings.Cut(rest, "/")
	return below && deeper && strings.HasPrefix(inUnit, "Memory/")
}

// hasPlan tells whether a folder holds a plan.md in one of the commits: only then is it a plan's.
func hasPlan(ctx context.Context, repo *git.Repo, folder string, commits ...string) (bool, error) {
	for _, c := range commits {
		o, err := repo.Object(ctx, c+":"+folder+"/plan.md")
		if err != nil && !errors.Is(err, git.ErrNoObject) {
			return false, fmt.Errorf("look for %s/plan.md: %w", folder, err)
		}
		if o.Type == "blob" {
			return true, nil
		}
	}
	return false, nil
}

// prefix is the plans folder with a slash behind it; empty where plans lie at the top.
func prefix(plansDir string) string {
	if dir := path.Clean(strings.Trim(plansDir, "/")); dir != "." {
		return dir + "/"
	}
	return ""
}
