package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

// crlf is text with the other line ends.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func TestLineEndsConverted(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(f fixture){
		"autocrlf": func(f fixture) { f.Git("config", "core.autocrlf", "true") },
		"attribute": func(f fixture) {
			f.Write(".gitattributes", "*.md text eol=crlf\n*.yaml text eol=crlf\n*.diff text eol=crlf\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			setup(f)
			f.Git("add", "-A")
			f.Git("commit", "-q", "--allow-empty", "-m", "line ends")
			f.Git("rm", "-q", "-r", "--cached", "plans")
			f.Git("reset", "-q", "--hard")
			if got := f.Read(planPath); got != crlf(planText) {
				t.Fatalf("the checkout is not as the test needs it: %q", got)
			}
			// Without metadata that vouches for it, a file is compared by content.
			f.Write(recordPath, f.Read(recordPath))
			edited := strings.Replace(f.Read(planPath), "priority: 3", "priority: 7", 1)
			f.Write(planPath, edited)
			f.record()
			if got := f.onDisk(recordPath); got != crlf(*standard[recordPath]) {
				t.Errorf("record.yaml: %q", got)
			}
			if got := f.onDisk(newPath); got != crlf("passed\n") {
				t.Errorf("the new file: %q", got)
			}
			if got := f.onDisk(planPath); got != withStatus(edited, "executing") {
				t.Errorf("plan.md: %q", got)
			}
			if got := f.committed(planPath); got != withStatus(planText, "executing") {
				t.Errorf("committed plan.md: %q", got)
			}
			if got := f.status(); got != " M "+planPath {
				t.Errorf("status: %q", got)
			}
		})
	}
}

