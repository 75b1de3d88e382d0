package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A tool in a session of its own leaves the group and holds the pipe; its mark finds it.
func TestRunEndsWhatLeftTheGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "pid")
	var out bytes.Buffer
	cmd := sh("setsid sh -c 'echo $$ > " + file + "; exec sleep 600' & until test -s " + file + "; do :; done; echo result")
	cmd.Stdout, cmd.Mark = &out, "PROC_TEST="+dir
	res, err := Run(t.Context(), cmd)
	if err != nil || out.String() != "result\n" {
		t.Fatalf("%+v, %v, %q", res, err, out.String())
	}
	if child := pidFrom(t, file).PID; !gone(child) {
		t.Errorf("process %d is still there", child)
	}
	if res.Elapsed > draining {
		t.Errorf("took %s although the holder is marked", res.Elapsed)
	}
}

// Without a mark it cannot be found from here; then it is not waited for either.
func TestRunIsNotHeldByWhatItCannotFind(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	var out bytes.Buffer
	cmd := sh("setsid sh -c 'echo $$ > " + file + "; exec sleep 600' & until test -s " + file + "; do :; done; echo result")
	cmd.Stdout = &out
	res, err := Run(t.Context(), cmd)
	child, idErr := Identify(pidFrom(t, file).PID)
	if idErr != nil {
		t.Fatal(idErr)
	}
	if killErr := child.Signal(os.Kill); killErr != nil {
		t.Fatal(killErr)
	}
	if err != nil || out.String() != "result\n" || res.Elapsed > draining+5*time.Second {
		t.Fatalf("%+v, %v, %q", res, err, out.String())
	}
}

func TestFindMarked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "pid")
	mark := "PROC_TEST=" + dir
	pid, err := Detached{
		Argv: []string{"sh", "-c", "echo $$ > " + file + "; exec sleep 600"},
		Env:  []string{"PATH=" + os.Getenv("PATH"), "OTHER=" + mark, mark},
	}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Reap(pid) })
	if got := pidFrom(t, file).PID; got != pid {
		t.Fatalf("the script is process %d, Start said %d", got, pid)
	}
	if found := FindMarked("PROC_TEST=" + strings.TrimSuffix(dir, dir[len(dir)-1:])); len(found) != 0 {
		t.Errorf("the beginning of a mark found %v", found)
	}
	if found := FindMarked(""); len(found) != 0 {
		t.Errorf("no mark found %v", found)
	}
	family := Family{Mark: mark}
	found := family.Members()
	if len(found) != 1 || found[0].PID != pid {
		t.Fatalf("found %v, want process %d", found, pid)
	}
	table, err := Processes()
	if err != nil {
		t.Fatal(err)
	}
	if table[pid].Group != pid {
		t.Errorf("group %d: not in a session of its own", table[pid].Group)
	}
	if left := family.End(t.Context(), time.Minute); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
	if found[0].Alive() {
		t.Error("alive after End")
	}
}

// End does not stop at TERM for what ignores it.
func TestFamilyEndKills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "pid")
	pid, err := Detached{
		Argv: []string{"sh", "-c", "trap '' TERM; echo $$ > " + file + "; while :; do sleep 600; done"},
		Env:  []string{"PATH=" + os.Getenv("PATH"), "PROC_TEST=" + dir},
	}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Reap(pid) })
	pidFrom(t, file)
	if left := (Family{Group: pid}).End(t.Context(), 50*time.Millisecond); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
	if !gone(pid) {
		t.Error("still there")
	}
}
