package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// TestPersonCommitsWhileWeBuild: the branch moves between the building of a draft and its arrival; the draft is built anew
// on the new tip.
func TestPersonCommitsWhileWeBuild(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var tips []string
	res, err := f.recorder().Commit(t.Context(), func(ctx context.Context, tip string) (*Draft, error) {
		tips = append(tips, tip)
		if len(tips) <= 2 {
			f.Write("src/code.go", "package code // "+tip+"\n")
			f.Git("commit", "-q", "-a", "-m", "theirs")
		}
		return build(standard)(ctx, tip)
	})
	if err != nil || len(tips) != 3 {
		t.Fatalf("Commit: %+v, %v, built on %v", res, err, tips)
	}
	f.checkMade(res.Commit)
	f.checkFollowed()
	if got := f.Git("rev-list", "--count", "main"); got != "5" {
		t.Errorf("%s commits", got)
	}
}

func TestBranchKeepsMoving(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	calls := 0
	_, err := f.recorder().Commit(t.Context(), func(ctx context.Context, tip string) (*Draft, error) {
		calls++
		f.Git("update-ref", "refs/heads/main", f.Git("commit-tree", "-m", "theirs", "-p", tip, tip+"^{tree}"))
		return build(standard)(ctx, tip)
	})
	if !errors.Is(err, ErrMoved) || calls != commitTries {
		t.Errorf("Commit: %v after %d drafts", err, calls)
	}
	if got := f.status(); got != "" {
		t.Errorf("status: %s", got)
	}
	f.checkTidy()
}

func TestBuildFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	broken := errors.New("cannot build")
	before := f.Snapshot()
	_, err := f.recorder().Commit(t.Context(), func(context.Context, string) (*Draft, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("Commit: %v", err)
	}
	before.Unchanged(t, f.Snapshot())
}

// midStep makes a step by hand, up to the moment before its files are placed, runs meanwhile, and goes on.
func midStep(t *testing.T, f fixture, strict bool, meanwhile func(*step)) (Result, error) {
	t.Helper()
	r := f.recorder()
	release, err := takeTurn(t.Context(), r.Runtime)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	b, err := r.Repo.Batch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	tip, err := b.Get(r.Ref)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := build(standard)(t.Context(), tip.ID)
	if err != nil {
		t.Fatal(err)
	}
	commit, _, err := r.make(t.Context(), b, tip, draft)
	if err != nil {
		t.Fatal(err)
	}
	st := r.step(r.Ref, tip.ID, commit)
	st.strict = strict
	st.beforePlacing = func() { meanwhile(st) }
	return st.run(t.Context())
}

// TestEditedUnderLock: a person saves a file after it was looked at and before it is replaced.
func TestEditedUnderLock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	edited := strings.Replace(planText, "Words.", "Other words.", 1)
	res, err := midStep(t, f, false, func(*step) {
		f.Write(planPath, edited)
		f.Write(recordPath, "mine, mine\nround: 1\n") // as long as before
		f.Write(newPath, "mine\n")
		f.Write(changesPath, "mine\n")
	})
	if err != nil || len(res.Left) != 3 {
		t.Fatalf("step: %+v, %v", res, err)
	}
	f.checkMade(res.Commit)
	for path, want := range map[string]string{planPath: withStatus(edited, "executing"), recordPath: "mine, mine\nround: 1\n", newPath: "mine\n", changesPath: "mine\n"} {
		if got := f.onDisk(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	want := " M " + planPath + "\n M " + recordPath + "\n M " + newPath + "\n?? " + changesPath
	if got := f.status(); got != want {
		t.Errorf("status:\n%s\nwant:\n%s", got, want)
	}
}

// TestRemovedUnderLock: a person removes files, or a folder becomes a link, at that moment.
func TestRemovedUnderLock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := testkit.TempDir(t)
	res, err := midStep(t, f, false, func(*step) {
		if err := os.RemoveAll(filepath.Join(f.Dir, "plans/0001-one")); err != nil {
			t.Fatal(err)
		}
		symlink(f, outside, "plans/0001-one")
	})
	if err != nil {
		t.Fatalf("step: %+v, %v", res, err)
	}
	f.checkMade(res.Commit)
	if names, err := os.ReadDir(outside); err != nil || len(names) != 0 {
		t.Errorf("written outside of the repository: %v, %v", names, err)
	}
}

