package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// CPUKnown says whether Process.CPU is filled on this system.
const CPUKnown = true

// tick is the unit of times in /proc: USER_HZ, which is 100 on every architecture that Go runs on.
const tick = time.Second / 100

// The fields of /proc/PID/stat that are used, counted from the one behind the name (man 5 proc_pid_stat, minus 3).
const (
	statState, statParent, statGroup                   = 0, 1, 2
	statUser, statSystem, statChildUser, statChildKern = 11, 12, 13, 14
	statThreads, statStart                             = 17, 19
)

// Processes returns the system's table.
func Processes() (Table, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	_ = dir.Close() // read only
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	boot := bootID()
	table := make(Table, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// One that ended meanwhile is left out.
		if p, err := readStat(pid, boot); err == nil {
			table[pid] = p
		}
	}
	return table, nil
}

func startOf(pid int) (string, error) {
	p, err := readStat(pid, bootID())
	return p.Start, err
}

// readStat reads one process; a zombie is gone already.
func readStat(pid int, boot string) (Process, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return Process{}, ErrGone
	}
	if err != nil {
		return Process{}, err
	}
	p, zombie, err := parseStat(string(raw))
	if err != nil {
		return Process{}, err
	}
	if zombie {
		return Process{}, ErrGone
	}
	p.PID = pid
	p.Start = boot + ":" + p.Start
	return p, nil
}

// parseStat reads a line of /proc/PID/stat. The name in its second field may hold anything, spaces and parentheses too.
func parseStat(line string) (p Process, zombie bool, err error) {
	end := strings.LastIndexByte(line, ')')
	if end < 0 {
		return Process{}, false, fmt.Errorf("stat line %q: no name", line)
	}
	fields := strings.Fields(line[end+1:])
	if len(fields) <= statStart {
		return Process{}, false, fmt.Errorf("stat line %q: %d fields", line, len(fields))
	}
	var bad error
	number := func(i int) int {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		bad = errors.Join(bad, err)
		return int(n)
	}
	p.Parent, p.Group = number(statParent), number(statGroup)
	ticks := number(statUser) + number(statSystem) + number(statChildUser) + number(statChildKern)
	p.CPU = time.Duration(ticks) * tick
	p.Start = fields[statStart]
	// A process whose first thread ended looks like a zombie as long as other threads live, and holds its files and locks.
	zombie = (fields[statState] == "Z" || fields[statState] == "X") && number(statThreads) <= 1
	return p, zombie, bad
}

// bootID tells this boot from others, since start times count from it: after a restart of the machine another process may
// have the same pid and the same start.
func bootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "boot"
	}
	id, _, _ := strings.Cut(string(bytes.TrimSpace(raw)), "-")
	return id
}

// environ returns the environment that pid had when its program began; nil when it is gone or not ours.
func environ(pid int) []byte {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	return raw
}

// AdoptOrphans makes this process the parent of every descendant whose own parent ends, however far it moved away
// (double forks, own sessions), so that Table.Descendants finds them all. It holds for the process's whole life.
func AdoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	return nil
}

// ReapOrphans forgets the children that AdoptOrphans brought and that have ended, so that they do not pile up; except is a
// child that somebody waits for.
func ReapOrphans(except int) {
	self := os.Getpid()
	for _, pid := range ownPIDs() {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || pid == except {
			continue
		}
		if p, zombie, err := parseStat(string(raw)); err == nil && zombie && p.Parent == self {
			Reap(pid)
		}
	}
}

// ownPIDs lists every pid; what belongs to others cannot be read and so is never marked.
func ownPIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }() // read only
	names, _ := dir.Readdirnames(-1)   // what was read before an error still counts
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
