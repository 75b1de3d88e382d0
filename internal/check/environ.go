package check

import (
	"strings"

	"tendril/internal/redact"
)

// dropped are variables that would make a check behave otherwise than on a build server, or that tell it that an agent or
// an editor is around it.
var dropped = map[string]bool{
	"BASH_ENV": true, "SHELLOPTS": true, "BASHOPTS": true, "CDPATH": true, "PS4": true, "PROMPT_COMMAND": true, "OLDPWD": true,
	"EDITOR": true, "VISUAL": true, "PAGER": true, "SSH_ASKPASS": true, "FORCE_COLOR": true, "CLICOLOR_FORCE": true,
	"AI_AGENT": true, "GEMINI_CLI": true, "OPENCODE": true, "QWEN_CODE": true,
}

// droppedPrefixes are the families of such variables: the engine's and its runs', git's, and those by which agents mark
// what they start.
var droppedPrefixes = []string{"TENDRIL_", "GIT_", "CLAUDECODE", "CLAUDE_", "CODEX_", "CURSOR_", "COPILOT_", "OPENCODE_"}

// keptGit say where git's certificates and configuration are, and how it reaches remotes: not which repository is meant.
var keptGit = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_SSL_CAINFO": true, "GIT_SSL_CAPATH": true,
	"GIT_EXEC_PATH": true, "GIT_SSH_COMMAND": true, "GIT_SSH": true,
}

// Environ returns what a check in dir finds: environ ("NAME=value") less secrets (by redact.SecretName), less what belongs
// to the engine, an agent or a person's terminal, plus what makes programs quiet and headless (CI=1, …).
func Environ(environ []string, dir string) []string {
	env := make([]string, 0, len(environ)+8)
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); keeps(name) {
			env = append(env, kv)
		}
	}
	return append(env, "CI=1", "TERM=dumb", "PWD="+dir, "GIT_TERMINAL_PROMPT=0")
}

func keeps(name string) bool {
	if keptGit[name] {
		return true
	}
	if dropped[name] || redact.SecretName(name) {
		return false
	}
	for _, p := range droppedPrefixes {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return true
}
