package runners

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"tendril/internal/proc"
)

const (
	// looking is how often the supervisor looks for a stop request that no signal announced, and at the output.
	looking = 500 * time.Millisecond
	// reaping is how often it forgets orphans that ended.
	reaping = 30 * time.Second
	// working is the share of one core from which descendants count as at work: below it they only wait with a heartbeat.
	working = 0.01
	// leastWork is the least CPU time that says anything: the system counts in hundredths of a second.
	leastWork = 30 * time.Millisecond
)

// watch waits for the agent's end, or ends it: because a stop was asked for, its time is over, it has stalled, or this
// process is to end. Whatever comes first is the run's cause for good; there is one place that decides, this loop.
func (s *supervisor) watch(ctx context.Context, cmd *exec.Cmd, exited <-chan error, started time.Time) ending {
	var limit <-chan time.Time
	if s.spec.TimeLimit > 0 {
		timer := time.NewTimer(s.spec.TimeLimit)
		defer timer.Stop()
		limit = timer.C
	}
	stall := &stallWatch{limit: s.spec.Stall, alive: started}
	look := time.NewTicker(lookEvery(s.spec.Stall))
	defer look.Stop()
	reap := time.NewTicker(reaping)
	defer reap.Stop()
	pace := newPace(s.dir)
	defer func() {
		pace.note(sizeOf(filepath.Join(s.dir, stdoutFile)), time.Now())
		pace.close()
	}()
	for {
		select {
		case <-exited:
			return endingOf(cmd)
		case <-ctx.Done():
			return s.end(cmd, exited, ending{cause: Lost, why: "its supervisor was told to end"})
		case sig := <-s.wakes:
			if sig != syscall.SIGTERM {
				continue
			}
			if end, asked := s.stopEnding(); asked {
				return s.end(cmd, exited, end)
			}
			// Somebody ends processes, the machine goes down, say: no plan's fault, so it is taken up again.
			return s.end(cmd, exited, ending{cause: Lost, why: "its supervisor was ended by SIGTERM"})
		case <-limit:
			return s.end(cmd, exited, ending{cause: Timeout})
		case <-look.C:
			pace.note(sizeOf(filepath.Join(s.dir, stdoutFile)), time.Now())
			if end, asked := s.stopEnding(); asked {
				return s.end(cmd, exited, end)
			}
			if s.abandoned() {
				return s.end(cmd, exited, ending{cause: Lost, why: "its repository is gone"})
			}
			if stall.stalled(time.Now(), s.outputSize(), func() (time.Duration, bool) { return workOf(cmd.Process.Pid) }) {
				return s.end(cmd, exited, ending{cause: Stalled})
			}
		case <-reap.C:
			proc.ReapOrphans(cmd.Process.Pid)
		}
	}
}

// abandoned is true once the run's folder is gone, with its repository most likely: nobody will ever ask what the agent does.
func (s *supervisor) abandoned() bool {
	_, err := os.Lstat(filepath.Join(s.dir, specFile))
	return errors.Is(err, fs.ErrNotExist)
}

// lookEvery is how often to look: often enough for a short stall limit too.
func lookEvery(stall time.Duration) time.Duration {
	if stall <= 0 {
		return looking
	}
	return max(min(looking, stall/20), 10*time.Millisecond)
}

// stopEnding is the ending that a stop request asks for.
func (s *supervisor) stopEnding() (ending, bool) {
	stop, asked, err := s.stopAsked()
	if err != nil {
		s.remark(err) // it appeared, so it was meant; only its words are lost
		return ending{cause: Stopped}, true
	}
	return ending{cause: Stopped, why: stop.Why}, asked
}

// end asks the agent's group to end, gives it the grace, and kills the whole family then. What escaped the group and lives
// on after a gentle end is left to the caller, who ends it in any case.
func (s *supervisor) end(cmd *exec.Cmd, exited <-chan error, end ending) ending {
	if err := proc.TerminateGroup(cmd.Process.Pid); err != nil {
		s.remark(err) // it is killed after the grace
	}
	grace := time.NewTimer(s.spec.grace())
	defer grace.Stop()
	select {
	case <-exited:
		return end.with(endingOf(cmd))
	case <-grace.C:
	}
	s.family(cmd).End(context.Background(), 0)
	dead := time.NewTimer(unkillable)
	defer dead.Stop()
	select {
	case <-exited:
		return end.with(endingOf(cmd))
	case <-dead.C:
		end.exit = -1
		return end
	}
}

// with adds how the process ended to why it did.
func (e ending) with(how ending) ending {
	e.seen, e.exit, e.signal = how.seen, how.exit, how.signal
	return e
}

// endingOf is how the agent ended; it has been waited for.
func endingOf(cmd *exec.Cmd) ending {
	return ending{seen: true, exit: cmd.ProcessState.ExitCode(), signal: proc.SignalOf(cmd.ProcessState)}
}

// outputSize is how much the agent has written.
func (s *supervisor) outputSize() int64 {
	var size int64
	for _, name := range []string{stdoutFile, stderrFile} {
		size += sizeOf(filepath.Join(s.dir, name))
	}
	return size
}

// sizeOf is how long a file is; 0 where it is not there.
func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// workOf returns how much CPU time the processes below this one have used. Where the system does not tell, known is false
// and the figure says only whether the agent has processes of its own at work (1) or none (0).
func workOf(agent int) (used time.Duration, known bool) {
	table, err := proc.Processes()
	if err != nil {
		return 0, false
	}
	if !proc.CPUKnown {
		return time.Duration(min(len(table.Descendants(agent)), 1)), false
	}
	for _, pid := range table.Descendants(os.Getpid()) {
		used += table[pid].CPU
	}
	return used, true
}

// stallWatch tells an agent that is stuck from one whose tool is silent for an hour: stuck is no output and, below the
// supervisor, nothing that works.
type stallWatch struct {
	limit time.Duration
	// alive is the last moment that showed life, size the output then.
	alive time.Time
	size  int64
	// base is the CPU time used at since; sampled only once half the limit has passed in silence, last at looked.
	base          time.Duration
	since, looked time.Time
	sampled       bool
}

// stalled looks once more. work returns the CPU time used below the supervisor, and whether that is known.
func (w *stallWatch) stalled(now time.Time, size int64, work func() (time.Duration, bool)) bool {
	if w.limit <= 0 {
		return false
	}
	if size != w.size {
		w.size, w.alive, w.sampled = size, now, false
		return false
	}
	silent := now.Sub(w.alive)
	if silent < w.limit/2 || silent < w.limit && w.sampled && now.Sub(w.looked) < w.limit/20 {
		return false
	}
	used, known := work()
	w.looked = now
	switch {
	case !known && used > 0:
		// Whether the agent's own processes work cannot be told here: the time limit bounds them.
		w.alive = now
	case !known:
	case !w.sampled || used < w.base:
		w.base, w.since, w.sampled = used, now, true
	case used-w.base >= max(leastWork, time.Duration(working*float64(now.Sub(w.since)))):
		w.alive, w.base, w.since = now, used, now
	}
	return now.Sub(w.alive) >= w.limit
}
