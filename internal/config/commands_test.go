package config

import (
	"fmt"
	"testing"
)

// What changes how a check runs, and what it deletes first, is to be trusted as its command is.
func TestCommandsHoldHowACheckRuns(t *testing.T) {
	t.Parallel()
	c := &Config{Autonomy: AutonomyEdit, Sandbox: Sandbox{Mode: SandboxAuto}, Checks: []Check{
		{Name: "web", Run: "make", Dir: "web", Env: map[string]string{"PATH": "bin"}, Clean: []string{"dist"}, When: []string{"x"}, Flaky: 2},
		{Name: "plain", Run: "make"},
	}}
	if got, want := fmt.Sprint(c.list()), "[{checks.web make} {checks.web.dir web} {checks.web.env.PATH bin} {checks.web.clean[0] dist} {checks.plain make}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
