package verify

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/plans"
	"tendril/worktree"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }

const key = plans.Key("0007-add-search")

var agent = git.Ident{Name: "agent", Email: "0007-add-search@agent.tendril.localhost"}

// bed is a plan's worktree in a repository of its own.
type bed struct {
	t    *testing.T
	repo *testkit.Repository
	m    *worktree.Manager
	ws   *worktree.Workspace
	in   Input
	logs string
}

func newBed(t *testing.T) *bed {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the checks of these tests are written for bash")
	}
	r := testkit.Repo(t)
	r.Write("a.txt", "one\ntwo\n")
	r.Write("b.txt", "b\n")
	r.Write("plans/README.md", "# Plans\n")
	r.Write("plans/notes.md", "mine\n")
	r.Write("plans/0007-add-search/plan.md", "---\ntitle: x\nstatus: executing\n---\n")
	r.Write(".tendril/config.yaml", "plans: plans\n")
	r.Write(".gitignore", "*.log\n/ignored/\n")
	r.Commit("files")
	repo, err := git.Open(t.Context(), r.Dir)
	must(t, err)
	m := &worktree.Manager{Repo: repo, Root: filepath.Join(filepath.Dir(r.Dir), "trees"), Runtime: filepath.Join(repo.CommonDir, "tendril")}
	ws, err := m.Ensure(t.Context(), worktree.Want{Key: key, Branch: key.Branch(), Base: r.Head()})
	must(t, err)
	logs := filepath.Join(t.TempDir(), "logs")
	return &bed{t: t, repo: r, m: m, ws: ws, logs: logs, in: Input{
		Workspace: ws, Base: r.Head(), Plan: &plans.Plan{Key: key}, Agent: agent, LogDir: logs, PlansDir: "plans", Timeout: time.Minute,
	}}
}

// write puts a file into the worktree, as the agent.
func (b *bed) write(path, content string) { b.t.Helper(); testkit.Write(b.t, b.ws.Path, path, content) }

// checks sets required checks from name and command pairs.
func (b *bed) checks(pairs ...string) *bed {
	b.in.Checks = nil
	for i := 0; i < len(pairs); i += 2 {
		b.in.Checks = append(b.in.Checks, Check{Name: pairs[i], Run: pairs[i+1], Required: true})
	}
	return b
}

func (b *bed) run() Result {
	b.t.Helper()
	res, err := Run(b.t.Context(), b.in)
	must(b.t, err)
	if got := testkit.Git(b.t, b.ws.Path, "rev-parse", "HEAD"); got != res.Head {
		b.t.Errorf("HEAD is %s, the result says %s", got, res.Head)
	}
	return res
}

// git runs git in the worktree.
func (b *bed) git(args ...string) string { b.t.Helper(); return testkit.Git(b.t, b.ws.Path, args...) }

// of returns one check's result.
func of(t testing.TB, res Result, name string) plans.CheckResult {
	t.Helper()
	for _, c := range res.Verification.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check %s: %+v", name, res.Verification.Checks)
	return plans.CheckResult{}
}

// brief is "name result" of all checks.
func brief(res Result) string {
	var all []string
	for _, c := range res.Verification.Checks {
		all = append(all, c.Name+" "+c.Result)
	}
	return strings.Join(all, ", ")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantResult(t testing.TB, res Result, want string) {
	t.Helper()
	if res.Verification.Result != want {
		t.Errorf("result %s, want %s: %s\n%s", res.Verification.Result, want, brief(res), res.Feedback)
	}
}

// fill makes the random part of a token, so that no token stands in these files.
func fill(n int) string { return strings.Repeat("aB3dE5gH", n/8+1)[:n] }
