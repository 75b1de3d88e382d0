package runners

import (
	"path"
	"slices"
	"strings"
)

// sessionMarkers are globs over the variables by which an agent, an editor's terminal or a CI step tells the processes that
// it starts where they are. An agent that finds one may refuse to start, go on with another session or take another login,
// so none reaches an agent. agents/README.md has the list for people; pass_env lets single ones through.
var sessionMarkers = []string{
	// Claude Code: CLAUDECODE=1, CLAUDE_CODE_ENTRYPOINT, CLAUDE_CODE_SSE_PORT, CLAUDE_CODE_SESSION_ID and the like.
	"CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_PID",
	// Codex: the sandbox that it put its commands into, its thread.
	"CODEX_*",
	// Gemini CLI and Qwen Code.
	"GEMINI_CLI", "GEMINI_CLI_*", "QWEN_CODE", "QWEN_CODE_*",
	// OpenCode, Copilot, Cursor, Amp, Goose, Aider and what several of them set.
	"OPENCODE", "OPENCODE_*", "COPILOT_CLI", "COPILOT_AGENT_*", "CURSOR_AGENT", "CURSOR_TRACE_ID", "AMP_CURRENT_*", "GOOSE_*",
	"AI_AGENT", "AGENT",
	// A terminal inside an editor: the agent would talk to that editor.
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VSCODE_*", "ZED_*", "INSIDE_EMACS", "NVIM",
	// A multiplexer: nothing of ours is in its windows.
	"TMUX", "TMUX_PANE", "STY",
}

// providerSettings are globs that sessionMarkers would take and that are the person's own settings: which provider, which
// login, which folder.
var providerSettings = []string{
	"CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*_AUTH", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
	"CLAUDE_CODE_MAX_*", "CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_EXTRA_BODY", "CLAUDE_CODE_CLIENT_*",
	"CLAUDE_CODE_DISABLE_*", "CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_TMPDIR",
	"CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE",
	"GEMINI_CLI_HOME", "GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "QWEN_CODE_HOME",
	"OPENCODE_CONFIG", "OPENCODE_CONFIG_*", "OPENCODE_API_KEY", "OPENCODE_DISABLE_*", "GOOSE_PROVIDER", "GOOSE_MODEL",
}

// promptVariables start something that waits for a person: editors, pagers, windows that ask for a password.
var promptVariables = []string{
	"EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESS", "LESSOPEN", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "SUDO_ASKPASS", "BROWSER",
}

// isMarker reports whether the variable tells of an enclosing session.
func isMarker(name string) bool {
	return matchAny(sessionMarkers, name) && !matchAny(providerSettings, name)
}

// matchAny reports whether one of the globs matches the name; a broken glob matches nothing.
func matchAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		if !strings.ContainsAny(glob, `*?[\`) {
			return glob == name
		}
		ok, err := path.Match(glob, name)
		return err == nil && ok
	})
}
