package record

import (
	"strings"
	"testing"

	"tendril/internal/testkit"
)

// Whatever a person has set, the commit is the same, their own commands go through afterwards, and no program of theirs is run.
func TestOddSettings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mark := f.Dir + "/.git/ran"
	program := testkit.WriteScript(t, f.Dir, ".git/program", "#!/bin/sh\necho ran >>'"+mark+"'\nexit 1\n")
	for _, kv := range []string{
		"core.fsmonitor=" + program, "diff.external=" + program, "core.pager=" + program, "core.editor=" + program, "color.ui=always",
		"status.short=true", "status.branch=true", "status.showUntrackedFiles=no", "push.default=matching", "core.quotePath=true",
		"commit.template=/nowhere", "commit.gpgsign=true", "gpg.program=" + program, "core.untrackedCache=true", "index.threads=true",
		"feature.manyFiles=true", "diff.ignoreSubmodules=all", "merge.conflictStyle=zdiff3", "core.commentChar=;", "advice.statusHints=false",
	} {
		name, value, _ := strings.Cut(kv, "=")
		f.Git("config", name, value)
	}
	f.Git("-c", "core.fsmonitor=false", "update-index", "-q", "--refresh")
	if _, err := f.recorder().Commit(t.Context(), build(standard)); err != nil {
		t.Fatal(err)
	}
	if got := f.onDisk(".git/ran"); got != "-" {
		t.Errorf("a program of theirs ran: %s", got)
	}
	f.checkOnDisk(standard)
	if got := testkit.Git(t, f.Dir, "-c", "core.fsmonitor=false", "-c", "color.ui=false", "status", "--porcelain", "-uall"); got != "" {
		t.Errorf("status: %s", got)
	}
}

// While a person looks for a fault by bisection the branch goes on; when they are done they are back on it, and clean.
func TestBisect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, text := range []string{"one", "two", "three"} {
		f.Write("src/code.go", "package "+text+"\n")
		f.Commit(text)
	}
	f.Git("bisect", "start", "HEAD", "HEAD~3")
	at := f.Head()
	if _, err := f.recorder().Commit(t.Context(), build(standard)); err != nil {
		t.Fatal(err)
	}
	if f.Head() != at || f.status() != "" {
		t.Errorf("bisecting at %s, not at %s: %s", f.Head(), at, f.status())
	}
	f.Git("bisect", "reset")
	f.checkOnDisk(standard)
	if got := f.status(); got != "" {
		t.Errorf("status: %s", got)
	}
}

// A cherry-pick that stands at a conflict elsewhere goes on, and is given up, as if nothing had happened.
func TestCherryPickInProgress(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"--continue", "--abort"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Git("checkout", "-q", "-b", "side")
			f.Write("src/code.go", "package side\n")
			f.Commit("side")
			f.Git("checkout", "-q", "main")
			f.Write("src/code.go", "package main\n")
			f.Commit("main")
			if _, err := testkit.TryGit(t, f.Dir, nil, "cherry-pick", "side"); err == nil {
				t.Fatal("no conflict")
			}
			f.record()
			if end == "--continue" {
				f.Write("src/code.go", "package both\n")
				f.Git("add", "src/code.go")
				f.Git("-c", "core.editor=true", "cherry-pick", end)
			} else {
				// git itself does not rewind a branch that moved meanwhile; the conflict stays to be cleared away.
				f.Git("cherry-pick", end)
				f.Git("checkout", "-q", "HEAD", "--", "src/code.go")
			}
			f.checkCommitted(standard)
			f.checkOnDisk(standard)
			if got := f.status(); got != "" {
				t.Errorf("status: %s", got)
			}
		})
	}
}
