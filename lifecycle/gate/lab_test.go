package gate

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/plans"
)

func TestMain(m *testing.M) {
	if ledgerChild() {
		os.Exit(0)
	}
	os.Exit(testkit.Main(m, testkit.NoLeaks))
}

const (
	key      = plans.Key("0001-x")
	planFile = "plans/0001-x/plan.md"
	recFile  = "plans/0001-x/record.yaml"
)

// who commits in the tests. pat is the person whom testkit makes the default.
type who struct{ name, email string }

var (
	pat     = who{testkit.PersonName, testkit.PersonEmail}
	boss    = who{"Bo Boss", "boss@example.com"}
	mallory = who{"Mallory", "mallory@example.com"}
	engine  = who{"Tendril", "tendril@localhost"}
	agent   = who{"0001-x", "0001-x@agent.tendril.localhost"}
	forge   = who{"GitHub", "noreply@github.com"}
)

var rules = Rules{Tendril: git.Ident{Name: engine.name, Email: engine.email}, PlansDir: "plans"}

// lab is a repository with one plan that is a draft by pat.
type lab struct {
	*testkit.Repository
	t     *testing.T
	first string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{Repository: testkit.Repo(t), t: t}
	l.Write(planFile, text("draft", "body\n"))
	l.first = l.Commit("a plan")
	return l
}

// at is the lab seen from another checkout.
func (l *lab) at(r *testkit.Repository) *lab { return &lab{Repository: r, t: l.t, first: l.first} }

// text is a plan.md as tendril new makes it.
func text(status, body string) string {
	return "---\ntitle: X\n# draft, approved, … : see tendril help states\nstatus: " + status + "\n# what follows is optional\npriority: 0\n---\n" + body
}

// edit replaces words in the plan.
func (l *lab) edit(old, new string) {
	l.t.Helper()
	was := l.Read(planFile)
	if !strings.Contains(was, old) {
		l.t.Fatalf("the plan has no %q", old)
	}
	l.Write(planFile, strings.Replace(was, old, new, 1))
}

// status sets the status line, whatever it was.
func (l *lab) status(to plans.Status) {
	l.t.Helper()
	lines := strings.Split(l.Read(planFile), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "status:") {
			lines[i] = "status: " + string(to)
		}
	}
	l.Write(planFile, strings.Join(lines, "\n"))
}

// by is the environment in which w is author and committer.
func (w who) by() []string { return append(w.author(), w.committer()...) }

func (w who) author() []string {
	return []string{"GIT_AUTHOR_NAME=" + w.name, "GIT_AUTHOR_EMAIL=" + w.email}
}

func (w who) committer() []string {
	return []string{"GIT_COMMITTER_NAME=" + w.name, "GIT_COMMITTER_EMAIL=" + w.email}
}

// as runs git with an environment on top.
func (l *lab) as(env []string, args ...string) string {
	l.t.Helper()
	return testkit.GitEnv(l.t, l.Dir, env, args...)
}

// commit commits everything as w and returns the id.
func (l *lab) commit(w who, message string) string {
	l.t.Helper()
	l.Git("add", "-A")
	l.as(w.by(), "commit", "-q", "--allow-empty", "-m", message)
	return l.Head()
}

// set commits a status as w.
func (l *lab) set(w who, to plans.Status) string {
	l.t.Helper()
	l.status(to)
	return l.commit(w, string(to))
}

// repo is the client for the lab.
func (l *lab) repo() *git.Repo {
	l.t.Helper()
	repo, err := git.Open(l.t.Context(), l.Dir)
	if err != nil {
		l.t.Fatal(err)
	}
	return repo
}

// plan reads a plan at a commit.
func (l *lab) plan(tip string, key plans.Key) *plans.Plan {
	l.t.Helper()
	file := "plans/" + string(key) + "/plan.md"
	p, err := plans.Parse(key, file, []byte(l.Git("cat-file", "blob", tip+":"+file)+"\n"), "sha1")
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

// approval asks gate 1 about HEAD.
func (l *lab) approval(rules Rules) (Passage, error) {
	l.t.Helper()
	return Approval(l.t.Context(), l.repo(), l.Head(), l.plan(l.Head(), key), rules)
}

// approved expects that a commit by w passed gate 1.
func (l *lab) approved(commit string, w who) {
	l.t.Helper()
	p, err := l.approval(rules)
	if err != nil {
		l.t.Fatalf("refused: %v", err)
	}
	if p.Commit != commit || p.AuthorEmail != w.email || p.AuthorName != w.name {
		l.t.Errorf("%s by %s passed the gate, want %s by %s <%s>", p.Commit, p.By(), commit, w.name, w.email)
	}
	if want := l.plan(l.Head(), key).TextID; p.Text != want {
		l.t.Errorf("text %s, want %s", p.Text, want)
	}
}

// refused expects a refusal of a commit, with words in it.
func (l *lab) refused(rules Rules, commit string, words ...string) {
	l.t.Helper()
	p, err := l.approval(rules)
	wantRefusal(l.t, p, err, commit, words...)
}

func wantRefusal(t *testing.T, p Passage, err error, commit string, words ...string) {
	t.Helper()
	r := (*Refusal)(nil)
	if !errors.As(err, &r) {
		t.Fatalf("got %+v, %v, want a refusal", p, err)
	}
	if r.Commit != commit {
		t.Errorf("refused %s, want %s (%v)", r.Commit, commit, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the refusal says nothing of %q: %v", w, err)
		}
	}
}

// record writes a record.yaml with a head.
func (l *lab) record(head string) {
	l.Write(recFile, fmt.Sprintf("version: 1\nkey: %s\nbranch: tendril/%s\nhead: %s\n", key, key, head))
}