// TestBlobWithCRLF: under autocrlf, a blob that holds CRLF looks changed to hash-object and clean to status.
func TestBlobWithCRLF(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write(planPath, crlf(planText))
	f.Write(recordPath, "version: 1\r\n")
	f.Commit("CRLF in the blobs")
	f.Git("config", "core.autocrlf", "true")
	f.Write(recordPath, f.Read(recordPath))
	f.recordThis(map[string]*string{planPath: ptr(crlf(withStatus(planText, "executing"))), recordPath: ptr("version: 2\r\n")})
	if got := f.onDisk(recordPath); got != "version: 2\r\n" {
		t.Errorf("record.yaml: %q", got)
	}
	if got := f.onDisk(planPath); got != crlf(withStatus(planText, "executing")) {
		t.Errorf("plan.md: %q", got)
	}
	if got := f.status(); got != "" {
		t.Errorf("status: %q", got)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("config", "filter.shout.smudge", "tr a-z A-Z")
	f.Git("config", "filter.shout.clean", "tr A-Z a-z")
	f.Write(".gitattributes", "*.yaml filter=shout\n")
	f.Write(recordPath, "VERSION: 1\nROUND: 1\n")
	f.Commit("filtered")
	f.record()
	if got := f.onDisk(recordPath); got != "VERSION: 1\nROUND: 2\n" {
		t.Errorf("record.yaml: %q", got)
	}
	if got := f.status(); got != "" {
		t.Errorf("status: %q", got)
	}
}

func TestModesKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	chmod := func(path string, mode os.FileMode) {
		if err := os.Chmod(filepath.Join(f.Dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod(recordPath, 0o755)
	f.Commit("executable")
	chmod(recordPath, 0o700)
	chmod(planPath, 0o600)
	f.record()
	for path, want := range map[string]os.FileMode{recordPath: 0o700, planPath: 0o600} {
		if info, err := os.Stat(filepath.Join(f.Dir, path)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	f.checkFollowed()
	if got := f.Git("ls-tree", "HEAD", "--", recordPath); !strings.HasPrefix(got, "100755") {
		t.Errorf("committed: %s", got)
	}
}

// TestModeOfAPerson: an executable bit that a person set, staged or not, stays theirs; the content follows.
func TestModeOfAPerson(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{recordPath, planPath} {
		if err := os.Chmod(filepath.Join(f.Dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.Git("add", recordPath)
	f.record()
	if got := f.status(); got != " M "+planPath+"\nM  "+recordPath {
		t.Errorf("status: %q", got)
	}
	if got := f.Git("diff", "--name-only", "HEAD", "--", recordPath) + f.staged(recordPath) + f.onDisk(recordPath) + f.onDisk(planPath); got !=
		recordPath+*standard[recordPath]+*standard[recordPath]+*standard[planPath] {
		t.Errorf("contents: %q", got)
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, second := map[string]*string{}, map[string]*string{}
	for _, name := range []string{"with space", " leading", "trailing ", "-dash", "quote\"d", "'single'", "\"both\"", "ünïcödé-日本", "$(touch x)", "*glob?", ":colon", "tab-no", "#hash", "~tilde", "100%", "a\xffb"} {
		path := "plans/0001-one/" + name
		first[path], second[path] = ptr("one "+name+"\n"), ptr("two "+name+"\n")
		first["-"+name], second["-"+name] = ptr("one\n"), nil
	}
	f.recordThis(first)
	f.recordThis(second)
	if got := f.status(); got != "" {
		t.Errorf("status: %q", got)
	}
	f.checkOnDisk(second)
}

func TestSymlinkedParentIsNotFollowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := testkit.TempDir(t)
	testkit.Write(t, outside, "plan.md", planText)
	testkit.Write(t, outside, "record.yaml", "version: 1\nround: 1\n")
	if err := os.RemoveAll(filepath.Join(f.Dir, "plans/0001-one")); err != nil {
		t.Fatal(err)
	}
	symlink(f, outside, "plans/0001-one")
	before := testkit.Snapshot(t, f.Dir)
	res := f.record()
	if got := testkit.Read(t, outside, "plan.md"); got != planText {
		t.Errorf("plan.md outside of the repository: %q", got)
	}
	if _, err := os.Stat(filepath.Join(outside, "verification.md")); err == nil {
		t.Error("a file was made outside of the repository")
	}
	if got := f.onDisk("plans/0001-one"); got != "link to "+outside || len(res.Left) != len(standard) {
		t.Errorf("the folder is %s, left %+v", got, res.Left)
	}
	if got := f.staged(planPath); got != *standard[planPath] {
		t.Errorf("index: %q", got)
	}
	before.Without("ref refs/heads/main", "index plans/", "status plans/").Unchanged(t, f.Snapshot().Without("ref refs/heads/main", "index plans/", "status plans/"))
}

func TestSparseCheckout(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"cone":                  {"set", "--cone", "src"},
		"cone and sparse index": {"set", "--cone", "--sparse-index", "src"},
		"patterns":              {"set", "--no-cone", "/src/", "/README.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Git(append([]string{"sparse-checkout"}, args...)...)
			if f.onDisk(planPath) != "-" {
				t.Fatal("the plan is in the checkout")
			}
			f.record()
			// A folder that the sparse checkout leaves out, too.
			f.recordThis(map[string]*string{"plans/0002-two/plan.md": ptr(planText), "docs/new.md": ptr("new\n"), "src/new.go": ptr("package code\n")})
			for _, path := range []string{planPath, newPath, "plans/0002-two/plan.md", "docs/new.md"} {
				if got := f.onDisk(path); got != "-" {
					t.Errorf("%s appeared: %q", path, got)
				}
			}
			if got := f.onDisk("src/new.go"); got != "package code\n" {
				t.Errorf("src/new.go: %q", got)
			}
			if got := f.status(); got != "" {
				t.Errorf("status: %q", got)
			}
			if got := f.Git("ls-files", "-t", "plans", "docs"); strings.Contains(got, "H ") {
				t.Errorf("without the bit: %s", got)
			}
			if strings.Contains(name, "sparse index") && !strings.Contains(f.Git("ls-files", "--sparse"), "plans/\n") {
				t.Errorf("the sparse index was expanded:\n%s", f.Git("ls-files", "--sparse"))
			}
			f.Git("sparse-checkout", "disable")
			if got := f.status() + f.onDisk(planPath); got != *standard[planPath] {
				t.Errorf("made whole: %q", got)
			}
		})
	}
}

func TestIndexKinds(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"split":           {"update-index", "--split-index"},
		"version 4":       {"update-index", "--index-version", "4"},
		"untracked cache": {"update-index", "--untracked-cache"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Git(args...)
			f.Git("status")
			f.busyPerson()
			f.Git("status")
			before := f.Snapshot()
			f.record()
			ours := []string{"ref refs/heads/main", "index plans/", "file plans/", "status plans/"}
			before.Without(ours...).Unchanged(t, f.Snapshot().Without(ours...))
			if got := f.status(); got != " M "+planPath+"\n M src/code.go\nA  src/staged.go\n?? notes.txt" {
				t.Errorf("status: %q", got)
			}
			index := testkit.Read(t, f.Dir, ".git/index")
			if kept := map[string]bool{"split": strings.Contains(index, "link"), "version 4": index[7] == 4, "untracked cache": strings.Contains(index, "UNTR")}; !kept[name] {
				t.Error("the index is of another kind now")
			}
			f.Git("commit", "-q", "-m", "theirs")
			f.Git("fsck", "--no-dangling")
		})
	}
}

func TestSubmoduleBesides(t *testing.T) {
	t.Parallel()
	inner := testkit.Repo(t)
	f := newFixture(t)
	f.Git("submodule", "--quiet", "add", inner.Dir, "sub")
	f.Commit("a submodule")
	testkit.Write(t, filepath.Join(f.Dir, "sub"), "README.md", "dirty\n")
	f.record()
	if got := f.status(); got != " M sub" {
		t.Errorf("status: %q", got)
	}

	// A repository that is a submodule itself.
	f.Git("-C", "sub", "checkout", "-q", "README.md")
	sub := f.at(testkit.At(t, filepath.Join(f.Dir, "sub")))
	sub.fill()
	sub.record()
	sub.checkFollowed()
}

// TestHooksDoNotRun has every hook that git could run, each of which would leave a trace and fail.
func TestHooksDoNotRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	trace := filepath.Join(testkit.TempDir(t), "trace")
	for _, where := range []string{".git/hooks", ".githooks"} {
		for _, hook := range []string{"reference-transaction", "post-index-change", "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-checkout", "post-merge", "post-rewrite"} {
			testkit.WriteScript(t, f.Dir, where+"/"+hook, "#!/bin/sh\necho "+where+"/"+hook+" >>'"+trace+"'\nexit 1\n")
		}
	}
	f.Write(".git/info/exclude", ".githooks\n")
	for _, path := range []string{"", ".githooks"} {
		if path != "" {
			f.Git("config", "core.hooksPath", path)
		}
		before := f.Snapshot()
		r := f.recorder()
		res, err := r.Commit(t.Context(), build(map[string]*string{recordPath: ptr("round: 2" + path + "\n")}))
		if err != nil || res.Commit == "" {
			t.Fatalf("Commit: %+v, %v", res, err)
		}
		if data, err := os.ReadFile(trace); err == nil {
			t.Errorf("hooks ran: %s", data)
		}
		ours := []string{"ref refs/heads/main", "index plans/", "file plans/"}
		before.Without(ours...).Unchanged(t, f.Snapshot().Without(ours...))
		_ = os.Remove(trace) // the snapshot's own git runs them
	}
}

func TestCommitIsWhatTheDraftSays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	res := f.record()
	got := f.Git("log", "-1", "--format=%an <%ae>|%cn <%ce>|%P|%B", res.Commit)
	parent := f.Git("rev-parse", "HEAD~1")
	if want := "Tendril <tendril@localhost>|Tendril <tendril@localhost>|" + parent + "|" + message; got != want {
		t.Errorf("commit:\n%s\nwant:\n%s", got, want)
	}
	if got := f.Git("log", "-1", "--format=%(trailers:key=Tendril-Status,valueonly)"); strings.TrimSpace(got) != "0001-one approved -> executing" {
		t.Errorf("trailer: %q", got)
	}
}
