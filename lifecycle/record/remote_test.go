package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tendril/internal/git"
	"tendril/internal/testkit"
)

// shared is a bare remote with a plan on main, and clones of it.
type shared struct {
	t      *testing.T
	origin string
}

func newShared(t *testing.T) shared {
	t.Helper()
	f := newFixture(t)
	return shared{t, f.Remote()}
}

func (s shared) clone(args ...string) fixture {
	s.t.Helper()
	return fixture{testkit.Clone(s.t, s.origin, args...), s.t}
}

// sharing is a clone's recorder with the remote as the truth.
func (f fixture) sharing() *Recorder {
	f.t.Helper()
	r := f.recorder()
	if err := os.MkdirAll(r.Runtime, 0o700); err != nil {
		f.t.Fatal(err)
	}
	r.Remote = &Remote{Repo: r.Repo, Runtime: r.Runtime, Name: "origin", Branch: "main"}
	return r
}

func (s shared) tip(branch string) string {
	s.t.Helper()
	return testkit.Git(s.t, s.origin, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
}

func TestRemoteCommit(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	a := s.clone()
	res, err := a.sharing().Commit(t.Context(), build(standard))
	if err != nil {
		t.Fatal(err)
	}
	if tip := s.tip("main"); tip != res.Commit || a.Head() != tip {
		t.Errorf("remote at %s, here at %s, committed %s", tip, a.Head(), res.Commit)
	}
	a.checkOnDisk(standard)
	if got := a.status(); got != "" {
		t.Errorf("status: %s", got)
	}
	if got := a.Git("rev-parse", "refs/remotes/origin/main"); got != res.Commit {
		t.Errorf("git status compares with %s", got)
	}
	again, err := a.sharing().Commit(t.Context(), build(standard))
	if err != nil || again.Commit != "" {
		t.Errorf("nothing to do: %+v, %v", again, err)
	}
}

// A person's commits are theirs to push: the local branch stays, and what is pushed has nothing of them.
func TestRemoteNeverPublishes(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	a, b := s.clone(), s.clone()
	a.Write("src/code.go", "package mine\n")
	own := a.Commit("mine, not published")
	snapshot := a.Snapshot()
	res, err := a.sharing().Commit(t.Context(), build(standard))
	if err != nil {
		t.Fatal(err)
	}
	if res.Behind == "" || a.Head() != own {
		t.Errorf("said %q, HEAD %s", res.Behind, a.Head())
	}
	if diff := snapshot.Diff(a.Snapshot()); strings.Contains(diff, "file ") || strings.Contains(diff, "refs/heads") {
		t.Errorf("changed here:\n%s", diff)
	}
	if out := testkit.Git(t, s.origin, "log", "--format=%H", "main"); strings.Contains(out, own) {
		t.Error("the person's commit is at the remote")
	}
	// Once they rebase and push, all is one line again.
	a.Git("pull", "--quiet", "--rebase")
	a.Git("push", "--quiet")
	if _, err := b.sharing().Commit(t.Context(), build(map[string]*string{recordPath: ptr("version: 1\nround: 3\n")})); err != nil {
		t.Fatal(err)
	}
	if b.Head() != s.tip("main") || b.onDisk("src/code.go") != "package mine\n" {
		t.Error("the other clone did not follow")
	}
}

// Two clones and a person push at once: every commit gets in, once, on one line.
func TestRemoteManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	const each = 5
	var wg sync.WaitGroup
	for i := range 2 {
		r := s.clone().sharing()
		wg.Go(func() {
			for n := range each {
				file := fmt.Sprintf("plans/0001-one/from-%d-%d", i, n)
				if _, err := r.Commit(t.Context(), build(map[string]*string{file: ptr("x\n")})); err != nil {
					t.Errorf("clone %d: %v", i, err)
				}
			}
		})
	}
	person := s.clone()
	for n := range each {
		person.Write("mine.txt", fmt.Sprint(n))
		person.Commit("mine")
		for {
			if _, err := testkit.TryGit(t, person.Dir, nil, "push", "--quiet"); err == nil {
				break
			}
			person.Git("pull", "--quiet", "--rebase")
		}
	}
	wg.Wait()
	if got := testkit.Git(t, s.origin, "rev-list", "--count", "--merges", "main"); got != "0" {
		t.Errorf("%s merges", got)
	}
	if got := testkit.Git(t, s.origin, "log", "--format=%s", "main", "--", "plans/0001-one/from-*"); strings.Count(got, "\n")+1 != 2*each {
		t.Errorf("of the clones got in:\n%s", got)
	}
}

