package record

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// childEnv makes this test binary a process that records ("commit" or "recover") in the folder childDir.
const (
	childEnv = "RECORD_TEST_CHILD"
	childDir = "RECORD_TEST_DIR"

	// testLimit is the longest that a test waits for something to come true.
	testLimit = 30 * time.Second
)

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		os.Exit(child(what, os.Getenv(childDir)))
	}
	os.Exit(testkit.Main(m, testkit.NoLeaks))
}

// templates are repositories that many tests begin with: each is made once and then copied.
var templates = struct {
	sync.Mutex
	dirs map[string]string
}{dirs: map[string]string{}}

// fromTemplate is a copy of the repository that fill makes. git is asked once to look at its files, as after a checkout.
func fromTemplate(t testing.TB, name string, fill func(f fixture)) fixture {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	dir := templates.dirs[name]
	if dir == "" {
		f := fixture{testkit.Repo(t), t}
		fill(f)
		var err error
		if dir, err = os.MkdirTemp(os.Getenv("HOME"), "template-"); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(f.Dir + "/.git/hooks"); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, os.DirFS(f.Dir)); err != nil {
			t.Fatal(err)
		}
		templates.dirs[name] = dir
	}
	repo := testkit.TempDir(t) + "/repo"
	if err := os.CopyFS(repo, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	f := fixture{testkit.At(t, repo), t}
	f.Git("update-index", "-q", "--refresh")
	return f
}

// The paths of the plan in these tests, relative to the repository.
const (
	planPath    = "plans/0001-one/plan.md"
	recordPath  = "plans/0001-one/record.yaml"
	changesPath = "plans/0001-one/changes.diff"
	newPath     = "plans/0001-one/verification.md"
)

const planText = `---
title: One
# draft, approved, … : see tendril help states
status: approved
# what follows is optional
priority: 3
---
## Problem

Words.
`

// withStatus is the text of a plan with another status.
func withStatus(text, status string) string {
	return strings.Replace(text, "status: approved", "status: "+status, 1)
}

// fixture is a repository with one plan on main.
type fixture struct {
	*testkit.Repository
	t testing.TB
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	return fromTemplate(t, "plan", fixture.fill)
}

func (f fixture) fill() {
	f.t.Helper()
	f.Write(planPath, planText)
	f.Write(recordPath, "version: 1\nround: 1\n")
	f.Write(changesPath, "diff\n")
	f.Write("src/code.go", "package code\n")
	f.Commit("a plan")
}

// standard is the change of state that most tests make: one plan.md, one file that changes, one that goes, one that comes.
var standard = map[string]*string{
	planPath:    ptr(withStatus(planText, "executing")),
	recordPath:  ptr("version: 1\nround: 2\n"),
	changesPath: nil,
	newPath:     ptr("passed\n"),
}

func ptr[T any](v T) *T { return &v }

var tendril = git.Ident{Name: "Tendril", Email: "tendril@localhost"}

const message = "tendril: 0001-one executing\n\nTendril-Status: 0001-one approved -> executing\n"

// build makes the draft for changes; nil contents delete.
func build(changes map[string]*string) Build {
	return func(context.Context, string) (*Draft, error) {
		d := &Draft{Message: message, Author: tendril, Committer: tendril}
		for path, content := range changes {
			e := Edit{Path: path, Delete: content == nil}
			if content != nil {
				e.Data = []byte(*content)
			}
			d.Edits = append(d.Edits, e)
		}
		return d, nil
	}
}

// recorder is one for the repository that dir lies in.
func recorder(dir string) (*Recorder, error) {
	repo, err := git.Open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return &Recorder{Repo: repo, Runtime: repo.CommonDir + "/tendril", Ref: "refs/heads/main", PlansDir: "plans"}, nil
}

func (f fixture) recorder() *Recorder {
	f.t.Helper()
	r, err := recorder(f.Dir)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Log = f.t.Logf
	return r
}

// record makes the standard change; it must work.
func (f fixture) record() Result { return f.recordThis(standard) }

func (f fixture) recordThis(changes map[string]*string) Result {
	f.t.Helper()
	res, err := f.recorder().Commit(f.t.Context(), build(changes))
	if err != nil {
		f.t.Fatalf("Commit: %v", err)
	}
	if res.Commit == "" || res.Tip != res.Commit {
		f.t.Fatalf("Commit = %+v", res)
	}
	f.checkMade(res.Commit)
	return res
}

// checkMade fails unless the branch holds the commit, the repository is whole and nothing of ours is left lying about.
func (f fixture) checkMade(commit string) {
	f.t.Helper()
	if tip := f.Git("rev-parse", "refs/heads/main"); tip != commit {
		f.t.Errorf("main is at %s, not at %s", tip, commit)
	}
	f.checkTidy()
}

// checkTidy fails when a lock or a file of ours is left in a git directory, or an object is missing.
func (f fixture) checkTidy() {
	f.t.Helper()
	for _, name := range strings.Fields(testFind(f.t, f.Git("rev-parse", "--path-format=absolute", "--git-common-dir"))) {
		f.t.Errorf("left behind: %s", name)
	}
	f.Git("fsck", "--connectivity-only", "--no-dangling")
}