// TestStrictEditedUnderLock: a strict step is taken back as a whole.
func TestStrictEditedUnderLock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.Snapshot()
	_, err := midStep(t, f, true, func(*step) {
		f.Write(newPath, "mine\n")
	})
	var stranger *InTheWayError
	if !errors.As(err, &stranger) || stranger.Paths[0] != newPath {
		t.Errorf("step: %v", err)
	}
	if got := strings.TrimSpace(before.Diff(f.Snapshot())); got != `+ file plans/0001-one/verification.md: "0644 mine\n"`+"\n+ status plans/0001-one/verification.md: \"??\"" {
		t.Errorf("changed:\n%s", got)
	}
	f.checkTidy()
	if _, err := os.Stat(filepath.Join(f.Dir, ".git/tendril", journalName)); err == nil {
		t.Error("the journal is left")
	}
}

// TestGitKilledUnderLock: git, holding the ref for us, is killed; its locks stay behind and are ours to remove.
func TestGitKilledUnderLock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.Snapshot()
	_, err := midStep(t, f, false, func(st *step) {
		p, err := os.FindProcess(st.journal.Child.PID)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	})
	if err == nil {
		t.Fatal("the step was made without git")
	}
	before.Unchanged(t, f.Snapshot())
	f.record()
	f.checkFollowed()
}

// TestWorktreeOnlyWritable: a folder that cannot be written is no reason to stop; the file is left, and named.
func TestFolderNotWritable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	f := newFixture(t)
	folder := filepath.Join(f.Dir, "plans/0001-one")
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	if res := f.record(); len(res.Left) != len(standard) {
		t.Errorf("left: %+v", res.Left)
	}
}

// TestOwnerAlive: a journal of a process that lives is left alone.
func TestOwnerAlive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, killed := runChild(t, "commit", f.Dir, pointHeld, 1); !killed {
		t.Fatal("not killed")
	}
	r := f.recorder()
	j, err := readJournal(r.Runtime)
	if err != nil || j == nil {
		t.Fatal(j, err)
	}
	j.Owner = parent(t)
	if err := j.write(r.Runtime, true); err != nil {
		t.Fatal(err)
	}
	var wait *BusyError
	if _, err := Recover(t.Context(), r.Repo, r.Runtime); !errors.As(err, &wait) {
		t.Errorf("Recover: %v", err)
	}
	if _, err := r.Commit(t.Context(), build(standard)); !errors.As(err, &wait) {
		t.Errorf("Commit: %v", err)
	}
	if again, err := readJournal(r.Runtime); err != nil || again == nil {
		t.Error("the journal is gone")
	}
}

// TestJournalFromTheFuture: what this tendril does not understand, it does not touch.
func TestJournalFromTheFuture(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for content, want := range map[string]string{`{"version": 2}`: "version 2", "{": "read the journal"} {
		f.Write(".git/tendril/"+journalName, content)
		before := f.Snapshot()
		if _, err := f.recorder().Commit(t.Context(), build(standard)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Commit: %v", err)
		}
		before.Unchanged(t, f.Snapshot())
	}
}

// staleIndex puts back the index that was there before a step, as a git command does that read it before the step and
// wrote it afterwards.
func (f fixture) staleIndex(was string) {
	f.t.Helper()
	f.Write(".git/index", was)
	f.Git("status")
}

func TestLookAgainMendsAStaleIndex(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"Settle", "the next Commit"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Write("src/staged.go", "package staged\n")
			f.Git("add", "-A")
			was := testkit.Read(t, f.Dir, ".git/index")
			f.record()
			f.staleIndex(was)
			if got := f.Git("diff", "--cached", "--name-only"); !strings.Contains(got, recordPath) {
				t.Fatalf("the index is not stale: %s", got)
			}
			if how == "Settle" {
				if mended, err := f.recorder().Settle(t.Context()); err != nil || !mended {
					t.Errorf("Settle: %v, %v", mended, err)
				}
			} else {
				f.recordThis(map[string]*string{"plans/0001-one/more": ptr("more\n")})
			}
			if got := f.status(); got != "A  src/staged.go" {
				t.Errorf("status: %s", got)
			}
			f.checkTidy()
		})
	}
}

// TestLookAgainLeavesAPersonsWork: what a person does to our files after a step is theirs.
func TestLookAgainLeavesAPersonsWork(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(f fixture){
		"staged another":     func(f fixture) { f.Write(recordPath, "mine\n"); f.Git("add", "-A") },
		"checked out old":    func(f fixture) { f.Git("checkout", "-q", "HEAD~1", "--", recordPath) },
		"removed":            func(f fixture) { f.Git("rm", "-q", newPath) },
		"reset the branch":   func(f fixture) { f.Git("reset", "-q", "--hard", "HEAD~1") },
		"soft reset":         func(f fixture) { f.Git("reset", "-q", "--soft", "HEAD~1") },
		"committed a revert": func(f fixture) { f.Git("revert", "--no-edit", "HEAD") },
		"nothing":            func(fixture) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.record()
			act(f)
			before := f.Snapshot()
			if mended, err := f.recorder().Settle(t.Context()); err != nil || mended {
				t.Errorf("Settle: %v, %v", mended, err)
			}
			before.Unchanged(t, f.Snapshot())
		})
	}
}

