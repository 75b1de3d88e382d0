package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
)

func TestScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scope   []string
		write   []string
		outside []string
	}{
		"none":                  {nil, []string{"x", "deep/y", "plans/notes.md", "plans/other/x"}, nil},
		"inside":                {[]string{"src/**"}, []string{"src/a", "src/b/c"}, nil},
		"outside":               {[]string{"src/**"}, []string{"src/a", "other"}, []string{"other"}},
		"plan":                  {nil, []string{"x", "plans/0007-add-search/plan.md"}, []string{"plans/0007-add-search/plan.md"}},
		"new plan":              {nil, []string{"x", "plans/0099-mine/plan.md"}, []string{"plans/0099-mine/plan.md"}},
		"board":                 {nil, []string{"x", "plans/README.md"}, []string{"plans/README.md"}},
		"config":                {nil, []string{"x", ".tendril/config.yaml", ".tendril/promptware/X/Program.md"}, []string{".tendril/config.yaml", ".tendril/promptware/X/Program.md"}},
		"config, other case":    {nil, []string{"x", ".Tendril/config.yaml"}, []string{".Tendril/config.yaml"}},
		"a glob for all":        {[]string{"**"}, []string{"x", ".tendril/config.yaml"}, []string{".tendril/config.yaml"}},
		"config is named":       {[]string{"/.tendril/config.yaml"}, []string{".tendril/config.yaml"}, nil},
		"another is named":      {[]string{".tendril/presets/**"}, []string{".tendril/config.yaml"}, []string{".tendril/config.yaml"}},
		"plans are named":       {[]string{"plans/**"}, []string{"plans/0007-add-search/plan.md"}, nil},
		"plans folder replaced": {nil, []string{"x", "-plans"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.in.Plan.Scope = c.scope
			for _, path := range c.write {
				b.write(path, "changed\n")
			}
			res := b.run()
			got := of(t, res, CheckScope)
			if (got.Result == plans.ResultFailed) != (len(c.outside) > 0) || !slices.Equal(res.Verification.Diff.Outside, c.outside) {
				t.Errorf("%s, outside %v, want %v", got.Result, res.Verification.Diff.Outside, c.outside)
			}
			for _, path := range c.outside {
				if !strings.Contains(got.Tail, path) || !strings.Contains(string(res.Feedback), path) {
					t.Errorf("%s is not named:\n%s\n%s", path, got.Tail, res.Feedback)
				}
			}
		})
	}
}

func TestScopeSeesBothEndsOfARename(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.in.Plan.Scope = []string{"src/"}
	b.git("mv", "-k", "a.txt", "b.txt")
	must(t, os.MkdirAll(filepath.Join(b.ws.Path, "src"), 0o755))
	b.git("mv", "a.txt", "src/a.txt")
	res := b.run()
	if got := res.Verification.Diff.Outside; !slices.Equal(got, []string{"a.txt"}) {
		t.Errorf("%v", got)
	}
}

func TestReplacingTheWholePlansFolderIsSeen(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	must(t, os.RemoveAll(filepath.Join(b.ws.Path, "plans")))
	must(t, os.Symlink("elsewhere", filepath.Join(b.ws.Path, "plans")))
	res := b.run()
	if got := of(t, res, CheckScope); got.Result != plans.ResultFailed || !slices.Contains(res.Verification.Diff.Outside, "plans") {
		t.Errorf("%+v %v", got, res.Verification.Diff.Outside)
	}
}

func TestConflictMarkers(t *testing.T) {
	t.Parallel()
	left, right := strings.Repeat("<", 7)+" ours\n", strings.Repeat(">", 7)+" theirs\n"
	b := newBed(t)
	b.repo.Write("doc.md", "# Conflicts\n\n    "+left+left+"a\n=======\nb\n"+right)
	base := b.repo.Commit("a page about conflicts")
	b.git("merge", "-q", "--ff-only", base)
	b.in.Base = base
	b.write("doc.md", "# Conflicts, once more\n\n    "+left+left+"a\n=======\nb\n"+right)
	b.write("heading.rst", "Title\n=======\n")
	if res := b.run(); of(t, res, CheckMarkers).Result != plans.ResultPassed {
		t.Errorf("what was there already, or a heading, counts: %s", of(t, res, CheckMarkers).Tail)
	}
	b.write("code.go", "a\n"+left+"x\n=======\ny\n"+right)
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckMarkers); got.Tail != "code.go:2\ncode.go:6" {
		t.Errorf("%q", got.Tail)
	}
	b.in.Plan.Skip = map[string]string{CheckMarkers: "a fixture"}
	if res := b.run(); of(t, res, CheckMarkers).Result != plans.ResultSkipped || res.Verification.Result != plans.ResultUnverified {
		t.Errorf("%s", brief(res))
	}
}