func TestRemoteTroubles(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	a := s.clone()
	r := a.sharing()
	if _, err := r.Remote.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := s.tip("main")
	commit := func() error {
		_, err := r.Commit(t.Context(), build(standard))
		return err
	}
	trouble := func(want string) {
		t.Helper()
		h, err := ReadHealth(r.Runtime)
		if err != nil || !strings.Contains(h.Trouble, want) || want == "" && h.Trouble != "" {
			t.Errorf("noted %+v (%v), want %q", h, err, want)
		}
	}

	// The server refuses: its words, and nothing lost here.
	testkit.WriteScript(t, s.origin, "hooks/pre-receive", "#!/bin/sh\necho 'main is protected, ask Petra' >&2\nexit 1\n")
	var refused *RefusedError
	if err := commit(); !errors.As(err, &refused) || !strings.Contains(refused.Words, "main is protected, ask Petra") {
		t.Errorf("refused: %v", err)
	}
	trouble("ask Petra")
	if _, err := r.Remote.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	trouble("ask Petra") // an answer to a question is no push that worked
	if err := os.Remove(filepath.Join(s.origin, "hooks/pre-receive")); err != nil {
		t.Fatal(err)
	}

	// It cannot be reached.
	a.Git("remote", "set-url", "origin", s.origin+".gone")
	var unreachable *git.RemoteError
	if _, err := r.Remote.Refresh(t.Context()); !errors.As(err, &unreachable) {
		t.Errorf("unreachable: %v", err)
	}
	if err := commit(); !errors.As(err, &unreachable) {
		t.Errorf("unreachable: %v", err)
	}
	trouble("origin does not answer")
	a.Git("remote", "set-url", "origin", s.origin)

	// Its branch is deleted: it is not made again.
	testkit.Git(t, s.origin, "branch", "keep", "main")
	testkit.Git(t, s.origin, "update-ref", "-d", "refs/heads/main")
	var gone *GoneError
	if _, err := r.Remote.Refresh(t.Context()); !errors.As(err, &gone) || gone.Known != before {
		t.Errorf("deleted: %v", err)
	}
	if err := commit(); !errors.As(err, &gone) {
		t.Errorf("deleted: %v", err)
	}
	testkit.Git(t, s.origin, "update-ref", "refs/heads/main", before)

	// It is set back, behind a commit that this clone has seen: that is not followed, and nothing is pushed over it.
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	trouble("")
	testkit.Git(t, s.origin, "update-ref", "refs/heads/main", before)
	var rewound *RewoundError
	if _, err := r.Commit(t.Context(), build(map[string]*string{newPath: ptr("failed\n")})); !errors.As(err, &rewound) || rewound.There != before {
		t.Errorf("set back: %v", err)
	}
	if got := s.tip("main"); got != before {
		t.Errorf("the remote moved to %s", got)
	}
	trouble("set back")
	tip, err := r.Remote.Accept(t.Context())
	if err != nil || tip != before {
		t.Errorf("accepted %s, %v", tip, err)
	}
	trouble("")
	if err := commit(); err != nil {
		t.Errorf("after --follow: %v", err)
	}
}

