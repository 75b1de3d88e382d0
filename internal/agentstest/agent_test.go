//go:build agents

package agentstest

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tendril/internal/modelserver"
)

// agent is what the tests must know of one agent to bring it up against the scripted model.
type agent struct {
	name string
	// configure writes the agent's own settings: the model server as its provider, a key, nothing that asks other hosts.
	configure func(*rig)
	// logOut takes the key away.
	logOut func(*rig)
	// limit is how its provider says that a limit ends at a time; endless is true where it cannot name one.
	limit   func(at time.Time) modelserver.Answer
	endless bool
	// denied is a command that it may not run with autonomy edit; empty where the model is offered no tool for commands then.
	denied string
	// asks are prefixes of other hosts that it asks for in passing, without waiting for an answer, and cannot be kept from.
	asks []string
	// slow are the tests that take it too long, with the reason; they run where everything is asked for.
	slow map[string]string
	// mended is what the two runs of mending cost.
	mended []row
}

// agents are all that the tests drive.
var agents = []agent{claude, codex, gemini, copilot, opencode}

// everyVariable asks for the slow tests too.
const everyVariable = "TEST_AGENTS_EVERY"

// installed is the folder with the agent's program; a test is skipped where the registry refused it.
func (a agent) installed(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(folderVariable)
	if folder == "" {
		t.Fatal(folderVariable + " is not set: run scripts/test-agents")
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	if why := cmp.Or(a.slow[name], a.slow[t.Name()]); why != "" && os.Getenv(everyVariable) == "" {
		t.Skip(why + "; scripts/test-agents --every runs it")
	}
	if why, err := os.ReadFile(filepath.Join(folder, a.name, "refused")); err == nil {
		t.Skipf("%s could not be installed: %s", a.name, why)
	}
	return filepath.Join(folder, a.name, "node_modules", ".bin")
}

var claude = agent{name: "claude", configure: func(r *rig) {
	r.set("ANTHROPIC_BASE_URL", r.server.URL())
	r.set("ANTHROPIC_API_KEY", "sk-ant-no-key")
	// As root it refuses autonomy full otherwise.
	r.set("IS_SANDBOX", "1")
}, logOut: func(r *rig) { r.set("ANTHROPIC_API_KEY", "") }, limit: func(at time.Time) modelserver.Answer {
	return modelserver.Fail(http.StatusTooManyRequests, fmt.Sprintf("Claude AI usage limit reached|%d", at.Unix()))
}, denied: "make greeting", mended: []row{
	uses("claude", "claude-opus-4-8[1m]", 203, 8103, 2203, 63, -1, "0.02041025", "reported"),
	// Of a session that it goes on with it names the model without the suffix.
	uses("claude", "claude-opus-4-8", 207, 16507, 1107, 69, -1, "0.01793225", "reported"),
}}

var codex = agent{name: "codex", configure: func(r *rig) {
	r.set("OPENAI_API_KEY", "sk-no-key")
	r.writeHome(".codex/config.toml", `model = "gpt-5-codex"
model_provider = "scripted"

# A list of plugins is fetched at every start otherwise.
[features]
plugins = false

[model_providers.scripted]
name = "scripted"
base_url = "`+r.server.URL()+`/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`)
}, logOut: func(r *rig) { r.set("OPENAI_API_KEY", "") }, limit: func(at time.Time) modelserver.Answer {
	a := modelserver.Fail(http.StatusTooManyRequests, "")
	a.Body = fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":%d}}`, at.Unix())
	return a
}, denied: "touch ~/outside", mended: []row{
	uses("codex", "", 203, 8103, 2203, 63, 100, "", "unknown"),
	// It counts over the whole thread; this is the second run alone.
	uses("codex", "", 207, 16507, 1107, 69, 119, "", "unknown"),
}}
