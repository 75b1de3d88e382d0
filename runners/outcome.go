package runners

import "time"

// Result says in one word how a run ended.
type Result string

// The results of a run.
const (
	// OK: the agent said that it is done (jsonl), or exited with 0 (text). It proves nothing about the work.
	OK Result = "ok"
	// Failed: the agent ended otherwise, or could not be started; Outcome.Err says why.
	Failed Result = "failed"
	// Timeout: the run's time limit ended it.
	Timeout Result = "timeout"
	// Stalled: no output and no working descendant for as long as Spec.Stall.
	Stalled Result = "stalled"
	// Stopped: somebody asked for it; Outcome.Stop says who or why.
	Stopped Result = "stopped"
	// Lost: the supervisor died before the run's end. What the agent wrote until then is in the Outcome.
	Lost Result = "lost"
)

// Outcome is what came of one run. What is not known is empty or nil.
type Outcome struct {
	// Run, Key and Unit are the Spec's.
	Run  string `json:"run"`
	Key  string `json:"key,omitempty"`
	Unit string `json:"unit,omitempty"`
	// Started is when the agent was started; Seconds is the wall time until its end.
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	// Exit is the agent's exit code, -1 when a signal ended it or nobody saw the end. Signal names the signal.
	Exit   int    `json:"exit"`
	Signal string `json:"signal,omitempty"`
	// Result says how it ended, Stop why it was stopped.
	Result Result `json:"result"`
	Stop   string `json:"stop,omitempty"`
	// Recovered is true when the supervisor was gone and this was put together afterwards from the run's files.
	Recovered bool `json:"recovered,omitempty"`
	// Session is the agent's id for the conversation, for Spec.Session of the next run; Model what it named as its model.
	Session string `json:"session,omitempty"`
	Model   string `json:"model,omitempty"`
	// Text is the agent's last words, Summary what it wrote to $TENDRIL_SUMMARY (else its last words).
	Text    string `json:"text,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Memory are the notes from $TENDRIL_MEMORY, Findings those from $TENDRIL_FINDINGS, by name.
	Memory   []Note `json:"memory,omitempty"`
	Findings []Note `json:"findings,omitempty"`
	// ScopeRequest is what it wrote to $TENDRIL_SCOPE_REQUEST.
	ScopeRequest string `json:"scope_request,omitempty"`
	// Usage is what this run alone used; SessionUsage, for agents that count over the session, the session's total.
	Usage        Usage  `json:"usage"`
	SessionUsage *Usage `json:"session_usage,omitempty"`
	// Parts are Usage by model and by long request, where that decides on a price that the agent does not tell.
	Parts []Part `json:"parts,omitempty"`
	// Denied names the tools that the agent wanted and was not allowed.
	Denied []string `json:"denied,omitempty"`
	// Err says what went wrong; nil when Result is OK.
	Err *AgentError `json:"error,omitempty"`
	// Left are processes of the run that could not be ended; a person must look.
	Left []int `json:"left,omitempty"`
}

// Note is one Markdown file that the agent left in a folder of notes.
type Note struct {
	// Name is the file's name, without a folder.
	Name string `json:"name"`
	Text string `json:"text"`
	// Cut is true when the file was longer than is kept.
	Cut bool `json:"cut,omitempty"`
}

// Usage counts tokens in five buckets that do not overlap, and money. Nil is unknown, never zero.
type Usage struct {
	// Input is what was read without a cache.
	Input      *int64 `json:"input"`
	CacheRead  *int64 `json:"cache_read"`
	CacheWrite *int64 `json:"cache_write"`
	// Output is without reasoning where the agent tells them apart; else it holds both and Reasoning is nil.
	Output    *int64 `json:"output"`
	Reasoning *int64 `json:"reasoning"`
	// USD is the cost; Source says where the figure comes from.
	USD    *float64   `json:"usd"`
	Source CostSource `json:"source,omitempty"`
}

// CostSource says where a cost comes from.
type CostSource string

// The sources of a cost.
const (
	// CostAgent: the agent's own figure.
	CostAgent CostSource = "reported"
	// CostTable: tokens times a price table.
	CostTable CostSource = "priced"
	// CostNone: an agent without a model; it costs nothing, and that is known.
	CostNone CostSource = "no cost"
	// CostUnknown: neither; the cost is nil.
	CostUnknown CostSource = "unknown"
)

// ErrorKind sorts what an agent can fail of.
type ErrorKind string

// The kinds of error. All but KindStart come from the agent's events.
const (
	KindLogin    ErrorKind = "login"
	KindLimit    ErrorKind = "limit"
	KindOverload ErrorKind = "overload"
	KindDenied   ErrorKind = "denied"
	KindContext  ErrorKind = "context"
	KindNetwork  ErrorKind = "network"
	// KindSession: the session that was to be gone on with is not there any more.
	KindSession ErrorKind = "session"
	KindOther   ErrorKind = "other"
	// KindStart: the agent never ran (no such program, no run block for this attempt); trying again changes nothing.
	KindStart ErrorKind = "start"
)

// AgentError is why a run did not end well.
type AgentError struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
	// Reset is when a limit ends, where the agent said so.
	Reset *time.Time `json:"reset,omitempty"`
}

// Error gives the message with its kind.
func (e *AgentError) Error() string { return string(e.Kind) + ": " + e.Message }

// Wait reports whether the agent only asked to wait and try again (a limit, an overload): no attempt is spent.
func (e *AgentError) Wait() bool {
	return e != nil && (e.Kind == KindLimit || e.Kind == KindOverload)
}
