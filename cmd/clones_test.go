//go:build linux

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// clone is one of several clones of a bare remote that share one queue, with its own person.
type clone struct {
	t    testing.TB
	name string
	dir  string
	env  []string
	// origin is the bare remote's folder.
	origin string
}

// sharedConfig is the scripts' configuration, shared over the remote.
const sharedConfig = "sync: origin\n" + scriptConfig

// newClones makes a bare remote and a clone of it for each name. More is added to the configuration.
func newClones(t testing.TB, more string, names ...string) []*clone {
	t.Helper()
	top := testkit.TempDir(t)
	origin := filepath.Join(top, "origin.git")
	env := testkit.Setenv(testkit.Env(t), scriptVariable, fmt.Sprint(os.Getpid()))
	testkit.Git(t, top, "init", "--quiet", "--bare", "--initial-branch=main", origin)
	var all []*clone
	for i, name := range names {
		c := &clone{t, name, filepath.Join(top, name), env, origin}
		testkit.Git(t, top, "clone", "--quiet", origin, name)
		c.git("config", "user.name", name)
		c.git("config", "user.email", name+"@example.com")
		if i == 0 {
			c.git("symbolic-ref", "HEAD", "refs/heads/main")
			testkit.Write(t, c.dir, ".tendril/config.yaml", sharedConfig+more)
			c.commit("configure")
			c.git("push", "--quiet", "origin", "main")
		}
		all = append(all, c)
	}
	return all
}

func (c *clone) git(args ...string) string {
	c.t.Helper()
	return testkit.Git(c.t, c.dir, args...)
}

func (c *clone) commit(message string) {
	c.t.Helper()
	c.git("add", "--all")
	c.git("commit", "--quiet", "--allow-empty", "--message", message)
}

// plan writes a plan whose script leaves a trace of each run beside the remote, and approves it.
func (c *clone) plan(title, file string) {
	c.t.Helper()
	body := fmt.Sprintf("```sh run\necho %s >> %s/started\necho hello > greeting.txt\necho hello > %s\n```\n", file, c.origin, file)
	testkit.Write(c.t, c.dir, ".git/body.md", body)
	key := strings.TrimSpace(c.must("new", title, "--body", ".git/body.md", "--quiet"))
	c.must("approve", strings.Fields(key)[0], "--quiet")
}

func (c *clone) must(args ...string) string {
	c.t.Helper()
	out, err := c.tendril(args...)
	if err != nil {
		c.t.Fatalf("%s: tendril %s: %v\n%s", c.name, strings.Join(args, " "), err, out)
	}
	return out
}

// tendril runs one command in the clone; what it says on both streams is one text.
func (c *clone) tendril(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tendril", args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// with is the clone with another variable in its commands' environment.
func (c *clone) with(name, value string) *clone {
	d := *c
	d.env = testkit.Setenv(c.env, name, value)
	return &d
}

// status is the status line of a plan at the remote.
func (c *clone) status(key string) string {
	c.t.Helper()
	out, err := testkit.TryGit(c.t, c.origin, nil, "cat-file", "blob", "main:plans/"+key+"/plan.md")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(out) {
		if s, ok := strings.CutPrefix(line, "status: "); ok {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// until runs the engines of clones in turn until a plan has the status.
func until(t testing.TB, key, status string, clones ...*clone) {
	t.Helper()
	var last string
	for range 6 {
		for _, c := range clones {
			out, err := c.tendril("run", "--once", "--trust")
			last += fmt.Sprintf("%s (%v):\n%s", c.name, err, out)
			if c.status(key) == status {
				return
			}
		}
	}
	t.Fatalf("%s is %s, not %s:\n%s", key, clones[0].status(key), status, last)
}

// starts counts the runs of the plan that makes file, in all clones together.
func (c *clone) starts(file string) int {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.origin, "started"))
	if err != nil {
		return 0
	}
	return strings.Count("\n"+string(data), "\n"+file+"\n")
}

// converged asks that the clones stand where the remote does, and are clean.
func converged(t testing.TB, clones ...*clone) {
	t.Helper()
	tip := testkit.Git(t, clones[0].origin, "rev-parse", "main")
	for _, c := range clones {
		c.must("sync")
		if got := c.git("rev-parse", "main"); got != tip {
			t.Errorf("%s is at %s, the remote at %s\n%s", c.name, got, tip, c.must("sync"))
		}
		if got := c.git("status", "--porcelain"); got != "" {
			t.Errorf("%s is not clean:\n%s", c.name, got)
		}
		if got := c.must("status"); strings.Contains(got, "Needs your eye") {
			t.Errorf("%s: something does not count:\n%s", c.name, got)
		}
	}
	if out, err := testkit.TryGit(t, clones[0].origin, nil, "fsck", "--connectivity-only"); err != nil {
		t.Errorf("the remote: %v %s", err, out)
	}
}

// The engine of a clone dies at each moment of a talk with the remote, while another clone runs too and a person commits:
// each plan is executed once and delivered once, and all clones come to the same.
func TestClonesOutliveDeaths(t *testing.T) {
	t.Parallel()
	for _, deaths := range [][2]string{
		{"sync.pushed:1", "sync.pushing:2"},
	} {
		t.Run(deaths[0]+" "+deaths[1], func(t *testing.T) {
			t.Parallel()
			all := newClones(t, "take: all\n", "ann", "bob")
			ann, bob := all[0], all[1]
			ann.plan("One", "greeting.txt")
			if out, err := bob.with("TENDRIL_CRASH_AT", deaths[0]).tendril("run", "--once", "--trust"); err == nil {
				t.Errorf("bob's engine lives:\n%s", out)
			}
			until(t, "0001-one", "in-review", ann, bob)
			testkit.Write(t, ann.dir, "other.txt", "the base moves\n")
			ann.commit("the base moves")
			ann.git("pull", "--quiet", "--rebase")
			ann.git("push", "--quiet")
			ann.must("diff", "1")
			ann.must("accept", "1")
			holder := ann
			if strings.Contains(ann.must("show", "1", "--json"), `"elsewhere": true`) {
				holder = bob
			}
			if out, err := holder.with("TENDRIL_CRASH_AT", deaths[1]).tendril("run", "--once", "--trust"); err == nil {
				t.Errorf("%s's engine lives:\n%s", holder.name, out)
			}
			until(t, "0001-one", "merged", ann, bob)
			converged(t, ann, bob)
			log := testkit.Git(t, ann.origin, "log", "--first-parent", "--format=%B", "main")
			if n := ann.starts("greeting.txt"); n != 1 || strings.Count(log, "approved -> executing") != 1 || strings.Count(log, "-> merged") != 1 {
				t.Errorf("started %d times:\n%s", n, log)
			}
			for _, file := range []string{"greeting.txt", "other.txt"} {
				testkit.Read(t, bob.dir, file)
			}
		})
	}
}