// Any program can write a remote-tracking branch: what stands there alone is never noted, pushed on or taken for the remote's.
func TestRemoteTrackingIsNoProof(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	a := s.clone()
	remote := a.sharing().Remote
	if _, err := remote.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := s.tip("main")
	a.Git("checkout", "--quiet", "--detach")
	a.Write("forged", "x")
	forged := a.Commit("forged")
	a.Git("checkout", "--quiet", "main")
	a.Git("update-ref", "refs/remotes/origin/main", forged)
	var rewound *RewoundError
	if there, err := remote.Holds(t.Context(), forged); !errors.As(err, &rewound) || !rewound.Unproven || there {
		t.Errorf("holds what was forged: %v, %v", there, err)
	}
	if got := a.Git("rev-parse", KnownRef("origin", "main")); got != before {
		t.Errorf("noted %s", got)
	}
	if _, err := a.sharing().Commit(t.Context(), build(standard)); !errors.As(err, &rewound) || s.tip("main") != before {
		t.Errorf("pushed on what was forged: %v", err)
	}
	if tip, err := remote.Accept(t.Context()); err != nil || tip != before || a.Git("rev-parse", "refs/remotes/origin/main") != before {
		t.Errorf("followed to %s: %v", tip, err)
	}

	// What a person's own fetch brought is known, and noted once the remote has said so.
	b := s.clone()
	if _, err := b.sharing().Commit(t.Context(), build(standard)); err != nil {
		t.Fatal(err)
	}
	a.Git("fetch", "--quiet")
	if tip, err := remote.Known(t.Context()); err != nil || tip != s.tip("main") {
		t.Errorf("known: %s %v", tip, err)
	}
	if there, err := remote.Holds(t.Context(), s.tip("main")); err != nil || !there || a.Git("rev-parse", KnownRef("origin", "main")) != s.tip("main") {
		t.Errorf("fetched by the person: %v, %v", there, err)
	}
}

