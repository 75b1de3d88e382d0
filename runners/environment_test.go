package runners

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInherit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		secrets, pass []string
		kept          bool
	}{
		{name: "HOME", kept: true},
		{name: "PATH", kept: true},
		{name: "LANG", kept: true},
		{name: "HTTPS_PROXY", kept: true},
		{name: "SSH_AUTH_SOCK", kept: true},
		// The engine's git variables, and those of an enclosing run, whatever is asked for.
		{name: "GIT_DIR"},
		{name: "GIT_INDEX_FILE", pass: []string{"*"}},
		{name: "GIT_CONFIG_COUNT"},
		{name: "TENDRIL_RUN", pass: []string{"TENDRIL_*"}},
		{name: "TENDRIL_CRASH_AT"},
		// What waits for a person.
		{name: "EDITOR"},
		{name: "SSH_ASKPASS"},
		{name: "PAGER"},
		// Lesson 88: marks of an enclosing agent session.
		{name: "CLAUDECODE"},
		{name: "CLAUDE_CODE_ENTRYPOINT"},
		{name: "CLAUDE_CODE_SSE_PORT"},
		{name: "CLAUDE_CODE_SESSION_ID"},
		{name: "CODEX_SANDBOX"},
		{name: "CODEX_THREAD_ID"},
		{name: "GEMINI_CLI"},
		{name: "OPENCODE_PID"},
		{name: "CURSOR_AGENT"},
		{name: "VSCODE_IPC_HOOK_CLI"},
		{name: "TMUX"},
		{name: "CLAUDECODE", pass: []string{"CLAUDECODE"}, kept: true},
		{name: "OPENCODE_PID", pass: []string{"OPENCODE_*"}, kept: true},
		// The person's own settings of a provider.
		{name: "CLAUDE_CODE_USE_BEDROCK", kept: true},
		{name: "CLAUDE_CODE_MAX_OUTPUT_TOKENS", secrets: []string{"CLAUDE_CODE_*"}, kept: true},
		{name: "CLAUDE_CONFIG_DIR", kept: true},
		{name: "CODEX_HOME", kept: true},
		{name: "ANTHROPIC_BASE_URL", kept: true},
		{name: "OPENAI_BASE_URL", kept: true},
		// Secrets: the agent's own, and no others.
		{name: "ANTHROPIC_API_KEY"},
		{name: "ANTHROPIC_API_KEY", secrets: []string{"ANTHROPIC_*"}, kept: true},
		{name: "CLAUDE_CODE_OAUTH_TOKEN", secrets: []string{"CLAUDE_CODE_*"}, kept: true},
		{name: "OPENAI_API_KEY", secrets: []string{"ANTHROPIC_*"}},
		{name: "GITHUB_TOKEN"},
		{name: "AWS_SECRET_ACCESS_KEY"},
		{name: "AWS_SECRET_ACCESS_KEY", pass: []string{"AWS_*"}, kept: true},
		{name: "DATABASE_PASSWORD"},
	} {
		got := Inherit([]string{c.name + "=value"}, c.secrets, c.pass)
		if (len(got) == 1) != c.kept {
			t.Errorf("%s with secrets %v and pass %v: kept %v, want %v", c.name, c.secrets, c.pass, !c.kept, c.kept)
		}
	}
	if got := Inherit([]string{"", "=x", "NOVALUE", "A=b=c"}, nil, nil); !slices.Equal(got, []string{"A=b=c"}) {
		t.Errorf("got %q", got)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/w/0007-x")
	runs := Runs{Dir: filepath.FromSlash("/g/tendril/runs"), Environ: []string{"PATH=/usr/bin", "HOME=/home/p", "TERM=xterm", "A=inherited", "B=inherited", "C=inherited", "TENDRIL_PLAN=outer"}}
	s := Spec{
		Run: "r9", Key: "0007-x", Unit: "ExecutePlan", Round: 2, Attempt: 3, Candidate: "claude-opus", Slot: 4, Dir: dir,
		Agent: Agent{Name: "claude", Env: map[string]string{"A": "agent", "B": "agent"}}, Env: []string{"A=tree", "TENDRIL_RUN=evil", "GIT_AUTHOR_NAME=evil"},
		Path: []string{filepath.FromSlash("/tools")}, GitConfig: []GitSetting{{"core.hooksPath", "/hooks"}},
	}
	desk := filepath.Join(dir, ".tendril-run")
	sep := string(filepath.ListSeparator)
	want := []string{
		"A=tree", "B=agent", "C=inherited", "EDITOR=:",
		"GIT_ASKPASS=", "GIT_AUTHOR_EMAIL=0007-x@agent.tendril.localhost", "GIT_AUTHOR_NAME=0007-x (claude)",
		"GIT_COMMITTER_EMAIL=0007-x@agent.tendril.localhost", "GIT_COMMITTER_NAME=0007-x (claude)",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=commit.gpgSign", "GIT_CONFIG_KEY_1=tag.gpgSign", "GIT_CONFIG_KEY_2=core.hooksPath",
		"GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_VALUE_2=/hooks",
		"GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_SEQUENCE_EDITOR=:", "GIT_TERMINAL_PROMPT=0", "HOME=/home/p", "NO_COLOR=1", "PAGER=cat",
		"PATH=" + filepath.FromSlash("/tools") + sep + filepath.Join(runs.Dir, "r9", "bin") + sep + "/usr/bin", "PWD=" + dir, "SSH_ASKPASS_REQUIRE=never",
		"TENDRIL_ATTEMPT=3", "TENDRIL_CANDIDATE=claude-opus", "TENDRIL_FEEDBACK=" + filepath.Join(desk, "feedback.md"),
		"TENDRIL_FINDINGS=" + filepath.Join(desk, "findings"), "TENDRIL_MEMORY=" + filepath.Join(desk, "memory"), "TENDRIL_PLAN=0007-x",
		"TENDRIL_ROUND=2", "TENDRIL_RUN=r9", "TENDRIL_RUN_FOLDER=" + filepath.Join(runs.Dir, "r9"),
		"TENDRIL_SCOPE_REQUEST=" + filepath.Join(desk, "scope-request.md"), "TENDRIL_SLOT=4", "TENDRIL_SUMMARY=" + filepath.Join(desk, "summary.md"),
		"TENDRIL_UNIT=ExecutePlan", "TERM=dumb", "VISUAL=:",
	}
	if diff := cmp.Diff(want, runs.Environment(s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, kv := range forSupervisor(runs.Environment(s)) {
		if strings.HasPrefix(kv, "TENDRIL_RUN=") || strings.HasPrefix(kv, "TENDRIL_RUN_FOLDER=") {
			t.Errorf("the supervisor carries %s and would be hunted", kv)
		}
	}
}

// What is taken away is written down for people.
func TestMarkersAreDocumented(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("agents", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(sessionMarkers, promptVariables, slices.Sorted(maps.Keys(own(Spec{Candidate: "x"}))), []string{folderVariable}) {
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("agents/README.md does not name %s", name)
		}
	}
}

func TestEnvironmentOfThisProcess(t *testing.T) {
	t.Parallel()
	env := Runs{}.Environment(Spec{Run: "r", Dir: "/w"})
	for _, name := range []string{"PATH", "HOME"} {
		if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			t.Errorf("no %s", name)
		}
	}
}
