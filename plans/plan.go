package plans

// AgentRef names an agent and, where the plan asks for one, its model: "claude" or "claude:opus".
type AgentRef struct{ Name, Model string }

// String returns the entry as the front matter has it.
func (a AgentRef) String() string {
	if a.Model == "" {
		return a.Name
	}
	return a.Name + ":" + a.Model
}

// Plan is one plan.md, read. It is shared between readers: nobody changes it.
type Plan struct {
	// Key is the folder's name, Path the file's, with slashes, relative to the repository.
	Key  Key
	Path string
	// Blob is the git blob id of the whole file, TextID the one without its status and choose lines.
	Blob, TextID string
	// Title is the front matter's, else the first heading's text: one line, never empty.
	Title  string
	Status Status
	// Priority: higher runs first; 0 when the plan does not say.
	Priority int
	// DependsOn are plan numbers in decimal without leading zeros, or keys.
	DependsOn []string
	// Scope are gitignore-style globs; none is no limit.
	Scope []string
	// Agent is nil when the plan does not say. Agents make it a race, one candidate each.
	Agent  *AgentRef
	Agents []AgentRef
	// Profile is deep, balanced, quick or empty.
	Profile string
	// Preset names a workspace preset.
	Preset string
	// Skip holds the checks to leave out, each with its reason.
	Skip map[string]string
	// Budget in USD; nil when the plan does not say.
	Budget *float64
	// MaxAttempts is at least 1; nil when the plan does not say.
	MaxAttempts *int
	// Base is the branch that the work starts from, Source where the plan came from, Choose the picked candidate.
	Base, Source, Choose string
	// Text is the whole file, Body what follows the front matter.
	Text, Body []byte
	// Unknown lists top-level keys that Tendril does not know, in the file's order.
	Unknown []string
}
