//go:build unix

package runners

import (
	"os"
	"path/filepath"
	"testing"
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