// TestLookAgainComesTooLate: an old entry in an index an hour later is a person's own doing. The clock is the recorder's
// own field.
func TestLookAgainComesTooLate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	was := testkit.Read(t, f.Dir, ".git/index")
	f.record()
	f.staleIndex(was)
	before := f.Snapshot()
	r := f.recorder()
	r.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if mended, err := r.Settle(t.Context()); err != nil || mended {
		t.Errorf("Settle: %v, %v", mended, err)
	}
	before.Unchanged(t, f.Snapshot())
}

// TestLookAgainBringsANewcomer: a worktree that was changing to the branch while a step was made has the old files, and
// nothing of a person's in them.
func TestLookAgainBringsANewcomer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := f.at(f.Worktree("--detach", "main"))
	f.record()
	second.Git("symbolic-ref", "HEAD", "refs/heads/main")
	if mended, err := f.recorder().Settle(t.Context()); err != nil || !mended {
		t.Errorf("Settle: %v, %v", mended, err)
	}
	second.checkFollowed()
	f.checkFollowed()
}

func TestSigned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := filepath.Join(testkit.TempDir(t), "key")
	if err := f.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key); err != nil {
		t.Skip("no ssh-keygen here: ", err)
	}
	f.Git("config", "gpg.format", "ssh")
	f.Git("config", "user.signingKey", key)
	r := f.recorder()
	res, err := r.Commit(t.Context(), func(ctx context.Context, tip string) (*Draft, error) {
		d, err := build(standard)(ctx, tip)
		d.Sign = true
		return d, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Git("cat-file", "commit", res.Commit); !strings.Contains(got, "\ngpgsig -----BEGIN SSH SIGNATURE") {
		t.Errorf("not signed:\n%s", got)
	}
	f.checkFollowed()
}

// TestDeadLock: an index.lock of ours without a journal (of a look that was cut off) goes once its process is dead; one
// whose process lives stays.
func TestDeadLock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lock := ".git/index.lock"
	f.Write(lock, lockText(parent(t), "next"))
	f.checkBusy(f.Dir, "index.lock")
	if f.onDisk(lock) == "-" {
		t.Error("the lock of a process that lives is gone")
	}
	dead := parent(t)
	dead.Start += "0" // the same pid, another process
	f.Write(lock, lockText(dead, "next"))
	f.record()
	f.checkFollowed()
}

// TestWorktreeOnAnotherFileSystem: what is prepared in the git directory cannot be renamed into such a worktree.
func TestWorktreeOnAnotherFileSystem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := otherFileSystem(t, f.Dir)
	f.Git("checkout", "-q", "-b", "work")
	far := f.at(testkit.At(t, filepath.Join(other, "far")))
	f.Git("worktree", "add", "-q", far.Dir, "main")
	symlink(far, "src", "link")
	far.Commit("a link")
	if _, killed := runChild(t, "commit", f.Dir, pointPlaced, 2); !killed {
		t.Fatal("not killed")
	}
	runChild(t, "recover", f.Dir, "", 0)
	far.checkFollowed()
	edited := strings.Replace(*standard[planPath], "Words.", "Mine.", 1)
	far.Write(planPath, edited)
	f.recordThis(map[string]*string{planPath: ptr(withStatus(planText, "verifying")), recordPath: nil, "new/file": ptr("new\n")})
	if got := far.onDisk(planPath); got != strings.Replace(edited, "executing", "verifying", 1) {
		t.Errorf("plan.md: %q", got)
	}
	if got := far.status(); got != " M "+planPath {
		t.Errorf("status: %q", got)
	}
}

// otherFileSystem is a folder of the test's own on another file system than dir, or skips the test.
func otherFileSystem(t *testing.T, dir string) string {
	t.Helper()
	probe := filepath.Join(dir, ".git", "probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"/dev/shm", "/var/tmp"} {
		folder, err := os.MkdirTemp(place, "tendril-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		if err := os.Rename(probe, filepath.Join(folder, "probe")); err != nil {
			return folder
		}
		if err := os.Rename(filepath.Join(folder, "probe"), probe); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("neither /dev/shm nor /var/tmp is on another file system than the temporary folder")
	return ""
}
