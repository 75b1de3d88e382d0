package runners

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/crash"
	"tendril/internal/proc"
)

// reporting bounds the wait for a supervisor to report in: it only has to read a file and start a process.
const reporting = time.Minute

// reportWord is what a supervisor says on its stdout once the agent runs, or is known not to.
const reportWord = "reported"

// startLock is held while a run is written down, so that of two that want the same worktree one sees the other.
const startLock = ".lock"

// BusyError says that a run could not be started because another is not finished in the same worktree.
type BusyError struct {
	// Run is the other run, Dir the worktree.
	Run, Dir string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("run %s is not finished in %s\n  wait for it, stop it, or finish it", e.Run, e.Dir)
}

// ErrStarted says that a run of that id was started before; a run is started once.
var ErrStarted = errors.New("was started before")

// Start writes the run down, starts its supervisor in a session of its own and returns once that has reported in: the agent
// runs, or is known not to (then the outcome says why). A supervisor that could not be started, or died before it reported,
// is an error, and the run is finished as lost. An end of ctx after the supervisor was started leaves the run to itself.
func (r Runs) Start(ctx context.Context, s Spec) error {
	if err := s.check(); err != nil {
		return err
	}
	// A list that cannot be built fails here, where nothing has begun.
	if _, err := s.Agent.Argv(Values{Session: s.Session}, s.Autonomy, s.Args); err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	if err := r.write(ctx, s); err != nil {
		return err
	}
	err := r.spawn(ctx, s)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, finishErr := r.Finish(ctx, s.Run); finishErr != nil {
		return errors.Join(err, finishErr)
	}
	return err
}

// write makes the run's folder, which is there whole or not at all.
func (r Runs) write(ctx context.Context, s Spec) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	lock := flock.New(filepath.Join(r.Dir, startLock))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("run %s: lock %s: %w", s.Run, r.Dir, err)
	}
	defer func() { _ = lock.Unlock() }() // closing the file gives it back in any case
	if err := r.sweep(); err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	if exists(r.Dir, s.Run) {
		return fmt.Errorf("run %s: %w", s.Run, ErrStarted)
	}
	if err := r.free(s.Dir); err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	if err := prepareDesk(s.Dir, s.Feedback); err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	crash.At(crashBeforeSpec)
	if err := r.writeFolder(s); err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	crash.At(crashSpec)
	return nil
}

// newFolder begins the name of a run's folder that is being written.
const newFolder = ".new-"

// sweep removes what a Start that was killed had begun to write; whoever holds the lock is the only one that writes.
func (r Runs) sweep() error {
	entries, err := os.ReadDir(r.Dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), newFolder) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(r.Dir, e.Name())))
		}
	}
	return err
}

// free refuses a worktree in which another run is not finished.
func (r Runs) free(dir string) error {
	ids, err := r.Unfinished()
	if err != nil {
		return err
	}
	for _, id := range ids {
		other, err := readSpec(r.folder(id))
		if err == nil && filepath.Clean(other.Spec.Dir) == filepath.Clean(dir) {
			return &BusyError{Run: id, Dir: dir}
		}
	}
	return nil
}

func (r Runs) writeFolder(s Spec) error {
	self, err := proc.Self()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(r.Dir, newFolder)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }() // gone already when all went well
	err = errors.Join(
		os.WriteFile(filepath.Join(tmp, promptFile), s.Prompt, 0o600),
		os.WriteFile(filepath.Join(tmp, scriptFile), s.Script, 0o600),
		os.WriteFile(filepath.Join(tmp, toldFile), s.Feedback, 0o600),
		linkSelf(filepath.Join(tmp, binFolder), r.Self),
		writeJSON(tmp, specFile, storedSpec{Version: specVersion, Started: r.now(), Starter: self, Mark: markOf(r.folder(s.Run)), Spec: s}),
	)
	if err != nil {
		return err
	}
	return os.Rename(tmp, r.folder(s.Run))
}

// linkSelf puts this program on the agent's PATH under its own name, so that `tendril check` is the one that runs here.
func linkSelf(bin string, self []string) error {
	if err := os.Mkdir(bin, 0o700); err != nil || len(self) == 0 || runtime.GOOS == "windows" || !filepath.IsAbs(self[0]) {
		return err
	}
	return os.Symlink(self[0], filepath.Join(bin, "tendril"))
}

// spawn starts the supervisor and waits until it has reported in.
func (r Runs) spawn(ctx context.Context, s Spec) error {
	if len(r.Self) == 0 {
		return fmt.Errorf("run %s: no supervisor named", s.Run)
	}
	dir := r.folder(s.Run)
	log, err := os.OpenFile(filepath.Join(dir, supervisorLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	defer func() { _ = log.Close() }() // the supervisor has its own
	from, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("run %s: %w", s.Run, err)
	}
	defer func() { _ = from.Close() }() // read only
	crash.At(crashBeforeSpawn)
	pid, err := proc.Detached{
		Argv: append(append([]string{}, r.Self...), dir), Dir: dir, Env: forSupervisor(r.Environment(s)), Stdout: to, Stderr: log,
	}.Start()
	_ = to.Close() // the supervisor has its own
	if err != nil {
		return fmt.Errorf("run %s: supervisor: %w", s.Run, err)
	}
	crash.At(crashSpawned)
	if err := report(ctx, from); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("run %s goes on by itself: %w", s.Run, ctx.Err())
		}
		// Lest it start the agent after all while the run is finished as lost. Finish does not believe a dead pid either.
		if id, idErr := proc.Identify(pid); idErr == nil {
			_ = id.Signal(os.Kill)
		}
		proc.Reap(pid)
		said, _ := tailOf(log.Name(), plainTail)
		return fmt.Errorf("run %s: the supervisor did not report in: %w\n  %s", s.Run, err, lastLine(said, "it said nothing"))
	}
	crash.At(crashReportedIn)
	return nil
}

// report reads the supervisor's word, until it ends, the limit is over or ctx is done.
func report(ctx context.Context, from *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, reporting)
	defer cancel()
	// Closing ends the reading; where pipes know deadlines it comes to the same.
	stop := context.AfterFunc(ctx, func() { _ = from.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	word, err := bufio.NewReader(from).ReadString('\n')
	switch {
	case strings.TrimSpace(word) == reportWord:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return errors.New("it ended first")
	case err != nil:
		return err
	default:
		return fmt.Errorf("it said %q", strings.TrimSpace(word))
	}
}
