package modelserver

import "time"

// Turn is one request of a script and its answer. Turns are played in their order.
type Turn struct {
	// Name says in complaints which turn it is.
	Name string
	// Want are all to hold for the request, else the request is refused and the complaint is one of Problems.
	Want []Want
	// Answer is sent where they hold.
	Answer Answer
}

// Answer is what the model does on a request: it says something, calls tools, or fails.
type Answer struct {
	// Text is said first, then come Tools.
	Text  string
	Tools []Tool
	// Usage are the tokens that the answer reports.
	Usage Usage
	// Status other than 0 and 200 fails the request, with Message in the provider's form (or Body as it is) and Header.
	Status  int
	Message string
	Body    string
	Header  map[string]string
	// Cut ends the connection in the middle of the answer; Silent never answers, and holds the connection.
	Cut, Silent bool
	// Delay is waited before the answer.
	Delay time.Duration
	// Times is how often a request may come again and get the same answer (agents try failures again); 0 is once, and -1 is
	// without end: the next turn is then played by the first request that fits it.
	Times int
}

// Tool is a call of one of the agent's own tools. Only the names that the agent offered can be called.
type Tool struct {
	// Write is a path below Agent's folder, or absolute, with its new Content; Shell is a command. One of them is set.
	Write, Content string
	Shell          string
}

// Usage are the tokens of one answer, in buckets that do not overlap. A protocol that cannot say one leaves it out.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int
}

// FirstUsage and SecondUsage are figures of which no two are equal, and no sum is one of them: whatever is mapped wrongly
// comes out wrong.
var (
	FirstUsage  = Usage{Input: 101, CacheRead: 3001, CacheWrite: 2001, Output: 41, Reasoning: 70}
	SecondUsage = Usage{Input: 102, CacheRead: 5102, CacheWrite: 202, Output: 22, Reasoning: 30}
)

// Say is an answer of words.
func Say(text string, u Usage) Answer { return Answer{Text: text, Usage: u} }

// Write is an answer that writes a file by the agent's own tool.
func Write(text, path, content string, u Usage) Answer {
	return Answer{Text: text, Usage: u, Tools: []Tool{{Write: path, Content: content}}}
}

// Shell is an answer that runs a command by the agent's own tool.
func Shell(text, command string, u Usage) Answer {
	return Answer{Text: text, Usage: u, Tools: []Tool{{Shell: command}}}
}

// Fail is an answer of an HTTP status, given as often as it is asked for.
func Fail(status int, message string) Answer {
	return Answer{Status: status, Message: message, Times: -1}
}