func TestAMergeLeftHalfDoneIsConcludedAndFails(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("a.txt", "mine\n")
	b.git("commit", "-qam", "mine")
	b.repo.Write("a.txt", "theirs\n")
	theirs := b.repo.Commit("theirs")
	_, _ = testkit.TryGit(t, b.ws.Path, nil, "merge", "main") // conflicts
	res := b.run()
	if got := of(t, res, CheckMarkers); got.Result != plans.ResultFailed || !strings.Contains(got.Tail, "a.txt:1") {
		t.Errorf("%+v", got)
	}
	if got := b.git("rev-parse", "HEAD^2"); got != theirs {
		t.Errorf("the merge's other parent is %s", got)
	}
	if got := b.git("status", "--porcelain=v2", "--branch"); strings.Contains(got, "\nu ") {
		t.Errorf("still unmerged: %s", got)
	}
}

func TestSecretsHeldBackFail(t *testing.T) {
	t.Parallel()
	token := "ghp_" + fill(36)
	b := newBed(t).checks("test", "true")
	b.write("ok.txt", "x\n")
	b.write("config/prod.env", "A=1\nTOKEN="+token+"\n")
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckSecrets); got.Tail != "config/prod.env:2: github token, not committed" {
		t.Errorf("%q", got.Tail)
	}
	if got := b.git("diff", "--name-only", b.in.Base, "HEAD"); got != "ok.txt" {
		t.Errorf("committed: %s", got)
	}
	if len(res.LeftOut) != 1 || !strings.Contains(res.LeftOut[0], "config/prod.env") {
		t.Errorf("%v", res.LeftOut)
	}
	if strings.Contains(string(res.Feedback), token) || strings.Contains(of(t, res, CheckSecrets).Tail, token) {
		t.Error("the secret itself is shown")
	}
	// Skipping the check does not commit the file, and does not hide that it is missing.
	b.in.Plan.Skip = map[string]string{CheckSecrets: "a test token"}
	res = b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckLeftOut); !strings.Contains(got.Tail, "config/prod.env") {
		t.Errorf("%q", got.Tail)
	}
	must(t, os.Remove(filepath.Join(b.ws.Path, "config", "prod.env")))
	b.in.Plan.Skip = nil
	wantResult(t, b.run(), plans.ResultPassed)
}

func TestSecretsThatTheAgentCommittedFail(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("key.pem", "x\n-----BEGIN PRIVATE KEY-----\n"+fill(64)+"\n-----END PRIVATE KEY-----\n")
	b.git("add", "key.pem")
	b.git("commit", "-qm", "key")
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckSecrets); got.Tail != "key.pem:2: private key" {
		t.Errorf("%q", got.Tail)
	}
	b.git("rm", "-q", "key.pem")
	b.write("other", "x")
	res = b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckSecrets); got.Tail != "key.pem:2: private key, in an earlier commit of this branch" {
		t.Errorf("%q", got.Tail)
	}
	b.in.Plan.Skip = map[string]string{CheckSecrets: "not a real one"}
	wantResult(t, b.run(), plans.ResultUnverified)
}

func TestASecretThatWasThereIsNotTheAgents(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.repo.Write("fixture.txt", "token: ghp_"+fill(36)+"\n")
	base := b.repo.Commit("fixture")
	b.git("merge", "-q", "--ff-only", base)
	b.in.Base = base
	b.write("fixture.txt", "one more line\ntoken: ghp_"+fill(36)+"\n")
	res := b.run()
	wantResult(t, res, plans.ResultUnverified)
	b.git("mv", "fixture.txt", "moved.txt")
	if res := b.run(); of(t, res, CheckSecrets).Result != plans.ResultPassed {
		t.Errorf("after a rename: %s", of(t, res, CheckSecrets).Tail)
	}
}

func TestANestedRepositoryIsNamedNotCommitted(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "true")
	b.write("x", "x")
	testkit.Git(t, b.ws.Path, "init", "-q", "inner")
	testkit.Write(t, b.ws.Path, "inner/f", "x")
	testkit.Commit(t, filepath.Join(b.ws.Path, "inner"), "inner")
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckLeftOut); !strings.Contains(got.Tail, "inner/: a repository of its own") {
		t.Errorf("%q", got.Tail)
	}
	if got := b.git("ls-files", "-s"); strings.Contains(got, "inner") || strings.Contains(got, "160000") {
		t.Errorf("committed: %s", got)
	}
}

func TestSummaryLeavesGeneratedOut(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write(".gitattributes", "made/** linguist-generated\n")
	b.write("made/x.txt", "1\n2\n")
	b.write("package-lock.json", "{}\n")
	b.write("src/x.go", "a\nb\n")
	b.write("src/x_test.go", "a\n")
	b.write("tests/data.txt", "a\n")
	res := b.run()
	d := res.Verification.Diff
	if d.Files != 4 || d.Added != 5 || d.Tests != 2 || !slices.Equal(d.Generated, []string{"made/x.txt", "package-lock.json"}) {
		t.Errorf("%+v", d)
	}
}

func TestLooksLikeTest(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"a_test.go": true, "x/test_a.py": true, "a.test.ts": true, "a.spec.jsx": true, "spec/a_spec.rb": true, "src/__tests__/a.js": true,
		"tests/a": true, "testdata/x.txtar": true, "Test/a": true, "contest.go": false, "latest/a.go": false, "a.go": false, "attest.py": false,
	} {
		if looksLikeTest(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
