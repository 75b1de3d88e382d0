package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
	"tendril/plans"
	"tendril/worktree"
)

func TestWhatWasLeftIsCommittedAndVerified(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "grep -q new a.txt && test -f added.txt && test -z \"$(git status --porcelain)\" && echo all well")
	before := b.repo.Snapshot().Without("ref refs/heads/tendril/")
	b.write("a.txt", "one\nnew\n")
	b.write("added.txt", "x\ny\n")
	b.write("some_test.go", "package x\n")
	b.write("x.log", "ignored")
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	if res.Verification.Commit != res.Head || res.Head == b.in.Base || res.Verification.Base != b.in.Base || res.Verification.Version != 1 {
		t.Errorf("%+v", res.Verification)
	}
	if got := b.git("log", "-1", "--format=%an <%ae> %cn %s"); got != "agent <0007-add-search@agent.tendril.localhost> agent 0007-add-search: what the agent left" {
		t.Error(got)
	}
	if got := b.git("show", "--format=", "--name-only", "HEAD"); got != "a.txt\nadded.txt\nsome_test.go" {
		t.Error(got)
	}
	c := of(t, res, "test")
	log := testkit.Read(t, b.logs, "01-test.log")
	if c.Exit == nil || *c.Exit != 0 || c.Tail != "all well\n" || c.Log != fmt.Sprintf("%x", sha256.Sum256([]byte(log))) || !c.Required || c.Seconds <= 0 {
		t.Errorf("%+v", c)
	}
	if want := (plans.DiffSummary{Files: 3, Added: 4, Deleted: 1, Tests: 1}); fmt.Sprint(res.Verification.Diff) != fmt.Sprint(want) {
		t.Errorf("%+v", res.Verification.Diff)
	}
	if brief(res) != "changes passed, scope passed, conflict-markers passed, secrets passed, test passed" || len(res.Feedback) > 0 {
		t.Errorf("%s\n%s", brief(res), res.Feedback)
	}
	if len(res.Diff.Files) != 3 || !strings.Contains(string(res.Diff.Patch), "+new") {
		t.Errorf("%+v", res.Diff)
	}
	before.Unchanged(t, b.repo.Snapshot().Without("ref refs/heads/tendril/"))
	again := b.run()
	if again.Head != res.Head || again.Verification.Result != plans.ResultPassed {
		t.Errorf("again: %+v", again.Verification)
	}
}

// Lesson 77.
func TestNothingChanged(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "touch ran")
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if !res.NoChanges || brief(res) != "changes failed" || !strings.Contains(string(res.Feedback), "nothing was changed") {
		t.Errorf("%v %s\n%s", res.NoChanges, brief(res), res.Feedback)
	}
	if _, err := os.Lstat(filepath.Join(b.ws.Path, "ran")); err == nil {
		t.Error("a check ran on an unchanged tree")
	}
}

func TestACommitThatIsTakenBackIsNoChange(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.git("commit", "-q", "--allow-empty", "-m", "empty")
	if res := b.run(); !res.NoChanges {
		t.Errorf("%s", brief(res))
	}
}

func TestResultWithoutChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		checks []Check
		skip   map[string]string
		want   string
	}{
		"none":                 {nil, nil, plans.ResultUnverified},
		"all skipped":          {[]Check{{Name: "x", Run: "false", Required: true}}, map[string]string{"x": "no time"}, plans.ResultUnverified},
		"one that mends":       {[]Check{{Name: "x", Run: "true", Required: true, Fix: true}}, nil, plans.ResultUnverified},
		"one not required":     {[]Check{{Name: "x", Run: "false"}}, nil, plans.ResultPassed},
		"one of two skipped":   {[]Check{{Name: "x", Run: "false", Required: true}, {Name: "y", Run: "true", Required: true}}, map[string]string{"x": "no"}, plans.ResultPassed},
		"required and failing": {[]Check{{Name: "x", Run: "false", Required: true}, {Name: "y", Run: "true", Required: true}}, nil, plans.ResultFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("new", "x")
			b.in.Checks, b.in.Plan.Skip = c.checks, c.skip
			begun := 0
			b.in.Begin = func(name string, nth, of int) {
				if begun++; nth != begun || of != len(c.checks)-len(c.skip) || c.skip[name] != "" {
					t.Errorf("begin %s: %d of %d", name, nth, of)
				}
			}
			res := b.run()
			wantResult(t, res, c.want)
			if begun != len(c.checks)-len(c.skip) {
				t.Errorf("%d checks were begun", begun)
			}
			for skipped, reason := range c.skip {
				if got := of(t, res, skipped); got.Result != plans.ResultSkipped || got.Tail != reason || got.Exit != nil {
					t.Errorf("%+v", got)
				}
			}
		})
	}
}

