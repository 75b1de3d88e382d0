package testkit

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gitLimit ends a git process of a test that hangs.
const gitLimit = time.Minute

// Repository is a git repository that lives as long as its test.
type Repository struct {
	// Dir is the top of its worktree, absolute, without symbolic links.
	Dir string

	t testing.TB
}

// Repo makes a repository with one commit (README.md) on the branch main, in a temporary folder.
func Repo(t testing.TB) *Repository {
	t.Helper()
	r := EmptyRepo(t)
	r.Write("README.md", "# A repository for a test\n")
	r.Commit("first commit")
	return r
}

// EmptyRepo makes a repository without any commit; HEAD names the unborn branch main.
func EmptyRepo(t testing.TB) *Repository {
	t.Helper()
	dir := filepath.Join(TempDir(t), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	Git(t, dir, "init", "--quiet", "--initial-branch="+DefaultBranch)
	return &Repository{Dir: dir, t: t}
}

// At is a Repository for a checkout that is there already: a clone, a linked worktree.
func At(t testing.TB, dir string) *Repository { return &Repository{Dir: dir, t: t} }

// Git runs git in the repository and returns its standard output less one last newline; a failure ends the test.
func (r *Repository) Git(args ...string) string {
	r.t.Helper()
	return Git(r.t, r.Dir, args...)
}

// Write writes a file below the top (slash-separated path), with the folders it needs.
func (r *Repository) Write(path, content string) {
	r.t.Helper()
	Write(r.t, r.Dir, path, content)
}

// Read returns a file's content below the top.
func (r *Repository) Read(path string) string {
	r.t.Helper()
	return Read(r.t, r.Dir, path)
}

// Commit stages everything and commits it as the person; it returns the commit's id. An empty commit is allowed.
func (r *Repository) Commit(message string) string {
	r.t.Helper()
	return Commit(r.t, r.Dir, message)
}

// Head is the id of the commit that HEAD names.
func (r *Repository) Head() string {
	r.t.Helper()
	return r.Git("rev-parse", "--verify", "HEAD")
}

// Snapshot is Snapshot of this checkout.
func (r *Repository) Snapshot() State {
	r.t.Helper()
	return Snapshot(r.t, r.Dir)
}

// Remote makes a bare repository, adds it as "origin" and pushes the current branch to it with upstream set. It returns
// the bare repository's folder.
func (r *Repository) Remote() string {
	r.t.Helper()
	dir := filepath.Join(TempDir(r.t), "origin.git")
	branch := r.Git("symbolic-ref", "--short", "HEAD")
	Git(r.t, r.Dir, "init", "--quiet", "--bare", "--initial-branch="+branch, dir)
	r.Git("remote", "add", "origin", dir)
	r.Git("push", "--quiet", "--set-upstream", "origin", branch)
	return dir
}

// Worktree adds a linked worktree in a new temporary folder; args follow `git worktree add --quiet PATH`.
func (r *Repository) Worktree(args ...string) *Repository {
	r.t.Helper()
	dir := filepath.Join(TempDir(r.t), "linked")
	r.Git(append([]string{"worktree", "add", "--quiet", dir}, args...)...)
	return At(r.t, dir)
}

// Clone clones a repository by its folder or URL into a new temporary folder.
func Clone(t testing.TB, from string, args ...string) *Repository {
	t.Helper()
	parent := TempDir(t)
	Git(t, parent, append(append([]string{"clone", "--quiet"}, args...), "--", from, "clone")...)
	return At(t, filepath.Join(parent, "clone"))
}

// Git runs git in dir, in the hermetic environment, and returns its standard output less one last newline; a failure
// ends the test.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return GitEnv(t, dir, nil, args...)
}

// GitEnv is Git with more environment ("NAME=value").
func GitEnv(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	out, err := TryGit(t, dir, env, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// GitAs is Git with another author and committer.
func GitAs(t testing.TB, dir, name, email string, args ...string) string {
	t.Helper()
	return GitEnv(t, dir, []string{
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email,
	}, args...)
}

// TryGit is GitEnv for calls that may fail: the error holds the arguments, what git said on stderr, and wraps the
// *exec.ExitError.
func TryGit(t testing.TB, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := contextFor(t, gitLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(Env(t), env...), &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("git %s in %s: %w\n%s", strings.Join(args, " "), dir, err, stderr.String())
	}
	return strings.TrimSuffix(stdout.String(), "\n"), err
}

// Commit stages everything in dir and commits it as the person; it returns the commit's id. An empty commit is allowed.
func Commit(t testing.TB, dir, message string) string {
	t.Helper()
	Git(t, dir, "add", "--all")
	Git(t, dir, "commit", "--quiet", "--allow-empty", "--message", message)
	return Git(t, dir, "rev-parse", "HEAD")
}
