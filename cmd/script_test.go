package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tendril/internal/testkit"
)

// TestScripts runs testdata/script/*.txtar: real repositories, the real binary. testdata/script/README.md says what a
// script can do. UPDATE_SCRIPTS=1 writes what `cmp` found into the scripts.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") == "1",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Condition:           scriptCondition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"repo": scriptRepo, "commit": scriptCommit, "snapshot": scriptSnapshot, "unchanged": scriptUnchanged,
			"exits": scriptExits, "wait-for": scriptWaitFor, "empty": scriptEmpty, "project": scriptProject, "set-status": scriptSetStatus,
		},
	})
}

// snapshots keeps what a script's `snapshot` saw.
type snapshots map[string]testkit.State

type (
	snapshotsKey struct{}
	tbKey        struct{}
)

// setupScript gives a script a home of its own, outside its working folder.
func setupScript(env *testscript.Env) error {
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("testscript without testing.TB")
	}
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	keep := map[string]string{}
	for _, name := range []string{"PATH", "WORK", "TMPDIR", "devnull", "/", ":", "$", "exe"} {
		keep[name] = env.Getenv(name)
	}
	env.Vars = testkit.Home(t, home)
	for name, value := range keep {
		env.Setenv(name, value)
	}
	env.Setenv(scriptVariable, strconv.Itoa(os.Getpid()))
	env.Values[snapshotsKey{}], env.Values[tbKey{}] = snapshots{}, t
	return nil
}

func scriptCondition(cond string) (bool, error) {
	return false, errors.New("unknown condition " + cond)
}

// scriptRepo: repo [DIR] makes a repository with one commit, in the current folder or below it. `repo --empty [DIR]`
// makes one without a commit.
func scriptRepo(ts *testscript.TestScript, neg bool, args []string) {
	empty := len(args) > 0 && args[0] == "--empty"
	if empty {
		args = args[1:]
	}
	dir := folder(ts, neg, "repo [--empty] [DIR]", args)
	ts.Check(os.MkdirAll(dir, 0o755))
	scriptGit(ts, dir, "init", "--quiet", "--initial-branch="+testkit.DefaultBranch)
	if !empty {
		scriptGit(ts, dir, "commit", "--quiet", "--allow-empty", "--message=first commit")
	}
}

// scriptCommit: commit MESSAGE [DIR] stages all and commits it as the person.
func scriptCommit(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: commit MESSAGE [DIR]")
	}
	dir := folder(ts, neg, "commit MESSAGE [DIR]", args[1:])
	scriptGit(ts, dir, "add", "--all")
	scriptGit(ts, dir, "commit", "--quiet", "--allow-empty", "--message="+args[0])
}

func scriptGit(ts *testscript.TestScript, dir string, args ...string) {
	ts.Check(ts.Exec("git", append([]string{"-C", dir}, args...)...))
}

// scriptSnapshot: snapshot NAME [DIR] remembers everything of a checkout.
func scriptSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: snapshot NAME [DIR]")
	}
	dir := folder(ts, neg, "snapshot NAME [DIR]", args[1:])
	ts.Value(snapshotsKey{}).(snapshots)[args[0]] = testkit.Snapshot(ts.Value(tbKey{}).(testing.TB), dir)
}

// scriptUnchanged: unchanged NAME [DIR] [-- PREFIX…] compares a checkout with a snapshot; what begins with a prefix
// ("ref refs/heads/tendril/", "file plans/") is left out.
func scriptUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	var without []string
	for i, a := range args {
		if a == "--" {
			args, without = args[:i], args[i+1:]
			break
		}
	}
	if len(args) == 0 {
		ts.Fatalf("usage: unchanged NAME [DIR] [-- PREFIX…]")
	}
	before, ok := ts.Value(snapshotsKey{}).(snapshots)[args[0]]
	if !ok {
		ts.Fatalf("no snapshot %s", args[0])
	}
	after := testkit.Snapshot(ts.Value(tbKey{}).(testing.TB), folder(ts, false, "unchanged NAME [DIR]", args[1:]))
	diff := before.Without(without...).Diff(after.Without(without...))
	switch {
	case diff != "" && !neg:
		ts.Fatalf("changed since snapshot %s (- gone, + new, ~ changed):\n%s", args[0], diff)
	case diff == "" && neg:
		ts.Fatalf("nothing changed since snapshot %s", args[0])
	}
}

// scriptExits: exits CODE COMMAND… runs a command that must end with exactly that exit code.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// scriptWaitFor: wait-for [LIMIT] PATTERN COMMAND… runs a command again and again until its standard output matches the
// regular expression; `! wait-for` until it does not. LIMIT is 20s where it is left out.
func scriptWaitFor(ts *testscript.TestScript, neg bool, args []string) {
	limit := 20 * time.Second
	if len(args) > 0 {
		if d, err := time.ParseDuration(args[0]); err == nil {
			limit, args = d, args[1:]
		}
	}
	if len(args) < 2 {
		ts.Fatalf("usage: wait-for [LIMIT] PATTERN COMMAND [ARGUMENT…]")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	end := time.Now().Add(limit)
	for {
		// A command that fails has not printed it yet.
		_ = ts.Exec(args[1], args[2:]...)
		if pattern.MatchString(ts.ReadFile("stdout")) != neg {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("not within %s: %s\n%s%s", limit, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// scriptEmpty: empty stdout|stderr|FILE asks for nothing in it.
func scriptEmpty(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: empty stdout|stderr|FILE")
	}
	if text := ts.ReadFile(args[0]); (text == "") == neg {
		ts.Fatalf("%s: %q", args[0], text)
	}
}

// folder is the one optional folder of a script's command.
func folder(ts *testscript.TestScript, neg bool, usage string, args []string) string {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: %s", usage)
	}
	if len(args) == 0 {
		return ts.MkAbs(".")
	}
	return ts.MkAbs(args[0])
}