// Lessons 92 and 93, and others of their kind.
func TestChecksThatMustNotPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ run, note string }{
		"pipe hides":         {"false | tail -1", "exit code 1"},
		"semicolon hides":    {"false; true", "exit code 1"},
		"first line fails":   {"false\ntrue", "exit code 1"},
		"no test ran":        {"printf '?   \\tx\\t[no test files]\\n'", "it ran no test"},
		"never ends":         {"sleep 9999 & sleep 9999", "time limit"},
		"ends itself":        {"kill -9 $$", "ended by a signal"},
		"no such program":    {"no-such-program", "exit code 127"},
		"syntax error":       {"if", "exit code"},
		"closes its output":  {"exec >&- 2>&-; exit 4", "exit code 4"},
		"prints hugely":      {"yes 'the same line' | head -n 3000000; exit 5", "exit code"},
		"deletes its folder": {"rm -rf ./*; exit 6", "put back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t).checks("test", c.run, "after", "cat a.txt >/dev/null && echo still run")
			b.in.Checks[0].Timeout = 20 * time.Second
			if name == "never ends" {
				b.in.Checks[0].Timeout = time.Second
			}
			b.write("new", "x")
			start := time.Now()
			res := b.run()
			wantResult(t, res, plans.ResultFailed)
			if got := of(t, res, "test"); got.Result != plans.ResultFailed {
				t.Errorf("%+v", got)
			}
			if !strings.Contains(string(res.Feedback), "## test: ") || !strings.Contains(string(res.Feedback), c.note) || !strings.Contains(string(res.Feedback), "command: ") {
				t.Errorf("feedback lacks %q:\n%.2000s", c.note, res.Feedback)
			}
			if len(res.Feedback) > FeedbackLimit {
				t.Errorf("feedback of %d bytes", len(res.Feedback))
			}
			if of(t, res, "after").Result != plans.ResultPassed {
				t.Error("the next check did not run")
			}
			if took := time.Since(start); took > 50*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestACheckThatChangesTrackedFilesFails(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]string{
		"changes": "echo more >> a.txt", "deletes": "rm a.txt", "mode": "chmod +x a.txt", "link": "ln -sf b.txt a.txt", "folder": "rm a.txt; mkdir a.txt; touch a.txt/x",
		"stages": "echo more >> a.txt; git add a.txt", "hides": "echo more >> a.txt; git update-index --assume-unchanged a.txt",
		"skips": "echo more >> a.txt; git update-index --skip-worktree a.txt", "same size, old time": "printf 'ONE\\ntwo\\n' > a.txt; touch -d '2020-01-01' a.txt",
		"index gone": "echo more >> a.txt; rm \"$(git rev-parse --git-dir)/index\"", "moved": "mv a.txt c.txt", "linked folder": "rm a.txt; rm -rf plans; mkdir ../elsewhere; ln -s ../elsewhere plans",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t).checks("bad", run, "good", "test \"$(cat a.txt)\" = \"$(printf 'one\\ntwo')\" && test ! -x a.txt && test ! -L a.txt")
			b.write("new", "x")
			res := b.run()
			wantResult(t, res, plans.ResultFailed)
			if got := of(t, res, "bad"); got.Result != plans.ResultFailed || !strings.Contains(got.Tail, "a.txt") || *got.Exit != 0 {
				t.Errorf("%+v", got)
			}
			if got := of(t, res, "good"); got.Result != plans.ResultPassed {
				t.Errorf("the file was not put back: %+v", got)
			}
			if got := testkit.Read(t, b.ws.Path, "a.txt"); got != "one\ntwo\n" {
				t.Errorf("a.txt: %q", got)
			}
			if got := b.git("diff", "HEAD", "--stat"); got != "" {
				t.Errorf("differs from HEAD: %s", got)
			}
		})
	}
}

func TestHiddenBeforeVerificationIsSeen(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "grep -q changed a.txt")
	b.write("new", "x")
	b.git("add", "new")
	b.git("commit", "-q", "-m", "work")
	b.write("a.txt", "changed\n")
	b.git("update-index", "--assume-unchanged", "a.txt")
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	if got := b.git("show", "HEAD:a.txt"); got != "changed" {
		t.Errorf("what the check saw is not in the commit: %q", got)
	}
}

