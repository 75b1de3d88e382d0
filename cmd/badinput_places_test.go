//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

// situation is a place where something is not as it should be.
type situation struct {
	name string
	make func(*place)
	// refused are the commands that cannot work, says what their errors hold; works are the commands that do.
	refused, works [][]string
	says           string
	// then looks further, when nothing more is compared.
	then func(*place)
}

func situations() []situation {
	return slices.Concat(noRepository(), oddRepositories(), damagedRepositories(), wrongFiles(), lostThings(), otherUsers())
}

func all() [][]string { return slices.Concat(readers(), writers()) }

func noRepository() []situation {
	return []situation{
		{
			name: "no repository", refused: slices.Concat(all(), others()), says: "not a git repository\n  run tendril inside a repository",
			make: func(p *place) { p.dir = testkit.TempDir(p.t) },
		},
		{
			name: "no commit", refused: slices.Concat(few(), [][]string{{"new", "A title"}, {"list"}}), says: "no commit yet\n  make one: git commit",
			make: func(p *place) {
				p.dir = filepath.Join(p.root, "empty")
				testkit.Git(p.t, p.root, "init", "--quiet", p.dir)
			},
		},
		{
			name: "no git", refused: slices.Concat(few(), [][]string{{"demo"}}), says: "there is no git on PATH\n  install git 2.39",
			make: func(p *place) {
				p.program = tendrilHere(p.t)
				p.env = testkit.Setenv(p.env, "PATH", testkit.TempDir(p.t))
			},
		},
		{
			name: "an old git", refused: slices.Concat(few(), others(), [][]string{{"demo"}}), says: "git 2.30.2 is too old: ",
			make: func(p *place) {
				bin := testkit.TempDir(p.t)
				testkit.Write(p.t, bin, "git", "#!/bin/sh\necho git version 2.30.2\n")
				if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
					p.t.Fatal(err)
				}
				p.env = testkit.Setenv(p.env, "PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			},
		},
		{
			name: "a folder that is not there", refused: [][]string{{"-C", "nowhere", "list"}, {"-C", "nowhere", "new", "A title"}}, says: "no such folder\n  give one",
			make: func(*place) {},
		},
		{
			name: "no identity", refused: [][]string{{"new", "A title"}, {"edit", "1"}, {"approve", "1"}, {"accept", "2"}}, works: readers()[:3],
			says: "git does not know who you are\n  git config",
			make: func(p *place) { p.env = testkit.Setenv(p.env, "GIT_CONFIG_GLOBAL", os.DevNull) },
		},
	}
}

// oddRepositories are unusual, and no reason not to work.
func oddRepositories() []situation {
	odd := func(name string, run bool, make func(*place)) situation {
		return situation{name: name, works: [][]string{{"status"}, {"diff", "2"}, {"path", "2"}}, make: make, then: func(p *place) {
			p.works([]string{"approve", "1"})
			if run {
				p.works([]string{"run", "--once", "1"})
			}
		}}
	}
	return []situation{
		odd("a bare repository", true, func(p *place) {
			p.git("config", "core.bare", "true")
			p.dir = filepath.Join(p.repo, ".git")
		}),
		odd("a detached HEAD", false, func(p *place) { p.git("checkout", "--quiet", "--detach") }),
		odd("HEAD on a branch that is not there", true, func(p *place) { p.git("symbolic-ref", "HEAD", "refs/heads/nowhere") }),
		odd("a linked worktree", true, func(p *place) {
			p.dir = filepath.Join(p.root, "linked")
			p.git("worktree", "add", "--quiet", "--detach", p.dir)
		}),
		odd("a plan's worktree", false, func(p *place) { p.dir = filepath.Join(p.root, "repo.worktrees", "0002-second") }),
		odd("variables of git for another repository", false, func(p *place) {
			p.env = append(p.env, "GIT_DIR=/nonexistent", "GIT_WORK_TREE=/nonexistent", "GIT_INDEX_FILE=/nonexistent")
		}),
		{
			name: "a path with spaces, signs and a line end", works: [][]string{{"list"}, {"status"}, {"doctor"}, {"show", "1"}},
			make: func(p *place) {
				p.dir = filepath.Join(p.root, "re po\n'ü")
				if err := os.Rename(p.repo, p.dir); err != nil {
					p.t.Fatal(err)
				}
			},
			then: func(p *place) { p.works([]string{"new", "A title"}) },
		},
		{
			name: "a shallow clone", refused: [][]string{{"diff", "2"}}, says: "cut off in this clone (shallow)", works: [][]string{{"list"}, {"status"}, {"show", "2"}, {"doctor"}},
			make: func(p *place) {
				p.dir = filepath.Join(p.root, "shallow")
				testkit.Git(p.t, p.root, "clone", "--quiet", "--depth=1", "file://"+p.repo, p.dir)
			},
			then: func(p *place) { p.works([]string{"new", "A title"}) },
		},
		{
			name: "a submodule", works: [][]string{{"list"}, {"status"}, {"doctor"}},
			make: func(p *place) {
				super := filepath.Join(p.root, "super")
				testkit.Git(p.t, p.root, "init", "--quiet", super)
				testkit.Git(p.t, super, "submodule", "--quiet", "add", p.repo, "sub")
				p.dir = filepath.Join(super, "sub")
			},
			then: func(p *place) { p.works([]string{"new", "A title"}) },
		},
	}
}

func damagedRepositories() []situation {
	return []situation{
		{
			name: "broken configuration of git", refused: few(), says: ".git/config:",
			make: func(p *place) { appendTo(p.t, filepath.Join(p.repo, ".git", "config"), "[broken\n") },
		},
		{
			name: "no objects", refused: few(), says: "damaged: git fsck",
			make: func(p *place) {
				if err := os.RemoveAll(filepath.Join(p.repo, ".git", "objects")); err != nil {
					p.t.Fatal(err)
				}
				testkit.Write(p.t, p.repo, ".git/objects/info/x", "")
			},
		},
		{
			name: "an index that is none", refused: [][]string{{"approve", "1"}, {"new", "A title"}}, says: "git reset makes a new one", works: readers()[:3],
			make: func(p *place) { testkit.Write(p.t, p.repo, ".git/index", "garbage") },
		},
	}
}

func wrongFiles() []situation {
	config := func(content string) func(*place) {
		return func(p *place) { p.commit(".tendril/config.yaml", content) }
	}
	plan := func(front string) func(*place) {
		return func(p *place) { p.commit("plans/0001-first/plan.md", "---\n"+front+"---\n") }
	}
	bad := [][]string{{"approve", "1"}, {"icebox", "1"}}
	rest := [][]string{{"list"}, {"status"}, {"show", "1"}, {"diff", "2"}, {"doctor"}}
	return []situation{
		{name: "a configuration with an unknown key", refused: all(), make: config("paralel: 3\n"), says: ".tendril/config.yaml:1:1: unknown key \"paralel\"\n  did you mean parallel?"},
		{name: "a configuration of a wrong type", refused: few(), make: config("parallel: many\n"), says: "config.yaml:1:11: parallel: \"many\" is not a whole number\n  write it"},
		{name: "a configuration that is not YAML", refused: few(), make: config("agent: [script\n"), says: "config.yaml:1:1: this is not YAML"},
		{name: "a configuration that is a list", refused: few(), make: config("[]\n"), says: "must be a mapping"},
		{
			name: "a configuration that is a folder", refused: few(), says: "config.yaml:1:1: this is a folder",
			make: func(p *place) {
				p.git("rm", "--quiet", ".tendril/config.yaml")
				p.commit(".tendril/config.yaml/x", "")
			},
		},
		{name: "this machine's configuration with an unknown key", refused: few(), says: "tendril/config.yaml:1:1: unknown key", make: func(p *place) { testkit.Write(p.t, p.repo, ".git/tendril/config.yaml", "x: 1\n") }},
		{name: "a plan that is not YAML", refused: bad, works: rest, make: plan("title: [x\nstatus: draft\n"), says: "plans/0001-first/plan.md:2:1: the front matter is not YAML", then: othersGoOn},
		{name: "a plan of a wrong type", refused: bad, works: rest, make: plan("title: x\nstatus: draft\npriority: high\n"), says: "plan.md:4:11: priority: \"high\" is not a whole number\n  write it"},
		{name: "plans that are a file", refused: slices.Concat(few(), [][]string{{"new", "A title"}, {"list"}}), says: "plans: this is a file", make: func(p *place) {
			p.git("rm", "-r", "--quiet", "plans")
			p.commit("plans", "x")
		}},
		{name: "plans that are a link", refused: few(), says: "plans: this is a symbolic link", make: func(p *place) {
			p.git("mv", "plans", "real")
			if err := os.Symlink("real", filepath.Join(p.repo, "plans")); err != nil {
				p.t.Fatal(err)
			}
			testkit.Commit(p.t, p.repo, "link")
		}},
		{name: "an agent that is not installed", works: rest[:4], make: config("agent: codex\n"), then: agentMissing("codex is not on PATH")},
		{name: "an agent that is not known", works: rest[:4], make: config("agent: claud\n"), then: agentMissing("no agent \"claud\" here")},
	}
}

// othersGoOn approves another plan beside a broken one.
func othersGoOn(p *place) {
	p.works([]string{"new", "Third", "--body", "-"})
	p.works([]string{"approve", "3"})
	if code, out, errs := p.call([]string{"run", "--once"}); code != ExitFailed || !strings.Contains(out, "0003-third  is in-review now") {
		p.t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// agentMissing runs a plan whose agent is not there: it is said, nothing is started, and the plan stays approved.
func agentMissing(says string) func(*place) {
	return func(p *place) {
		p.t.Helper()
		p.env = testkit.Setenv(p.env, "PATH", withoutAgents(p.t))
		p.works([]string{"approve", "1"})
		before := p.everything()
		code, out, errs := p.call([]string{"run", "--once"})
		if code != ExitFailed || !strings.Contains(out, says) || !strings.Contains(errs, "cannot go on\n  see tendril status") {
			p.t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		if after := p.everything(); before != after {
			p.t.Errorf("something changed:\n%s", lineDifference(before, after))
		}
	}
}

// withoutAgents is a PATH with git, bash and tendril alone.
func withoutAgents(t *testing.T) string {
	t.Helper()
	bin := testkit.TempDir(t)
	for _, name := range []string{"git", "bash", "sh", "tendril"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

func lostThings() []situation {
	return []situation{
		{
			name: "a worktree that is gone", refused: [][]string{{"path", "2"}, {"check", "2"}, {"shell", "2", "--", "true"}}, says: "is lost: the folder is gone\n  what was committed", works: readers()[:4],
			make: func(p *place) {
				if err := os.RemoveAll(filepath.Join(p.root, "repo.worktrees", "0002-second")); err != nil {
					p.t.Fatal(err)
				}
			},
		},
		{
			name: "a folder for temporary files that is not there", refused: [][]string{{"diff", "2"}, {"demo"}}, says: "TMPDIR names a folder that is not there",
			make: func(p *place) { p.env = testkit.Setenv(p.env, "TMPDIR", filepath.Join(p.root, "nowhere")) },
		},
		{
			name: "no work yet", refused: [][]string{{"diff", "1"}, {"path", "1"}, {"check", "1"}, {"logs", "1"}}, says: "0001-first has no ",
			make: func(*place) {},
		},
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(data, text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tendrilHere is the program's own file, for where PATH does not lead to it.
func tendrilHere(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("tendril")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
