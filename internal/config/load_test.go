package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestLoadReadsTheCommitNotTheWorktree(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write(".tendril/config.yaml", "parallel: 7\n")
	commit := r.Commit("config")
	r.Write(".tendril/config.yaml", "parallel: 8\n")
	r.Git("add", "-A")
	before := r.Snapshot()
	sub := filepath.Join(r.Dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{r.Dir, sub} {
		c, err := Load(t.Context(), open(t, dir), commit)
		if err != nil || c.Parallel != 7 {
			t.Errorf("parallel is not the commit's: %+v, %v", c, err)
		}
		if c.Runner == "" {
			t.Error("no runner's name")
		}
	}
	if err := os.Remove(sub); err != nil {
		t.Fatal(err)
	}
	before.Unchanged(t, r.Snapshot())
	if _, err := os.Stat(Runtime(open(t, r.Dir))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("loading made the runtime folder: %v", err)
	}
}

func TestMachineFileOverrides(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write(".tendril/config.yaml", "parallel: 7\nreview_limit: 2\n")
	commit := r.Commit("config")
	linked := r.Worktree("--detach")
	repo := open(t, linked.Dir)
	dir, err := EnsureRuntime(repo)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, dir, "config.yaml", "parallel: 1\nrunner: mine\n")
	c, err := Load(t.Context(), repo, commit)
	if err != nil || c.Parallel != 1 || c.ReviewLimit != 2 || c.Runner != "mine" {
		t.Errorf("%+v, %v", c, err)
	}
	testkit.Write(t, dir, "config.yaml", "nonsense: 1\n")
	if _, err := Load(t.Context(), repo, commit); err == nil || !strings.HasPrefix(err.Error(), MachineFile(repo)+":1:1: unknown key") {
		t.Errorf("error: %v", err)
	}
}

func TestRuntimeIsClosedToOthers(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	repo := open(t, r.Dir)
	for range 2 {
		dir, err := EnsureRuntime(repo)
		if err != nil || dir != filepath.Join(r.Dir, ".git", "tendril") {
			t.Fatalf("%q, %v", dir, err)
		}
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesOfACommit(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	for path, content := range map[string]string{
		".tendril/config.yaml": "parallel: 2\n", ".tendril/agents/mine.yaml": "command: [x]\n", ".tendril/agents/note.txt": "x",
		".tendril/agents/deep/no.yaml": "x", ".tendril/presets/web.yaml": "setup: [x]\n", ".tendril/promptware/ExecutePlan/Program.md": "do\n",
		".tendril/promptware/ExecutePlan/Memory/go.md": "note\n", ".tendril/promptware/ExecutePlan/Tools/t": "#!/bin/sh\n", ".tendril/README": "x",
	} {
		r.Write(path, content)
	}
	r.Git("add", "-A")
	r.Git("update-index", "--chmod=+x", ".tendril/promptware/ExecutePlan/Tools/t")
	r.Git("commit", "-qm", "files")
	c, files, err := LoadFiles(t.Context(), open(t, r.Dir), r.Head())
	if err != nil || c.Parallel != 2 {
		t.Fatal(c, err)
	}
	if string(files.Agents["mine"].Data) != "command: [x]\n" || len(files.Agents) != 1 || string(files.Presets["web"].Data) != "setup: [x]\n" {
		t.Errorf("agents %v, presets %v", files.Agents, files.Presets)
	}
	if !files.Promptware["ExecutePlan/Tools/t"].Executable || len(files.Promptware) != 3 {
		t.Errorf("promptware: %v", files.Promptware)
	}
	var extra []string
	for path := range files.Extra() {
		extra = append(extra, path)
	}
	slices.Sort(extra)
	want := []string{
		".tendril/agents/mine.yaml", ".tendril/presets/web.yaml", ".tendril/promptware/ExecutePlan/Program.md", ".tendril/promptware/ExecutePlan/Tools/t",
	}
	if !slices.Equal(extra, want) {
		t.Errorf("extra: %v", extra)
	}
}

func TestConfigThatIsNoPlainFile(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	r.Write("elsewhere.yaml", "parallel: 2\n")
	id := r.Git("hash-object", "-w", "elsewhere.yaml")
	r.Git("update-index", "--add", "--cacheinfo", "120000,"+id+",.tendril/config.yaml")
	r.Git("commit", "-qm", "link")
	if _, err := Load(t.Context(), open(t, r.Dir), r.Head()); err == nil || !strings.HasPrefix(err.Error(), ".tendril/config.yaml:1:1: must be a plain file") {
		t.Errorf("error: %v", err)
	}
}