func TestFilesThatACheckMakesStayOutOfTheWork(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "date +%N > coverage.out; mkdir -p cache && echo x > cache/one; ln -sf a.txt link; echo kept > kept", "second", "test -f coverage.out")
	b.write("new", "x")
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	b.write("more", "y")
	if err := os.WriteFile(filepath.Join(b.ws.Path, "kept"), []byte("now the agent's\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.in.Checks[0].Run = "date +%N > coverage.out"
	res = b.run()
	wantResult(t, res, plans.ResultPassed)
	if got := b.git("diff", "--name-only", b.in.Base, "HEAD"); got != "kept\nmore\nnew" {
		t.Errorf("committed: %s", got)
	}
	for _, f := range []string{"coverage.out", "cache/one", "link"} {
		if _, err := os.Lstat(filepath.Join(b.ws.Path, f)); err != nil {
			t.Errorf("deleted: %v", err)
		}
	}
	if left, err := b.ws.CommitLeftovers(t.Context(), worktree.Leftovers{Ident: agent, Message: "x"}); err != nil || left.Committed {
		t.Errorf("%+v %v", left, err)
	}
}

func TestAMendingCheckIsCommitted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("new.txt", "upper\n")
	b.in.Checks = []Check{
		{Name: "test", Run: "grep -q UPPER new.txt && grep -q made made.txt", Required: true},
		{Name: "format", Run: "tr a-z A-Z < new.txt > t && mv t new.txt && echo made > made.txt", Required: true, Fix: true},
		{Name: "broken", Run: "echo junk >> a.txt; echo junk > junk.txt; exit 3", Fix: true},
	}
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	if got := b.git("log", "--format=%an %s", b.in.Base+".."); got != "agent 0007-add-search: check format mended this\nagent 0007-add-search: what the agent left" {
		t.Error(got)
	}
	if got := b.git("diff", "--name-only", b.in.Base, "HEAD"); got != "made.txt\nnew.txt" {
		t.Error(got)
	}
	if got := testkit.Read(t, b.ws.Path, "a.txt"); got != "one\ntwo\n" {
		t.Errorf("a.txt: %q", got)
	}
	if got := of(t, res, "broken"); got.Result != plans.ResultFailed || *got.Exit != 3 {
		t.Errorf("%+v", got)
	}
	if res.Verification.Commit != res.Head {
		t.Error("another commit was verified")
	}
	if again := b.run(); again.Head != res.Head {
		t.Error("it mended again")
	}
}

func TestAMendingCheckCannotMendOutsideTheScope(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.in.Plan.Scope = []string{"src/**"}
	b.write("src/x", "x")
	b.in.Checks = []Check{{Name: "format", Run: "echo x >> a.txt", Required: true, Fix: true}}
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, CheckScope); !strings.Contains(got.Tail, "a.txt: outside the scope (src/**)") {
		t.Errorf("%+v", got)
	}
}

func TestHeadMovedOnceIsVerifiedAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "if [ ! -f \"$MOVED\" ]; then touch \"$MOVED\"; echo mended > by-hand; git add by-hand; git commit -qm 'by hand'; fi; test -f by-hand")
	b.in.Env = []string{"MOVED=" + filepath.Join(t.TempDir(), "moved")}
	b.write("new", "x")
	var lines []string
	b.in.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	if got := b.git("log", "-1", "--format=%s"); got != "by hand" || res.Verification.Commit != res.Head {
		t.Errorf("%s %+v", got, res.Verification)
	}
	if len(res.Diff.Files) != 2 || !strings.Contains(strings.Join(lines, "\n"), "verified again") {
		t.Errorf("%+v %v", res.Diff.Files, lines)
	}
}

func TestACheckThatMovesHeadEveryTimeFails(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("mover", "git commit -q --allow-empty -m moved", "never", "touch \"$NEVER\"")
	never := filepath.Join(t.TempDir(), "never")
	b.in.Env = []string{"NEVER=" + never}
	b.write("new", "x")
	res := b.run()
	wantResult(t, res, plans.ResultFailed)
	if got := of(t, res, "mover"); got.Result != plans.ResultFailed || !strings.Contains(got.Tail, "HEAD moved from") {
		t.Errorf("%+v", got)
	}
	if res.Verification.Commit == res.Head {
		t.Error("the moved head is said to be verified")
	}
	if _, err := os.Lstat(never); err == nil {
		t.Error("checks went on")
	}
}

func TestACheckThatLeavesTheBranchIsAnError(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("mover", "git switch -q -c elsewhere")
	b.write("new", "x")
	_, err := Run(t.Context(), b.in)
	if off := (*worktree.OffBranchError)(nil); !errors.As(err, &off) || !strings.Contains(err.Error(), "check mover") {
		t.Errorf("%v", err)
	}
}

