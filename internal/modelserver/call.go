package modelserver

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Role is who speaks in a message.
type Role string

// The roles of a conversation.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	// RoleCall is a tool call of the model, RoleTool what came of one.
	RoleCall Role = "call"
	RoleTool Role = "tool"
)

// Message is one piece of a conversation, whatever the protocol calls it.
type Message struct {
	Role Role
	Text string
}

// Call is one request as it came.
type Call struct {
	// Number counts requests from 1, of all kinds.
	Number       int
	Method, Path string
	Header       http.Header
	// Body are the bytes as they were received.
	Body []byte
	// Kind says what became of it.
	Kind Kind
	// What follows is read from Body where it asks for an answer of the model.
	Protocol string
	Model    string
	Stream   bool
	Tools    []string
	Messages []Message
	schemas  map[string]json.RawMessage
}

// Kind sorts requests.
type Kind string

// The kinds of request.
const (
	// KindTurn was answered by the script.
	KindTurn Kind = "turn"
	// KindRefused asked the model and did not fit the script.
	KindRefused Kind = "refused"
	// KindSide is something an agent asks beside the conversation: titles, quotas, lists of models, counts of tokens.
	KindSide Kind = "side"
	// KindKeyless asked the model without a key, and was refused as a provider would refuse it.
	KindKeyless Kind = "keyless"
	// KindUnknown is a path that no protocol here has.
	KindUnknown Kind = "unknown"
	// KindElsewhere is a request for another host, seen because the server was named as its proxy.
	KindElsewhere Kind = "elsewhere"
)

// fileTools and shellTools are the names under which the agents offer theirs.
var (
	fileTools  = []string{"Write", "write", "write_file", "create"}
	shellTools = []string{"Bash", "bash", "exec_command", "shell", "shell_command", "run_shell_command", "local_shell"}
)

// tool returns the call of one of the agent's own tools that does what t says; false where it offers none.
func (c Call) tool(t Tool) (name string, input map[string]any, ok bool) {
	if t.Shell != "" {
		for _, name := range shellTools {
			if slices.Contains(c.Tools, name) {
				return name, c.shellInput(name, t.Shell), true
			}
		}
		return "", nil, false
	}
	for _, name := range fileTools {
		if slices.Contains(c.Tools, name) {
			return name, c.fileInput(name, t), true
		}
	}
	// An agent without a tool for files writes them by commands.
	return c.tool(Tool{Shell: "cat > " + quote(t.Write) + " <<'END-OF-FILE'\n" + t.Content + "END-OF-FILE\n"})
}

func (c Call) shellInput(name, command string) map[string]any {
	switch {
	case name == "exec_command":
		return map[string]any{"cmd": command}
	case name == "shell":
		return map[string]any{"command": []string{"bash", "-lc", command}}
	default:
		input := map[string]any{"command": command}
		if strings.Contains(string(c.schemas[name]), `"description"`) {
			input["description"] = "what the plan asks for"
		}
		return input
	}
}

func (c Call) fileInput(name string, t Tool) map[string]any {
	switch name {
	case "create":
		return map[string]any{"path": t.Write, "file_text": t.Content}
	case "write":
		return map[string]any{"filePath": t.Write, "content": t.Content}
	default:
		return map[string]any{"file_path": t.Write, "content": t.Content}
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
