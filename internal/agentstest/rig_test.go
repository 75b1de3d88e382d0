//go:build agents

package agentstest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/modelserver"
	"tendril/internal/testkit"
)

// folderVariable names the folder that scripts/test-agents installed the agents into; also the place of the tests' homes:
// codex does not work with a home in the system's folder for temporary files.
const folderVariable = "TEST_AGENTS_FOLDER"

// limit ends a tendril that hangs.
const limit = 5 * time.Minute

// program is the tendril under test, built by TestMain.
var program string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tendril-agents-")
	if err != nil {
		println(err.Error())
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // in the system's folder for such
	program = filepath.Join(dir, "tendril")
	if out, err := exec.Command("go", "build", "-o", program, "tendril").CombinedOutput(); err != nil {
		println(err.Error(), string(out))
		return 1
	}
	return m.Run()
}

// rig is one repository with one plan, one agent and one scripted model.
type rig struct {
	t      *testing.T
	agent  agent
	repo   *testkit.Repository
	home   string
	tree   string
	env    []string
	server *modelserver.Server
}

// key is the one plan of a rig.
const key = "0001-greet"

// setup says what a rig is for.
type setup struct {
	agent    agent
	autonomy string
	// body is the plan, config more lines of the configuration.
	body, config string
	// loggedOut leaves out the key.
	loggedOut bool
}

// newRig makes a repository whose one plan is approved and wants a greeting. turns gets the worktree of the plan.
func newRig(t *testing.T, s setup, turns func(tree string) []modelserver.Turn) *rig {
	t.Helper()
	bin := s.agent.installed(t)
	dir, err := os.MkdirTemp(os.Getenv(folderVariable), "test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("is a process left behind? %v", err)
		}
	})
	r := &rig{t: t, agent: s.agent, home: filepath.Join(dir, "home"), tree: filepath.Join(dir, "repo.worktrees", key)}
	if r.server, err = modelserver.Start(turns(r.tree)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.server.Close(); err != nil {
			t.Error(err)
		}
	})
	r.env = testkit.Home(t, r.home)
	// Whatever the agent asks of another host comes to the server too, which complains of it.
	for name, value := range map[string]string{
		"HTTPS_PROXY": r.server.URL(), "HTTP_PROXY": r.server.URL(), "https_proxy": r.server.URL(), "http_proxy": r.server.URL(),
		"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
		"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH"), folderVariable: "",
	} {
		r.set(name, value)
	}
	s.agent.configure(r)
	if s.loggedOut {
		s.agent.logOut(r)
	}
	r.makeRepo(dir, s)
	return r
}

func (r *rig) set(name, value string) { r.env = testkit.Setenv(r.env, name, value) }

// writeHome writes a file into the home of the agent's user.
func (r *rig) writeHome(path, content string) { testkit.Write(r.t, r.home, path, content) }

func (r *rig) makeRepo(dir string, s setup) {
	r.t.Helper()
	top := filepath.Join(dir, "repo")
	if err := os.Mkdir(top, 0o755); err != nil {
		r.t.Fatal(err)
	}
	testkit.Git(r.t, top, "init", "--quiet", "--initial-branch="+testkit.DefaultBranch)
	r.repo = testkit.At(r.t, top)
	r.repo.Write("README.md", "# Greetings\n")
	r.repo.Write(".tendril/config.yaml", "agent: "+s.agent.name+"\nautonomy: "+s.autonomy+"\nmax_attempts: 2\n"+s.config+
		"checks:\n  - {name: test, run: \"cat greeting.txt; grep -q hello greeting.txt\", timeout: 1m}\n")
	r.repo.Commit("configure")
	body := filepath.Join(dir, "body.md")
	testkit.Write(r.t, dir, "body.md", cmp.Or(s.body, planText))
	r.ok("new", "Greet", "--body", body, "--quiet")
	r.ok("approve", "1", "--quiet")
}

// planText is the plan, with what a shell, a template, JSON or HTML would change; complaint is what its check says.
const (
	planText = "## Problem\n\nNobody is greeted: \"hello\" is missing.\t`$HOME` $(id) {{.Plan}} <b>&amp;</b> \\n äöü — 你好 👋\n\n" +
		"## Approach\n\nWrite `hello` into greeting.txt.  \n    indented, and two spaces at the line's end\n"
	complaint = "greeting.txt: No such file or directory"
)

// run runs tendril and returns what it printed and its exit code.
func (r *rig) run(args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.t.Context()), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = r.repo.Dir, r.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("tendril %s: %v, %v\n%s%s", strings.Join(args, " "), err, ctx.Err(), out.String(), errs.String())
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ok runs tendril, which must end with 0.
func (r *rig) ok(args ...string) string {
	r.t.Helper()
	stdout, stderr, code := r.run(args...)
	if code != 0 {
		r.t.Fatalf("tendril %s: exit code %d\n%s%s%s", strings.Join(args, " "), code, stdout, stderr, r.story())
	}
	return stdout
}

// story is what a person would look at first when a run went wrong.
func (r *rig) story() string {
	var b strings.Builder
	for _, p := range r.server.Problems() {
		b.WriteString("model server: " + p + "\n")
	}
	logs, err := filepath.Glob(filepath.Join(r.repo.Dir, ".git", "tendril", "runs", "*", "std*"))
	if err != nil {
		return err.Error()
	}
	for _, name := range logs {
		if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
			b.WriteString("== " + name + "\n" + string(data[max(0, len(data)-6000):]) + "\n")
		}
	}
	return b.String()
}
