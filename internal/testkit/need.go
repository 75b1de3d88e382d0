package testkit

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Need skips a test where a program that it needs is missing, and says which. Under CI=true nothing is skipped for want
// of a program: there it fails.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	var missing []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s, and CI skips nothing", strings.Join(missing, ", "))
	}
	t.Skipf("needs %s", strings.Join(missing, ", "))
}
