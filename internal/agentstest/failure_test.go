//go:build agents

package agentstest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/modelserver"
)

// each runs a test for every agent.
func each(t *testing.T, do func(*testing.T, agent)) {
	t.Parallel()
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			do(t, a)
		})
	}
}

// always is a script of one answer, given without end.
func always(name string, a modelserver.Answer) func(string) []modelserver.Turn {
	a.Times = -1
	return func(string) []modelserver.Turn { return []modelserver.Turn{{Name: name, Answer: a}} }
}

// Who is not logged in is told how, after one run: no other attempt would help.
func TestNotLoggedIn(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "edit", loggedOut: true}, func(string) []modelserver.Turn { return nil })
		r.failsOfLogin()
		if turns := r.server.Turns(); len(turns) > 0 {
			t.Errorf("the model was asked %d times", len(turns))
		}
	})
}

func TestAKeyThatIsRefused(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "edit"}, always("401", modelserver.Fail(http.StatusUnauthorized, "invalid key")))
		r.failsOfLogin()
		r.byTheScript()
	})
}

// failsOfLogin expects one run, and a failure that says how to log in.
func (r *rig) failsOfLogin() {
	r.t.Helper()
	begin := time.Now()
	if _, _, code := r.run("run", "--once"); code != 3 {
		r.t.Errorf("exit code %d, want 3", code)
	}
	if took := time.Since(begin); took > 2*time.Minute {
		r.t.Errorf("it took %s", took)
	}
	if p := r.status("failed"); p.Reason != "agent" || !strings.Contains(p.Detail, "login: ") || !strings.Contains(p.Detail, "log in: run ") {
		r.t.Errorf("%s: %s\n%s", p.Reason, p.Detail, r.story())
	}
	if n := len(r.outcomes()); n != 1 {
		r.t.Errorf("%d runs, want 1", n)
	}
	r.nothingLeft()
}

// A limit is waited for until the time that it names; no attempt is spent.
func TestALimitThatNamesItsEnd(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		end := time.Now().Add(2 * time.Hour)
		r := newRig(t, setup{agent: a, autonomy: "edit"}, always("limit", a.limit(end)))
		r.start("run", "--once")
		var waits string
		r.waitFor("it waits for the limit", func() bool {
			out, _, _ := r.run("show", "1", "--json")
			var p struct {
				Waits   string
				Attempt int
			}
			if err := json.Unmarshal([]byte(out), &p); err != nil {
				t.Fatal(err)
			}
			waits = p.Waits
			return strings.Contains(waits, "limit")
		})
		if a.endless {
			return
		}
		// Some name the minute alone: then the next one is waited for.
		after := "until " + end.UTC().Truncate(time.Minute).Add(time.Minute).Format(time.TimeOnly)
		if exact := "until " + end.UTC().Format(time.TimeOnly); !strings.Contains(waits, exact) && !strings.Contains(waits, after) {
			t.Errorf("it waits for %q, want %s or %s\n%s", waits, exact, after, r.story())
		}
	})
}

// After the limit the work goes on in the session that there is, as the same attempt.
func TestWorkGoesOnAfterALimit(t *testing.T) {
	t.Parallel()
	end := time.Now().Add(15 * time.Second)
	r := newRig(t, setup{agent: claude, autonomy: "edit"}, func(tree string) []modelserver.Turn {
		again := []modelserver.Want{modelserver.Conversation(user(planText), user("was cut off before its end"))}
		return []modelserver.Turn{
			{Name: "limit", Answer: claude.limit(end)},
			{Name: "again", Want: again, Answer: modelserver.Write(beginsGreeting, filepath.Join(tree, "greeting.txt"), "hello\n", modelserver.FirstUsage)},
			{Name: "done", Want: again, Answer: modelserver.Say(endsGreeting, modelserver.SecondUsage)},
		}
	})
	r.ok("run", "--once")
	r.byTheScript()
	r.status("in-review")
	if time.Now().Before(end) {
		t.Error("it did not wait")
	}
	if rows := r.costs(); len(rows) != 2 || rows[0].Outcome != "failed" || rows[1].Outcome != "ok" {
		t.Errorf("%+v", rows)
	}
}

// An overload that passes and a connection that breaks are the agent's to get over.
func TestTroubleThatPasses(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "edit"}, func(tree string) []modelserver.Turn {
			return []modelserver.Turn{
				{Name: "overload", Answer: modelserver.Answer{Status: http.StatusServiceUnavailable, Message: "overloaded"}},
				{Name: "cut", Answer: modelserver.Answer{Text: "half a sentence that", Cut: true}},
				{Name: "the plan", Want: []modelserver.Want{modelserver.Holds(modelserver.RoleUser, planText)}, Answer: modelserver.Write(
					beginsGreeting, filepath.Join(tree, "greeting.txt"), "hello\n", modelserver.FirstUsage)},
				{Name: "done", Answer: modelserver.Say(endsGreeting, modelserver.SecondUsage)},
			}
		})
		r.ok("run", "--once")
		r.byTheScript()
		r.status("in-review")
	})
}

// A server that never answers is not waited for without end.
func TestASilentServer(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "edit", config: "stall: 5s\n"}, always("silence", modelserver.Answer{Silent: true}))
		if _, _, code := r.run("run", "--once"); code != 3 {
			t.Errorf("exit code %d, want 3", code)
		}
		if p := r.status("failed"); p.Reason != "stalled" {
			t.Errorf("%s: %s", p.Reason, p.Detail)
		}
		r.nothingLeft()
	})
}

// With autonomy edit a command is refused; the agent ends well, and its run is one that changed nothing.
func TestADeniedTool(t *testing.T) {
	each(t, func(t *testing.T, a agent) {
		r := newRig(t, setup{agent: a, autonomy: "edit"}, func(string) []modelserver.Turn {
			if a.denied == "" {
				return []modelserver.Turn{{
					Name: "the plan", Want: []modelserver.Want{modelserver.Offers(false)}, Answer: modelserver.Say("I cannot.", modelserver.FirstUsage),
				}}
			}
			return []modelserver.Turn{
				{Name: "the plan", Answer: modelserver.Shell("I will run a command.", a.denied, modelserver.FirstUsage)},
				{Name: "refused", Answer: modelserver.Say("I was not allowed to.", modelserver.SecondUsage)},
			}
		})
		if _, _, code := r.run("run", "--once"); code != 3 {
			t.Errorf("exit code %d, want 3", code)
		}
		if p := r.status("failed"); p.Reason != "no-changes" {
			t.Errorf("%s: %s", p.Reason, p.Detail)
		}
		data, err := os.ReadFile(r.outcomes()[0])
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Result string
			Denied []string
		}
		refused := 1
		if a.denied == "" || a.name == "codex" && !strings.Contains(r.story(), `"command_execution"`) {
			// Of a command that its sandbox ends at once codex sometimes tells nothing.
			refused = 0
		}
		if err := json.Unmarshal(data, &out); err != nil || out.Result != "ok" || len(out.Denied) != refused {
			t.Errorf("%+v, %v\n%s", out, err, r.story())
		}
		r.byTheScript()
	})
}
