package deliver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }

const (
	key       = "0001-x"
	planDir   = "plans/" + key
	draftText = "---\ntitle: X\nstatus: draft\n---\nbody\n"
)

var tendril = git.Ident{Name: "Tendril", Email: "tendril@localhost"}

// words is what the tests let commits say.
func words(message string) Words { return Words{Message: message, Author: tendril, Committer: tendril} }

// lab is a repository with a program, one plan, and the plan's branch.
type lab struct {
	*testkit.Repository
	t    *testing.T
	repo *git.Repo
	// base is the commit that the plan's branch starts from.
	base string
}

const branch = "tendril/" + key

func newLab(t *testing.T) *lab {
	t.Helper()
	r := testkit.Repo(t)
	r.Write("a.txt", lines("a", 20))
	r.Write("b.txt", lines("b", 20))
	r.Write(planDir+"/plan.md", draftText)
	r.Write("plans/README.md", "board\n")
	base := r.Commit("a program and a plan")
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Git("branch", branch)
	return &lab{Repository: r, t: t, repo: repo, base: base}
}

// lines is a file of n lines.
func lines(word string, n int) string { return strings.Repeat(word+"\n", n) }

// on commits files (name, content, …; an empty content deletes) on a branch and returns the commit; main is checked out
// again after.
func (l *lab) on(branch, message string, files ...string) string {
	l.t.Helper()
	l.Git("checkout", "-q", branch)
	for i := 0; i < len(files); i += 2 {
		if files[i+1] == "" {
			if err := os.Remove(filepath.Join(l.Dir, filepath.FromSlash(files[i]))); err != nil {
				l.t.Fatal(err)
			}
			continue
		}
		l.Write(files[i], files[i+1])
	}
	id := l.Commit(message)
	l.Git("checkout", "-q", "main")
	return id
}

// move sets a branch to a commit, as record.Advance would; the checkout follows where it is main.
func (l *lab) move(branch, commit string) {
	l.t.Helper()
	if branch == "main" {
		l.Git("merge", "-q", "--ff-only", commit)
		return
	}
	l.Git("update-ref", "refs/heads/"+branch, commit)
}

// file is a file's content in a commit.
func (l *lab) file(commit, name string) string {
	l.t.Helper()
	return l.Git("show", commit+":"+name)
}

// ok ends the test on an error and returns the value.
func ok[V any](v V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