// Lesson 58.
func TestALostWorktreeIsNotVerifiedElsewhere(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(b *bed){
		"removed": func(b *bed) { b.repo.Git("worktree", "remove", "-f", "-f", b.ws.Path) },
		"deleted": func(b *bed) { must(b.t, os.RemoveAll(b.ws.Path)) },
		"replaced": func(b *bed) {
			must(b.t, os.RemoveAll(b.ws.Path))
			must(b.t, os.Symlink(b.repo.Dir, b.ws.Path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := filepath.Join(t.TempDir(), "ran")
			b := newBed(t).checks("test", "touch "+ran)
			b.write("new", "x")
			lose(b)
			if _, err := Run(t.Context(), b.in); !errors.As(err, new(*worktree.LostError)) {
				t.Errorf("%v", err)
			}
			if _, err := os.Lstat(ran); err == nil {
				t.Error("the check ran all the same")
			}
		})
	}
}

func TestACheckThatDestroysTheWorktreeIsAnError(t *testing.T) {
	t.Parallel()
	b := newBed(t).checks("test", "cd .. && git -C \"$OLDPWD\" worktree remove -f -f \"$OLDPWD\"; true")
	b.write("new", "x")
	if _, err := Run(t.Context(), b.in); !errors.As(err, new(*worktree.LostError)) {
		t.Errorf("%v", err)
	}
}

func TestCancelledIsAnErrorNeverAFailedCheck(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.checks("test", "echo junk >> a.txt; echo junk > junk.txt; touch ignored.log; sleep 600")
	b.write("new", "x")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, b.in)
		done <- err
	}()
	testkit.Eventually(t, 30*time.Second, func() bool { _, err := os.Lstat(filepath.Join(b.ws.Path, "ignored.log")); return err == nil })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if got := testkit.Read(t, b.ws.Path, "a.txt"); got != "one\ntwo\n" {
		t.Errorf("a.txt: %q", got)
	}
	b.checks("test", "true")
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	if got := b.git("diff", "--name-only", b.in.Base, "HEAD"); got != "new" {
		t.Errorf("what the check was doing passes for the agent's work: %s", got)
	}
}

func TestProcessesOfADeadEnginesCheckAreEnded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by their environment on linux only")
	}
	b := newBed(t)
	dir := t.TempDir()
	// What a check of an engine that was killed would have left: the mark in its environment is all that ties it to us.
	mark := "TENDRIL_CHECK=" + b.ws.GitDir
	script := filepath.Join(dir, "left")
	must(t, os.WriteFile(script, []byte("#!/bin/bash\n(setsid bash -c 'while :; do touch "+dir+"/alive; sleep 0.05; done' >/dev/null 2>&1 &)\n"), 0o755))
	startLeft(t, script, mark)
	testkit.Eventually(t, 20*time.Second, func() bool { _, err := os.Lstat(filepath.Join(dir, "alive")); return err == nil })
	b.checks("test", "rm -f "+dir+"/alive; sleep 0.4; test ! -e "+dir+"/alive")
	b.write("new", "x")
	wantResult(t, b.run(), plans.ResultPassed)
}

func TestChecksSeeNoSecretsAndNoEngine(t *testing.T) {
	// The environment of this process is what is tested: not parallel.
	t.Setenv("FORGE_TOKEN", "s3cr3t-forge-value")
	t.Setenv("TENDRIL_RUN", "run-1")
	t.Setenv("TENDRIL_PLAN", "0007")
	t.Setenv("CLAUDECODE", "1")
	b := newBed(t).checks("test", "env | sort > env.log; echo \"$ASKED_TOKEN $TENDRIL_SLOT\"")
	b.in.Env = []string{"ASKED_TOKEN=asked-for-this"}
	b.write("new", "x")
	res := b.run()
	wantResult(t, res, plans.ResultPassed)
	env := testkit.Read(t, b.ws.Path, "env.log")
	for _, gone := range []string{"s3cr3t", "TENDRIL_RUN", "TENDRIL_PLAN", "CLAUDECODE"} {
		if strings.Contains(env, gone) {
			t.Errorf("%s is there:\n%s", gone, env)
		}
	}
	if !strings.Contains(env, "\nCI=1\n") || of(t, res, "test").Tail != "asked-for-this 1\n" {
		t.Errorf("%q\n%s", of(t, res, "test").Tail, env)
	}
}

func TestSecretsInOutputAreMasked(t *testing.T) {
	t.Parallel()
	token := "ghp_" + fill(36)
	b := newBed(t).checks("test", "echo 'ghp_'"+fill(36)+"; echo values-of-mine; exit 1")
	b.in.Secrets = []string{"values-of-mine"}
	b.write("new", "x")
	res := b.run()
	for name, text := range map[string]string{"tail": of(t, res, "test").Tail, "feedback": string(res.Feedback)} {
		out := text[strings.LastIndex(text, "command:")+1:]
		if i := strings.IndexByte(out, '\n'); name == "feedback" && i > 0 {
			out = out[i:]
		}
		if strings.Contains(out, token) || strings.Contains(out, "values-of-mine") || !strings.Contains(out, "[redacted]") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if !strings.Contains(testkit.Read(t, b.logs, "01-test.log"), token) {
		t.Error("the log is not what was printed")
	}
}