// blobs lists files of a tree, or of the index, below a folder, by path; a blob that one of the contents has is written
// as that content.
func (f fixture) blobs(listing string, contents map[string]*string) map[string]string {
	f.t.Helper()
	known := map[string]string{}
	for _, content := range contents {
		if content != nil {
			for _, format := range []string{"sha1", "sha256"} {
				id, err := git.ObjectID(format, "blob", []byte(*content))
				if err != nil {
					f.t.Fatal(err)
				}
				known[id] = *content
			}
		}
	}
	out := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		for _, word := range strings.Fields(head) {
			if len(word) >= 40 {
				out[path] = word
				if content, ok := known[word]; ok {
					out[path] = content
				}
			}
		}
	}
	return out
}

// checkCommitted fails unless the tip of main has the changes.
func (f fixture) checkCommitted(changes map[string]*string) {
	f.t.Helper()
	f.compare("committed", f.blobs(f.Git("ls-tree", "-r", "-z", "refs/heads/main"), changes), changes)
}

// checkStaged fails unless the index has the changes.
func (f fixture) checkStaged(changes map[string]*string) {
	f.t.Helper()
	f.compare("index", f.blobs(f.Git("ls-files", "-s", "-z"), changes), changes)
}

// checkOnDisk fails unless the working tree has the changes.
func (f fixture) checkOnDisk(changes map[string]*string) {
	f.t.Helper()
	got := map[string]string{}
	for path := range changes {
		if content := f.onDisk(path); content != "-" {
			got[path] = content
		}
	}
	f.compare("working tree", got, changes)
}

func (f fixture) compare(where string, got map[string]string, want map[string]*string) {
	f.t.Helper()
	for path, content := range want {
		has, there := got[path]
		if there != (content != nil) || there && has != *content {
			f.t.Errorf("%s: %s %s: %q (there: %v)", f.Dir, where, path, has, there)
		}
	}
}

// status is `git status` as a person sees it.
func (f fixture) status() string { return f.Git("status", "--porcelain", "-uall") }

// staged is the content of an index entry, "-" when there is none.
func (f fixture) staged(path string) string {
	f.t.Helper()
	if f.Git("ls-files", "--", path) == "" {
		return "-"
	}
	out, err := testkit.TryGit(f.t, f.Dir, nil, "cat-file", "blob", ":"+path)
	if err != nil {
		f.t.Fatal(err)
	}
	return out + "\n"
}

// committed is the content of a path at the tip of main, "-" when there is none.
func (f fixture) committed(path string) string {
	f.t.Helper()
	out, err := testkit.TryGit(f.t, f.Dir, nil, "cat-file", "blob", "refs/heads/main:"+path)
	if err != nil {
		return "-"
	}
	return out + "\n"
}

// onDisk is the content of a file, "-" when there is none, "folder" or "link to …" for these.
func (f fixture) onDisk(path string) string {
	f.t.Helper()
	file := f.Dir + "/" + path
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return "-"
	case info.IsDir():
		return "folder"
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			f.t.Fatal(err)
		}
		return "link to " + target
	}
	return f.Read(path)
}

// child is the process that records and may be killed while it does. It prints what it did as JSON.
func child(what, dir string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := recorder(dir)
	if err == nil {
		switch what {
		case "commit":
			var res Result
			if res, err = r.Commit(ctx, build(standard)); err == nil {
				err = json.NewEncoder(os.Stdout).Encode(res)
			}
		case "next":
			_, err = r.Commit(ctx, r.next)
		case "push":
			r.Remote = &Remote{Repo: r.Repo, Runtime: r.Runtime, Name: "origin", Branch: "main"}
			if _, err = r.Remote.Refresh(ctx); err == nil {
				_, err = r.Commit(ctx, build(standard))
			}
		case "advance":
			var data []byte
			if data, err = os.ReadFile(dir + "/.git/deliver"); err == nil {
				old, new, _ := strings.Cut(string(data), " ")
				_, err = Advance(ctx, r.Repo, r.Runtime, Move{Ref: r.Ref, Old: old, New: new, Strict: true, By: tendril, PlansDir: "plans"})
			}
		case "recover":
			_, err = Recover(ctx, r.Repo, r.Runtime)
		default:
			err = fmt.Errorf("child: %q?", what)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// next is one more step of the plan, whatever its text is by now: another status, another record, a file that comes or goes.
func (r *Recorder) next(ctx context.Context, tip string) (*Draft, error) {
	show := func(path string) string {
		out, err := r.Repo.Do(ctx, git.Call{Args: []string{"cat-file", "blob", tip + ":" + path}})
		if err != nil {
			return ""
		}
		return string(out)
	}
	was, n := show(planPath), 0
	if _, err := fmt.Sscanf(show(recordPath), "version: 1\nround: %d\n", &n); err != nil {
		return nil, fmt.Errorf("no record at %s: %w", tip, err)
	}
	from, to := "approved", "executing"
	if strings.Contains(was, "\nstatus: executing\n") {
		from, to = to, from
	}
	changes := map[string]*string{
		planPath:   ptr(strings.Replace(was, "\nstatus: "+from+"\n", "\nstatus: "+to+"\n", 1)),
		recordPath: ptr(fmt.Sprintf("version: 1\nround: %d\n", n+1)), newPath: ptr("passed\n"),
	}
	if show(newPath) != "" {
		changes[newPath] = nil
	}
	return build(changes)(ctx, tip)
}

// buildNothing says that there is nothing to do.
func buildNothing(context.Context, string) (*Draft, error) { return nil, nil }
