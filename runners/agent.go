package runners

// The two autonomies: how much an agent may do without asking.
const (
	// AutonomyEdit: change files in the worktree, run no commands.
	AutonomyEdit = "edit"
	// AutonomyFull: anything.
	AutonomyFull = "full"
)

// Agent is an agent's file: how its program is called and how its output reads. See agents/README.md for each key.
type Agent struct {
	// Name is the file's name without .yaml.
	Name string `yaml:"-" json:"name"`
	// Command, Resume and Attach are argument lists, each element a template.
	Command []string `yaml:"command" json:"command"`
	Resume  []string `yaml:"resume" json:"resume,omitempty"`
	Attach  []string `yaml:"attach" json:"attach,omitempty"`
	// Autonomy has the arguments that tell the agent how much it may do.
	Autonomy Autonomy `yaml:"autonomy" json:"autonomy"`
	// Prompt says how the prompt reaches it: PromptStdin, PromptArg or PromptFile.
	Prompt string `yaml:"prompt" json:"prompt"`
	// Output says how its stdout reads: OutputJSONL or OutputText.
	Output string `yaml:"output" json:"output"`
	// Env keeps it quiet and headless.
	Env map[string]string `yaml:"env" json:"env,omitempty"`
	// Secrets are globs over the names of the secret variables that are this agent's own (ANTHROPIC_*).
	Secrets []string `yaml:"secrets" json:"secrets,omitempty"`
	// Writes are the folders of its own state, for the sandbox.
	Writes []string `yaml:"writes" json:"writes,omitempty"`
	// Usage says how its usage events add up: UsageTotal, UsagePerMessage, UsageCumulative or UsageNone.
	Usage string `yaml:"usage" json:"usage"`
	// Events is the jq program from a line of output to events.
	Events string `yaml:"events" json:"events,omitempty"`
	// Limits are patterns, without regard to case, of messages that say: wait and try again.
	Limits []string `yaml:"limits" json:"limits,omitempty"`
	// Login and Install say to a person, in a line, how to log in and how to install it.
	Login   string `yaml:"login" json:"login,omitempty"`
	Install string `yaml:"install" json:"install,omitempty"`
	// Version is the argument list that prints its version; Tested are the versions that this file was seen to work with:
	// one, or the first and the last.
	Version []string `yaml:"version" json:"version,omitempty"`
	Tested  []string `yaml:"tested" json:"tested,omitempty"`
	// LoggedIn is the argument list that exits with 0 where somebody is logged in, at no cost.
	LoggedIn []string `yaml:"logged_in" json:"logged_in,omitempty"`
	// Profiles name models and efforts.
	Profiles map[string]Profile `yaml:"profiles" json:"profiles,omitempty"`
}

// Autonomy has the arguments for each autonomy, and the variables for an agent that is told by its environment.
type Autonomy struct {
	Edit    []string          `yaml:"edit" json:"edit,omitempty"`
	Full    []string          `yaml:"full" json:"full,omitempty"`
	EditEnv map[string]string `yaml:"edit_env" json:"edit_env,omitempty"`
	FullEnv map[string]string `yaml:"full_env" json:"full_env,omitempty"`
}

// Profile is a named model and effort.
type Profile struct {
	Model  string `yaml:"model" json:"model,omitempty"`
	Effort string `yaml:"effort" json:"effort,omitempty"`
}

// How a prompt reaches an agent.
const (
	// PromptStdin: on stdin, which then ends.
	PromptStdin = "stdin"
	// PromptArg: as {{.Prompt}} in the command; stdin is the null device.
	PromptArg = "arg"
	// PromptFile: as {{.PromptFile}} or {{.ScriptFile}} in the command; stdin is the null device.
	PromptFile = "file"
)

// How an agent's stdout reads.
const (
	// OutputJSONL: one JSON value a line, mapped by Events.
	OutputJSONL = "jsonl"
	// OutputText: words for people; the exit code alone tells the result.
	OutputText = "text"
)

// How an agent's usage events add up.
const (
	// UsageTotal: the last event of an id is that id's total for this run.
	UsageTotal = "total"
	// UsagePerMessage: one event a message, repeated or not; messages add up.
	UsagePerMessage = "per-message"
	// UsageCumulative: totals over the whole session, earlier runs included.
	UsageCumulative = "cumulative"
	// UsageNone: no model is asked: no tokens, no cost.
	UsageNone = "none"
)
