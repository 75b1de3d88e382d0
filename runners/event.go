package runners

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// EventType names what an event says.
type EventType string

// The types of event.
const (
	EventSession EventType = "session"
	EventText    EventType = "text"
	EventTool    EventType = "tool"
	EventUsage   EventType = "usage"
	EventResult  EventType = "result"
	EventError   EventType = "error"
)

// Event is one thing that an agent said or did; which fields are set depends on Type (agents/README.md).
type Event struct {
	Type EventType `json:"type"`
	// ID is a session's id, or that of what a usage event counts.
	ID string `json:"id,omitempty"`
	// Model is the model that a session, a usage, a text or a tool event names.
	Model string `json:"model,omitempty"`
	// Text is a text's or a result's. A text that comes in pieces is given as it is so far, with Delta set, as often as a
	// piece comes.
	Text  string `json:"text,omitempty"`
	Delta bool   `json:"delta,omitempty"`
	// Name and Target are a tool's.
	Name   string `json:"name,omitempty"`
	Target string `json:"target,omitempty"`
	// Usage are a usage event's buckets.
	Usage Usage `json:"usage,omitzero"`
	// OK is a result's; one that is Final is not overruled by a later one.
	OK    bool `json:"ok,omitempty"`
	Final bool `json:"final,omitempty"`
	// Kind, Message and Reset are an error's; with Retry the agent tries again by itself, and it counts only where no result
	// follows.
	Kind    ErrorKind  `json:"kind,omitempty"`
	Message string     `json:"message,omitempty"`
	Retry   bool       `json:"retry,omitempty"`
	Reset   *time.Time `json:"reset,omitempty"`
}

// kinds are what an event may call an error; anything else is KindOther.
var kinds = map[ErrorKind]bool{
	KindLogin: true, KindLimit: true, KindOverload: true, KindDenied: true, KindContext: true, KindNetwork: true,
	KindSession: true,
}

// toEvent makes an event of what the jq program put out; false when it is none that Tendril knows.
func toEvent(v any) (Event, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return Event{}, false
	}
	text := func(key string) string { s, _ := m[key].(string); return s }
	ev := Event{Type: EventType(text("type"))}
	switch ev.Type {
	case EventSession:
		ev.ID, ev.Model = text("id"), text("model")
		return ev, ev.ID != ""
	case EventText:
		ev.Text, ev.Model = text("text"), text("model")
		ev.Delta, _ = m["delta"].(bool)
	case EventTool:
		ev.Name, ev.Target, ev.Model = text("name"), text("target"), text("model")
	case EventUsage:
		ev.ID, ev.Model = text("id"), text("model")
		ev.Usage = toUsage(m)
	case EventResult:
		ev.Text = text("text")
		ev.Final, _ = m["final"].(bool)
		ev.OK, ok = m["ok"].(bool)
		return ev, ok
	case EventError:
		ev.Kind, ev.Message, ev.Reset = ErrorKind(text("kind")), text("message"), toTime(m["reset"])
		ev.Retry, _ = m["retry"].(bool)
		if !kinds[ev.Kind] {
			ev.Kind = KindOther
		}
	default:
		return Event{}, false
	}
	return ev, true
}

func toUsage(m map[string]any) Usage {
	u := Usage{
		Input: toCount(m["input"]), CacheRead: toCount(m["cache_read"]), CacheWrite: toCount(m["cache_write"]),
		Output: toCount(m["output"]), Reasoning: toCount(m["reasoning"]),
	}
	if usd, ok := toFloat(m["usd"]); ok && usd >= 0 && !math.IsInf(usd, 0) && !math.IsNaN(usd) {
		u.USD, u.Source = &usd, CostAgent
	}
	return u
}

// toCount returns a count of tokens; what is none (negative, broken, a word) is unknown.
func toCount(v any) *int64 {
	f, ok := toFloat(v)
	if !ok || f < 0 || f != math.Trunc(f) || f > 1<<53 {
		return nil
	}
	n := int64(f)
	return &n
}

func toFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case string:
		// Some write their numbers as text.
		f, err := strconv.ParseFloat(n, 64)
		return f, err == nil
	}
	return 0, false
}

// toTime reads seconds since 1970 or an RFC 3339 time; anything else is unknown.
func toTime(v any) *time.Time {
	if s, ok := v.(string); ok {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			return &at
		}
		return nil
	}
	seconds, ok := toFloat(v)
	if !ok || seconds <= 0 || seconds > 1e11 {
		return nil
	}
	at := time.Unix(int64(seconds), 0).UTC()
	return &at
}