// What others changed comes in as a whole or not at all; what Tendril writes does not wait for a person's edits.
func TestFollowIsCareful(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	a, b := s.clone(), s.clone()
	edited := strings.Replace(planText, "Words.", "My words.", 1)
	a.Write(planPath, edited)
	a.Write(recordPath, "mine\n")
	if _, err := b.sharing().Commit(t.Context(), build(standard)); err != nil {
		t.Fatal(err)
	}
	follow := func() string {
		t.Helper()
		r := a.sharing()
		if _, err := r.Remote.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		to, err := r.Remote.Known(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Follow(t.Context(), r.Repo, r.Runtime, Follower{Ref: r.Ref, To: to, PlansDir: "plans", By: tendril})
		if err != nil {
			t.Fatal(err)
		}
		return got.Behind
	}
	if why := follow(); why != "" || a.Head() != s.tip("main") {
		t.Errorf("stays: %s", why)
	}
	if got := a.onDisk(planPath); got != withStatus(edited, "executing") {
		t.Errorf("plan: %q", got)
	}
	if got := a.onDisk(recordPath); got != "mine\n" {
		t.Errorf("record: %q", got)
	}
	a.Git("checkout", "--", recordPath)

	// Another person changed the text of the plan, and code.
	b.Write(planPath, strings.Replace(withStatus(planText, "executing"), "Words.", "Their words.", 1))
	b.Commit("their words")
	b.Write("src/code.go", "package theirs\n")
	b.Commit("their code")
	b.Git("push", "--quiet")
	at := a.Head()
	if why := follow(); !strings.Contains(why, planPath) || a.Head() != at || a.onDisk("src/code.go") != "package code\n" {
		t.Errorf("said %q, at %s", why, a.Head())
	}
	a.Git("stash", "--quiet")
	if why := follow(); why != "" || a.Head() != s.tip("main") || a.status() != "" {
		t.Errorf("stays: %s\n%s", why, a.status())
	}
}

// A slow server, a shallow clone, a clone of one branch, a person's own fetch: none of them matters.
func TestRemoteKinds(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	testkit.Git(t, s.origin, "config", "uploadpack.allowFilter", "true")
	for name, args := range map[string][]string{"shallow": {"--depth=1"}, "single": {"--single-branch"}, "blobless": {"--filter=blob:none"}} {
		c := fixture{testkit.Clone(t, "file://"+s.origin, args...), t}
		if _, err := c.sharing().Commit(t.Context(), build(map[string]*string{"plans/0001-one/" + name: ptr("x\n")})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.Head() != s.tip("main") {
			t.Errorf("%s does not follow", name)
		}
	}
	testkit.WriteScript(t, s.origin, "hooks/pre-receive", "#!/bin/sh\nsleep 0.3\n")
	c := s.clone()
	begun := time.Now()
	if _, err := c.sharing().Commit(t.Context(), build(standard)); err != nil || time.Since(begun) < 300*time.Millisecond {
		t.Errorf("slow server: %v after %s", err, time.Since(begun))
	}
}

// What is published beside a commit goes on a branch of its own; one that has other work keeps it.
func TestRemotePublishes(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	a := s.clone()
	work := func(text string) string {
		a.Git("checkout", "--quiet", "--detach", "origin/main")
		a.Write("work.txt", text)
		id := a.Commit("work")
		a.Git("checkout", "--quiet", "main")
		return id
	}
	names := []string{"tendril/0001-one", "tendril/0001-one.round-2"}
	publish := func(file, head string) {
		t.Helper()
		r := a.sharing()
		_, err := r.Commit(t.Context(), func(ctx context.Context, tip string) (*Draft, error) {
			d, err := build(map[string]*string{file: ptr("x\n")})(ctx, tip)
			d.Publish = []Publish{{Commit: head, Names: names}}
			return d, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	first, second := work("one"), work("another start")
	publish("plans/0001-one/a", first)
	publish("plans/0001-one/b", second)
	if s.tip(names[0]) != first || s.tip(names[1]) != second {
		t.Errorf("published %s and %s", s.tip(names[0]), s.tip(names[1]))
	}
	b := s.clone("--single-branch").sharing()
	for _, head := range []string{first, second} {
		if here, err := b.Remote.Bring(t.Context(), head, names...); err != nil || !here {
			t.Errorf("%s cannot be looked at elsewhere: %v", head, err)
		}
	}
	if err := b.Remote.Remove(t.Context(), names[1], first); err != nil || s.tip(names[1]) != second {
		t.Errorf("removed another commit than named: %v", err)
	}
	if err := b.Remote.Remove(t.Context(), names[0], first); err != nil {
		t.Error(err)
	}
	for i, head := range []string{first, second} { // a clone of a folder has all objects: nothing was fetched
		if err := b.Remote.setRef(t.Context(), KnownRef("origin", names[i]), head); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Remote.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if at, err := b.Remote.refs(t.Context()); err != nil || at[KnownRef("origin", names[0])] != "" || at[KnownRef("origin", names[1])] != second {
		t.Errorf("of what was brought is kept: %v %v", at, err)
	}
	if out := testkit.Git(t, s.origin, "for-each-ref", "refs/heads/"+names[0]); out != "" {
		t.Errorf("still there: %s", out)
	}
}

// A process dies at each moment of a talk with the remote: the next one finds its way, the commit is there once, and
// nothing is left lying about.
func TestKilledAtEachSyncPoint(t *testing.T) {
	t.Parallel()
	for _, p := range SyncPoints {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			s := newShared(t)
			a, b := s.clone(), s.clone()
			b.Write("src/code.go", "package theirs\n")
			b.Commit("theirs")
			b.Git("push", "--quiet")
			if _, killed := runChild(t, "push", a.Dir, p, 1); !killed {
				t.Fatalf("nothing died at %s", p)
			}
			runChild(t, "push", a.Dir, "", 0)
			if got := testkit.Git(t, s.origin, "log", "--format=%s", "main", "--", recordPath); strings.Count(got, "executing") != 1 {
				t.Errorf("at the remote:\n%s", got)
			}
			r := a.sharing()
			if _, err := r.Remote.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := Follow(t.Context(), r.Repo, r.Runtime, Follower{Ref: r.Ref, To: s.tip("main"), PlansDir: "plans", By: tendril}); err != nil {
				t.Fatal(err)
			}
			a.checkMade(s.tip("main"))
			a.checkCommitted(standard)
			a.checkOnDisk(standard)
			if a.status() != "" || a.onDisk("src/code.go") != "package theirs\n" {
				t.Errorf("status %q", a.status())
			}
		})
	}
}
