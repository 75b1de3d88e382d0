//go:build unix

package runners

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tendril/internal/proc"
)

// A program that is there and cannot be started is an error, and the run has an end all the same.
func TestAttachToWhatDoesNotStart(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	program := filepath.Join(k.tree, "program")
	if err := os.WriteFile(program, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := k.script()
	s.Agent.Attach, s.Session = []string{program, "{{.Session}}"}, "S1"
	a, err := k.runs.Attach(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), nil, nil, nil); err == nil {
		t.Error("nothing is said of a program that did not start")
	}
	if out := k.wait(s.Run); out.Result != Failed || out.Err == nil {
		t.Errorf("%+v, %v", out, out.Err)
	}
}

// The program of a keeper that was killed is found by what was written down of it, where no environment tells.
func TestAProgramWithoutItsKeeper(t *testing.T) {
	t.Parallel()
	program := exec.Command("sleep", "60") // no mark of any run in its environment
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	a := &Attachment{dir: t.TempDir()}
	a.note(program.Process.Pid, time.Now())
	var agent agentProcess
	if found, err := readJSON(a.dir, agentFile, &agent); err != nil || !found {
		t.Fatal(found, err)
	}
	stored := storedSpec{Mark: "TENDRIL_TEST=" + a.dir, Spec: Spec{Unit: UnitAttach, Dir: t.TempDir()}}
	if got := (proc.Family{Mark: stored.Mark}).Members(); len(got) > 0 {
		t.Fatalf("found without: %v", got)
	}
	out := lostAttachment(t.Context(), stored, agent.Identity, ending{cause: Lost, why: "its supervisor died"})
	if len(out.Left) > 0 {
		t.Errorf("left: %v", out.Left)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the program goes on")
	}
}
