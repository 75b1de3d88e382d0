package runners

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/proc"
	"tendril/internal/testkit"
)

// kit is a runs folder and a worktree for one test.
type kit struct {
	t    *testing.T
	runs Runs
	tree string
	n    int
}

func newKit(t *testing.T) *kit {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := testkit.TempDir(t)
	k := &kit{t: t, tree: filepath.Join(dir, "work tree"), runs: Runs{
		Dir: filepath.Join(dir, "runs"), Self: []string{self, "supervise"}, Environ: os.Environ(),
	}}
	if err := os.Mkdir(k.tree, 0o755); err != nil {
		t.Fatal(err)
	}
	// Whatever a test does, nothing of its runs stays.
	t.Cleanup(func() {
		ids, err := k.runs.List()
		if err != nil {
			t.Error(err)
		}
		for _, id := range ids {
			if left := (proc.Family{Mark: markOf(k.runs.folder(id))}).End(context.Background(), 0); len(left) > 0 {
				t.Errorf("run %s left %v", id, left)
			}
		}
	})
	return k
}

// script is a run of the script agent.
func (k *kit) script(lines ...string) Spec {
	k.n++
	agent, ok := Builtin("script")
	if !ok {
		k.t.Fatal("no script agent")
	}
	return Spec{
		Run: fmt.Sprintf("r%d", k.n), Key: "0007-add-search", Unit: "ExecutePlan", Round: 1, Attempt: 1, Agent: *agent, Dir: k.tree,
		Script: []byte(strings.Join(lines, "\n") + "\n"), TimeLimit: time.Minute, Grace: 300 * time.Millisecond,
	}
}

// jsonl is a run of an agent whose program is a shell script that prints events as they are.
func (k *kit) jsonl(lines ...string) Spec {
	s := k.script(lines...)
	agent, err := ParseAgent("plain", []byte(`
command: [sh, "{{.ScriptFile}}"]
resume: [sh, "{{.ScriptFile}}", "{{.Session}}"]
prompt: file
output: jsonl
usage: total
events: select(.type)
limits: ["slow down"]
`))
	if err != nil {
		k.t.Fatal(err)
	}
	s.Agent = *agent
	return s
}

func (k *kit) start(s Spec) {
	k.t.Helper()
	if err := k.runs.Start(k.t.Context(), s); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) wait(id string) Outcome {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), 30*time.Second)
	defer cancel()
	out, err := k.runs.Wait(ctx, id)
	if err != nil {
		k.t.Fatalf("%v\n%s", err, k.read(id, supervisorLog))
	}
	return out
}

// run starts a run and waits for its end.
func (k *kit) run(s Spec) Outcome {
	k.t.Helper()
	k.start(s)
	return k.wait(s.Run)
}

func (k *kit) read(id, name string) string {
	data, err := os.ReadFile(filepath.Join(k.runs.Dir, id, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// inTree reads a file of the worktree; empty when it is not there.
func (k *kit) inTree(name string) string {
	data, err := os.ReadFile(filepath.Join(k.tree, name))
	if err != nil {
		return ""
	}
	return string(data)
}

func (k *kit) eventually(ok func() bool) {
	k.t.Helper()
	testkit.Eventually(k.t, 20*time.Second, ok)
}

// nothingLeft fails when a process of the run lives.
func (k *kit) nothingLeft(id string) {
	k.t.Helper()
	if left := proc.FindMarked(markOf(k.runs.folder(id))); len(left) > 0 {
		k.t.Errorf("left behind: %v", left)
	}
}

// finish finishes a run that nobody keeps.
func (k *kit) finish(id string) Outcome {
	k.t.Helper()
	out, err := k.runs.Finish(k.t.Context(), id)
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}
