package testkit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stateFiles are what git keeps in a worktree's git directory while something is under way.
var stateFiles = [...]string{
	"MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "sequencer", "index.lock",
	"HEAD.lock",
}

// addGit records what git keeps for this checkout.
func (s State) addGit(t testing.TB, dir string) {
	t.Helper()
	gitDir := Git(t, dir, "rev-parse", "--absolute-git-dir")
	common := Git(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	s.entries["HEAD"] = strings.TrimSpace(readIfThere(t, filepath.Join(gitDir, "HEAD")))
	refs := Git(t, dir, "for-each-ref", "--format=%(refname)%00%(objectname) %(symref)")
	for _, line := range lines(refs, "\n") {
		name, value, _ := strings.Cut(line, "\x00")
		s.entries["ref "+name] = strings.TrimSpace(value)
	}
	s.addIndex(t, dir)
	s.entries["config"] = readIfThere(t, filepath.Join(common, "config"))
	s.entries["exclude"] = readIfThere(t, filepath.Join(common, "info", "exclude"))
	s.entries["stash"] = readIfThere(t, filepath.Join(common, "logs", "refs", "stash"))
	hooks, err := os.ReadDir(filepath.Join(common, "hooks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, h := range hooks {
		value, err := fileValue(filepath.Join(common, "hooks", h.Name()), h)
		if err != nil {
			t.Fatal(err)
		}
		s.entries["hook "+h.Name()] = value
	}
	for _, name := range stateFiles {
		if info, err := os.Lstat(filepath.Join(gitDir, name)); err == nil {
			s.entries["state "+name] = "there"
			if info.Mode().IsRegular() {
				s.entries["state "+name] = readIfThere(t, filepath.Join(gitDir, name))
			}
		}
	}
}

// addIndex records index and status. --no-optional-locks keeps git status from writing the index.
func (s State) addIndex(t testing.TB, dir string) {
	t.Helper()
	if Git(t, dir, "rev-parse", "--is-bare-repository") == "true" {
		return
	}
	for _, line := range lines(Git(t, dir, "ls-files", "--stage", "-z"), "\x00") {
		value, path, _ := strings.Cut(line, "\t")
		s.entries["index "+path] += value + ";"
	}
	for _, line := range lines(Git(t, dir, "ls-files", "-v", "-z"), "\x00") {
		if flag, path, _ := strings.Cut(line, " "); flag != "H" && flag != "M" {
			s.entries["index "+path] += " flag " + flag
		}
	}
	status := Git(t, dir, "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain", "-z", "--no-renames",
		"--untracked-files=all", "--ignored")
	for _, line := range lines(status, "\x00") {
		if len(line) > 3 {
			s.entries["status "+line[3:]] = line[:2]
		}
	}
}

func lines(s, sep string) []string {
	if s = strings.TrimSuffix(s, sep); s == "" {
		return nil
	}
	return strings.Split(s, sep)
}

func readIfThere(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}
