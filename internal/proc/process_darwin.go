package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// CPUKnown says whether Process.CPU is filled on this system.
const CPUKnown = false

// zombieState is SZOMB of sys/proc.h.
const zombieState = 5

// Processes returns the system's table.
func Processes() (Table, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	table := make(Table, len(infos))
	for i := range infos {
		if p, alive := fromInfo(&infos[i]); alive {
			table[p.PID] = p
		}
	}
	return table, nil
}

func startOf(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EIO) {
		// EIO: the answer was empty, which is how this call says that there is no such process.
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	p, alive := fromInfo(info)
	if !alive || p.PID != pid {
		return "", ErrGone
	}
	return p.Start, nil
}

func fromInfo(info *unix.KinfoProc) (Process, bool) {
	p := Process{Parent: int(info.Eproc.Ppid), Group: int(info.Eproc.Pgid)}
	p.PID = int(info.Proc.P_pid)
	// Wall clock with microseconds: no boot needs to be told apart.
	p.Start = fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
	return p, info.Proc.P_stat != zombieState
}

// environ returns the environment that pid had when its program began; nil when it is gone, not ours, or hidden by the
// system (programs that macOS protects). The kernel hands out argc, the program's path, zeroes, the arguments and then the
// environment; only NUL-separated strings matter to the caller, so the arguments may stay in front.
func environ(pid int) []byte {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return nil
	}
	argc := int(binary.NativeEndian.Uint32(raw))
	rest := bytes.TrimLeft(raw[4:][max(bytes.IndexByte(raw[4:], 0), 0):], "\x00")
	for range argc {
		_, after, found := bytes.Cut(rest, []byte{0})
		if !found {
			return nil
		}
		rest = after
	}
	return rest
}

// AdoptOrphans is not known on this system: descendants that left their group are found by their mark alone.
func AdoptOrphans() error { return nil }

// ownPIDs lists every pid; what belongs to others cannot be read and so is never marked.
func ownPIDs() []int {
	table, err := Processes()
	if err != nil {
		return nil
	}
	pids := make([]int, 0, len(table))
	for pid := range table {
		pids = append(pids, pid)
	}
	return pids
}

// ReapOrphans does nothing: nobody is adopted here.
func ReapOrphans(int) {}
