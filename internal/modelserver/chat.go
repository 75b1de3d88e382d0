package modelserver

import (
	"encoding/json"
	"net/http"
)

// chat is the Chat Completions protocol.
var chat = protocol{name: "chat", read: readChat, whole: wholeChat, events: eventsChat, failure: failureOpenAI}

func readChat(_ *http.Request, c *Call) error {
	var body struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      Role            `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls []struct {
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.Body, &body); err != nil {
		return err
	}
	c.Model, c.Stream, c.schemas = body.Model, body.Stream, map[string]json.RawMessage{}
	for _, t := range body.Tools {
		c.Tools = append(c.Tools, t.Function.Name)
		c.schemas[t.Function.Name] = t.Function.Parameters
	}
	for _, m := range body.Messages {
		text := ""
		if len(m.Content) > 0 && string(m.Content) != "null" {
			text = textOf(m.Content)
		}
		if text != "" || len(m.ToolCalls) == 0 {
			c.Messages = append(c.Messages, Message{m.Role, text})
		}
		for _, call := range m.ToolCalls {
			c.Messages = append(c.Messages, Message{RoleCall, call.Function.Name + " " + call.Function.Arguments})
		}
	}
	return nil
}

// chatCalls are the tool calls of an answer.
func (r *reply) chatCalls() []map[string]any {
	var calls []map[string]any
	for i, t := range r.answer.Tools {
		name, input, _ := r.call.tool(t)
		calls = append(calls, map[string]any{
			"index": i, "id": "call_" + r.id + "_" + string(rune('a'+i)), "type": "function",
			"function": map[string]any{"name": name, "arguments": string(encode(input))},
		})
	}
	return calls
}

func (r *reply) chatStop() string {
	if len(r.answer.Tools) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (r *reply) chatUsage() map[string]any {
	u := r.answer.Usage
	input, output := u.Input+u.CacheRead+u.CacheWrite, u.Output+u.Reasoning
	return map[string]any{
		"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

func (r *reply) chatChunk(kind string, choices []any, more map[string]any) map[string]any {
	out := map[string]any{"id": "chatcmpl-" + r.id, "object": kind, "created": 1, "model": r.call.Model, "choices": choices}
	for name, value := range more {
		out[name] = value
	}
	return out
}

func wholeChat(r *reply) any {
	message := map[string]any{"role": "assistant", "content": r.answer.Text}
	if calls := r.chatCalls(); len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return r.chatChunk("chat.completion", []any{map[string]any{"index": 0, "message": message, "finish_reason": r.chatStop()}},
		map[string]any{"usage": r.chatUsage()})
}

func eventsChat(r *reply) []event {
	say := func(delta map[string]any, stop any) event {
		return event{"", r.chatChunk("chat.completion.chunk", []any{map[string]any{"index": 0, "delta": delta, "finish_reason": stop}}, nil)}
	}
	events := []event{say(map[string]any{"role": "assistant", "content": ""}, nil)}
	if r.answer.Text != "" {
		events = append(events, say(map[string]any{"content": r.answer.Text}, nil))
	}
	for _, call := range r.chatCalls() {
		events = append(events, say(map[string]any{"tool_calls": []any{call}}, nil))
	}
	return append(events,
		say(map[string]any{}, r.chatStop()),
		event{"", r.chatChunk("chat.completion.chunk", []any{}, map[string]any{"usage": r.chatUsage()})},
		event{"", "[DONE]"},
	)
}
