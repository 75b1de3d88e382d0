package verify

import (
	"os"
	"os/exec"
	"testing"
)

// startLeft runs a script whose children outlive it, with one more variable.
func startLeft(t *testing.T, script, variable string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), script)
	cmd.Env = append(os.Environ(), variable)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
