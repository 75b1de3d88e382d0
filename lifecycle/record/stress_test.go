package record

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tendril/internal/testkit"
)

// stressTime is how long a person and the recorder commit side by side.
const stressTime = 4 * time.Second

// TestBesideALoopOfCommits: real `git commit`s follow each other while the recorder works on the same checked-out branch.
// None of theirs reverts ours, none is lost, and one that met a lock works when tried again.
func TestBesideALoopOfCommits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	type outcome struct {
		made, again int
		err         error
	}
	person := make(chan outcome, 1)
	go func() {
		made, again, err := f.commitInALoop(ctx)
		person <- outcome{made, again, err}
	}()

	r := f.recorder()
	r.Log = nil
	ours, waited := 0, 0
	// On a busy machine a few steps take longer.
	for start := time.Now(); ctx.Err() == nil && (ours < 5 || time.Since(start) < stressTime); {
		n := ours + 1
		res, err := r.Commit(t.Context(), build(map[string]*string{
			recordPath: ptr(fmt.Sprintf("round: %d\n", n)), fmt.Sprintf("plans/0001-one/file-%d", n): ptr("here\n"),
		}))
		var wait *BusyError
		switch {
		case errors.As(err, &wait):
			waited++
		case err != nil:
			t.Fatalf("our step %d: %v", n, err)
		case res.Commit == "":
			t.Fatalf("our step %d was not made", n)
		default:
			ours++
		}
	}
	cancel()
	theirs := <-person
	if theirs.err != nil {
		t.Fatalf("the person: %v", theirs.err)
	}
	if _, err := r.Settle(t.Context()); err != nil {
		t.Errorf("Settle: %v", err)
	}
	t.Logf("%d steps of ours (%d times busy), %d commits of theirs (%d of them tried again)", ours, waited, theirs.made, theirs.again)
	if ours < 3 || theirs.made < 3 {
		t.Errorf("too few to tell: %d steps of ours, %d commits of theirs", ours, theirs.made)
	}

	// Every commit of theirs is there and touches only their files; every one of ours is there once.
	log := f.Git("log", "--reverse", "--format=%x00%an", "--name-only", "main")
	mine, yours := 0, 0
	for _, c := range strings.Split(log, "\x00")[1:] {
		author, files, _ := strings.Cut(c, "\n")
		for _, file := range strings.Fields(files) {
			if author != tendril.Name && strings.HasPrefix(file, "plans/0001-one/file-") {
				t.Errorf("a commit of theirs touches %s", file)
			}
		}
		if author == tendril.Name {
			mine++
		} else {
			yours++
		}
	}
	if mine != ours || yours != theirs.made+2 {
		t.Errorf("main holds %d of ours and %d of theirs; made were %d and %d", mine, yours, ours, theirs.made+2)
	}
	if got := f.committed(recordPath); got != fmt.Sprintf("round: %d\n", ours) {
		t.Errorf("record.yaml is %q after %d steps", got, ours)
	}
	for n := range theirs.made {
		if got := f.committed(fmt.Sprintf("src/theirs-%d", n%5)); got == "-" {
			t.Errorf("their file %d is gone", n%5)
		}
	}
	if got := f.status(); got != "" {
		t.Errorf("status: %s", got)
	}
	f.checkTidy()
}

// commitInALoop is a person who never stops: commits of all kinds, each tried again until it works.
func (f fixture) commitInALoop(ctx context.Context) (made, again int, err error) {
	for ; ctx.Err() == nil; made++ {
		path := fmt.Sprintf("src/theirs-%d", made%5)
		testkit.Write(f.t, f.Dir, path, fmt.Sprintf("%d\n", made))
		kinds := [][]string{
			{"commit", "-q", "-a", "-m", "all"}, {"commit", "-q", "-m", "only", "--", path}, {"commit", "-q", "-m", "staged"},
		}
		var last error
		for try := 0; ; try++ {
			if try == 200 {
				return made, again, fmt.Errorf("commit %d fails for good: %w", made, last)
			}
			if try == 1 {
				again++
			}
			if last = f.tryGit("add", "--", path); last != nil {
				continue
			}
			if last = f.tryGit(kinds[made%len(kinds)]...); last == nil {
				break
			}
			// A commit that was refused may have been made all the same: never here, every one moves main.
			if f.tryGit("diff", "--quiet", "HEAD", "--", path) == nil {
				return made, again, fmt.Errorf("commit %d failed and is there: %w", made, last)
			}
		}
	}
	return made, again, nil
}

// tryGit runs git from a goroutine, where a test must not be ended.
func (f fixture) tryGit(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = f.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// TestManyProcessesRecord: several processes of Tendril's record on one branch at once; they take turns.
func TestManyProcessesRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const processes, each = 3, 4
	done := make(chan error, processes)
	for p := range processes {
		r := f.recorder()
		r.Log = nil
		go func() {
			for i := range each {
				if _, err := r.Commit(t.Context(), build(map[string]*string{fmt.Sprintf("plans/0001-one/%d-%d", p, i): ptr("x\n")})); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range processes {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := f.Git("rev-list", "--count", "--author=Tendril", "main"); n != fmt.Sprint(processes*each) {
		t.Errorf("%s commits", n)
	}
	if got := f.status(); got != "" {
		t.Errorf("status: %s", got)
	}
	f.checkTidy()
}
