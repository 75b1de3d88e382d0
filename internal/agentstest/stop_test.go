//go:build agents

package agentstest

import (
	"strings"
	"testing"

	"tendril/internal/modelserver"
)

// Nothing is left of an agent that is stopped in the middle of a tool, whatever group and session the tool is in.
func TestStopInTheMiddleOfATool(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "full"}, always("sleep", modelserver.Shell("I will wait.", "sleep 1234.5", modelserver.FirstUsage)))
		e := r.start("run", "--once")
		r.waitFor("the tool", func() bool { return strings.Contains(strings.Join(r.processes(), "\n"), "sleep 1234.5") })
		r.ok("stop", "1")
		<-e.done
		r.nothingLeft()
		if p := r.status("failed"); p.Reason != "stopped" {
			t.Errorf("%s: %s", p.Reason, p.Detail)
		}
		if rows := r.costs(); len(rows) != 1 || rows[0].Outcome != "stopped" {
			t.Errorf("%+v", rows)
		}
	})
}
