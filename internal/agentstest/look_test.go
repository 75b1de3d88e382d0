//go:build agents

package agentstest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// byTheScript expects every turn to have been played and nothing else to have been asked.
func (r *rig) byTheScript() {
	r.t.Helper()
	problems := slices.DeleteFunc(r.server.Problems(), func(p string) bool {
		return slices.ContainsFunc(r.agent.asks, func(host string) bool { return strings.HasPrefix(p, "the agent asked for another host: "+host) })
	})
	if len(problems) > 0 {
		r.t.Errorf("%d requests did not go by the script\n%s", len(problems), strings.Join(problems, "\n"))
	}
	if left := r.server.Left(); len(left) > 0 {
		r.t.Errorf("turns that were not played: %s\n%s", strings.Join(left, "; "), r.story())
	}
}

// plan is what `tendril show --json` says and the tests look at.
type plan struct {
	Status, Reason, Detail string
}

// status expects the plan's status.
func (r *rig) status(want string) plan {
	r.t.Helper()
	var p plan
	if err := json.Unmarshal([]byte(r.ok("show", "1", "--json")), &p); err != nil {
		r.t.Fatal(err)
	}
	if p.Status != want {
		r.t.Fatalf("status %s (%s: %s), want %s\n%s", p.Status, p.Reason, p.Detail, want, r.story())
	}
	return p
}

// filesBesidePlans are the files on the main branch outside of plans/.
func (r *rig) filesBesidePlans() []string {
	r.t.Helper()
	var names []string
	for name := range strings.Lines(r.repo.Git("ls-tree", "-r", "--name-only", "main")) {
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, "plans/") {
			names = append(names, name)
		}
	}
	return names
}

// nothingLeft expects no process of this test's agents to live. Every process of theirs has the test's home.
func (r *rig) nothingLeft() {
	r.t.Helper()
	var left []string
	for range 20 {
		if left = r.processes(); len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Errorf("processes left behind:\n%s", strings.Join(left, "\n"))
}

// processes are the command lines of the live processes with the test's home in their environment.
func (r *rig) processes() []string {
	r.t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		r.t.Fatal(err)
	}
	var found []string
	for _, name := range environs {
		// A process that ended meanwhile, or has ended and was not waited for, has nothing to read.
		env, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(env, []byte("HOME="+r.home+"\x00")) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if err == nil && len(line) > 0 {
			found = append(found, filepath.Base(filepath.Dir(name))+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
