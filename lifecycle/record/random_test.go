//go:build linux

package record_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"tendril/internal/testkit"
)

// points are the moments at which a step may be killed, as docs/recorder.md has them.
var points = []string{
	"built", "prepared", "journalled", "locked", "held", "placing:1", "placing:2", "placed:1", "placed:2", "indexing", "indexed", "moved", "unlocked", "done",
}

const (
	plan   = "plans/0001-one/plan.md"
	record = "plans/0001-one/record.yaml"
)

// TestAnyPersonBesideSteps: whatever a person does in a checkout of the plans branch (edits, staged or not, commits, other
// branches, stashes, merges, a rebase that is not done), and wherever a step of the recorder between dies: the oracle, which
// knows git and the files alone, finds nothing of theirs lost or changed and nothing of ours undone. RECORD_RAPID_CHECKS asks
// for more than a few.
func TestAnyPersonBesideSteps(t *testing.T) {
	t.Parallel()
	checks := "2"
	if more := os.Getenv("RECORD_RAPID_CHECKS"); more != "" {
		checks = more
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, rt)
		defer func() { _ = os.RemoveAll(b.dir) }()
		for range rapid.IntRange(3, 9).Draw(rt, "acts") {
			b.person(rapid.SampledFrom(acts()).Draw(rt, "act"))
			if at := rapid.SampledFrom(append([]string{"", "", "", "none"}, points...)).Draw(rt, "killed at"); at != "none" {
				b.step(at)
			}
		}
		b.end()
	})
}

// acts are the things that a person does.
func acts() []string {
	return []string{
		"edit code", "stage code", "half stage", "untracked", "edit plan", "stage plan", "commit all", "commit code", "away", "home", "work away", "merge",
		"stash", "pop", "rebase", "continue", "abort", "delete", "reset",
	}
}

// bench is a repository with one plan, a person and a recorder.
type bench struct {
	t   *testing.T
	rt  *rapid.T
	dir string
	n   int
	// said is what happened, for the reader of a failure.
	said []string
}

func newBench(t *testing.T, rt *rapid.T) *bench {
	r := testkit.Repo(t)
	r.Write(plan, "---\ntitle: One\n# above\nstatus: approved\n# below\n---\nWords.\n")
	r.Write(record, "version: 1\nround: 1\n")
	r.Write("src/code.go", "one\ntwo\nthree\nfour\nfive\n")
	r.Write("src/other.go", "other\n")
	r.Commit("a plan")
	return &bench{t: t, rt: rt, dir: r.Dir}
}

// git is a git of the person's; what it refuses is a part of life.
func (b *bench) git(args ...string) bool {
	_, err := testkit.TryGit(b.t, b.dir, nil, args...)
	b.said = append(b.said, fmt.Sprintf("git %s: %v", strings.Join(args, " "), err == nil))
	return err == nil
}

func (b *bench) write(path, text string) { testkit.Write(b.t, b.dir, path, text) }

// change rewrites a file that is there.
func (b *bench) change(path, old, new string) {
	data, err := os.ReadFile(b.dir + "/" + path)
	if err == nil {
		b.write(path, strings.Replace(string(data), old, fmt.Sprintf("%s%d", new, b.n), 1))
	}
}

// person does one thing. What they commit of their own never holds what only Tendril writes.
func (b *bench) person(act string) {
	b.n++
	b.said = append(b.said, "person: "+act)
	before := b.look()
	switch act {
	case "edit code":
		b.change("src/code.go", "two", "two ")
	case "stage code":
		b.write("src/other.go", fmt.Sprintf("other %d\n", b.n))
		b.git("add", "--", "src/other.go")
	case "half stage":
		b.change("src/code.go", "one", "one ")
		b.git("add", "--", "src/code.go")
		b.change("src/code.go", "five", "five ")
	case "untracked":
		b.write(fmt.Sprintf("notes-%d", b.n%3), fmt.Sprintf("%d\n", b.n))
	case "edit plan":
		b.change(plan, "Words", "Words ")
	case "stage plan":
		b.change(plan, "Words", "Words ")
		b.git("add", "--", plan)
	case "commit all":
		b.git("commit", "-q", "-a", "-m", "all")
	case "commit code":
		b.git("commit", "-q", "-m", "code", "--", "src")
	case "away":
		_ = b.git("switch", "-q", "side") || b.git("switch", "-q", "-c", "side")
	case "home":
		b.git("switch", "-q", "main")
	case "work away":
		if b.git("switch", "-q", "side") || b.git("switch", "-q", "-c", "side") {
			b.write(fmt.Sprintf("src/side-%d.go", b.n), "side\n")
			b.git("add", "--", "src")
			b.git("commit", "-q", "-m", "side", "--", "src")
			b.git("switch", "-q", "main")
		}
	case "merge":
		_ = b.git("merge", "-q", "--no-edit", "side") || b.git("merge", "--abort")
	case "stash":
		b.git("stash", "push", "-q", "-u")
	case "pop":
		b.git("stash", "pop", "-q")
	case "rebase":
		b.git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
	case "continue":
		b.git("-c", "core.editor=true", "rebase", "--continue")
	case "abort":
		b.git("rebase", "--abort")
	case "delete":
		b.git("rm", "-q", "-f", "--cached", "--", "src/other.go")
	case "reset":
		b.git("reset", "-q", "--mixed")
	}
	b.judgePerson(before, b.look())
}

// step makes one step of the recorder in a process of its own, which dies at a point.
func (b *bench) step(at string) {
	before := b.look()
	cmd := exec.CommandContext(b.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "RECORD_TEST_CHILD=next", "RECORD_TEST_DIR="+b.dir)
	if at != "" {
		cmd.Env = append(cmd.Env, "TENDRIL_CRASH_AT=record."+at)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	exit := (*exec.ExitError)(nil)
	killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled()
	b.said = append(b.said, fmt.Sprintf("step, to be killed at %q: %v, killed: %v %s", at, err, killed, stderr.String()))
	after := b.look()
	b.judgeStep(before, after)
	waits := strings.Contains(stderr.String(), "rebase") || strings.Contains(stderr.String(), "unmerged") || strings.Contains(stderr.String(), "conflict")
	switch {
	case err != nil && !killed && !waits:
		b.bad("the step failed")
	case err == nil && before.main == after.main:
		b.bad("the step did nothing")
	case err == nil:
		b.judgeWhole(before, after)
	}
}

// end has the person finish what they are at, and one last step made.
func (b *bench) end() {
	b.step("")
	b.git("reset", "-q", "--hard") // git goes back over no file that it does not know
	b.git("rebase", "--abort")
	b.git("merge", "--abort")
	before := b.look()
	if len(before.unmerged) > 0 {
		b.git("reset", "-q", "--merge")
	}
	b.step("")
	after := b.look()
	if !slices.Contains(after.line, before.main) || before.main == after.main && len(before.unmerged) == 0 {
		b.bad("the last step was not made")
	}
	b.judgeTidy()
}
