package modelserver

import (
	"encoding/json"
	"net/http"
)

// anthropic is the Messages protocol.
var anthropic = protocol{
	name: "anthropic", read: readAnthropic, whole: wholeAnthropic, events: eventsAnthropic,
	failure: func(a Answer) any {
		kind := map[int]string{
			400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
			429: "rate_limit_error", 529: "overloaded_error",
		}[a.Status]
		if kind == "" {
			kind = "api_error"
		}
		return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": a.Message}}
	},
}

type anthropicBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

func readAnthropic(_ *http.Request, c *Call) error {
	var body struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    Role            `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.Body, &body); err != nil {
		return err
	}
	c.Model, c.Stream, c.schemas = body.Model, body.Stream, map[string]json.RawMessage{}
	for _, t := range body.Tools {
		c.Tools = append(c.Tools, t.Name)
		c.schemas[t.Name] = t.Schema
	}
	if len(body.System) > 0 {
		c.Messages = append(c.Messages, Message{RoleSystem, textOf(body.System)})
	}
	for _, m := range body.Messages {
		var blocks []anthropicBlock
		if json.Unmarshal(m.Content, &blocks) != nil {
			c.Messages = append(c.Messages, Message{m.Role, textOf(m.Content)})
			continue
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				c.Messages = append(c.Messages, Message{m.Role, b.Text})
			case "tool_use":
				c.Messages = append(c.Messages, Message{RoleCall, b.Name + " " + string(b.Input)})
			case "tool_result":
				c.Messages = append(c.Messages, Message{RoleTool, textOf(b.Content)})
			}
		}
	}
	return nil
}

// anthropicContent are the blocks of an answer.
func (r *reply) anthropicContent() []map[string]any {
	var blocks []map[string]any
	if r.answer.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": r.answer.Text})
	}
	for i, t := range r.answer.Tools {
		name, input, _ := r.call.tool(t)
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": "toolu_" + r.id + "_" + string(rune('a'+i)), "name": name, "input": input})
	}
	return blocks
}

func (r *reply) anthropicStop() string {
	if len(r.answer.Tools) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (r *reply) anthropicUsage() map[string]any {
	u := r.answer.Usage
	return map[string]any{
		"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite, "output_tokens": u.Output,
	}
}

func (r *reply) anthropicMessage(content any, stop any, usage map[string]any) map[string]any {
	return map[string]any{
		"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": r.call.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
}

func wholeAnthropic(r *reply) any {
	return r.anthropicMessage(r.anthropicContent(), r.anthropicStop(), r.anthropicUsage())
}

func eventsAnthropic(r *reply) []event {
	begin := r.anthropicUsage()
	begin["output_tokens"] = 1
	events := []event{{"message_start", map[string]any{"type": "message_start", "message": r.anthropicMessage([]any{}, nil, begin)}}}
	for i, block := range r.anthropicContent() {
		var delta map[string]any
		empty := map[string]any{"type": block["type"]}
		if block["type"] == "text" {
			empty["text"] = ""
			delta = map[string]any{"type": "text_delta", "text": block["text"]}
		} else {
			empty["id"], empty["name"], empty["input"] = block["id"], block["name"], map[string]any{}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(encode(block["input"]))}
		}
		events = append(events,
			event{"content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": empty}},
			event{"content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta}},
			event{"content_block_stop", map[string]any{"type": "content_block_stop", "index": i}},
		)
	}
	return append(events,
		event{"message_delta", map[string]any{
			"type": "message_delta", "delta": map[string]any{"stop_reason": r.anthropicStop(), "stop_sequence": nil}, "usage": r.anthropicUsage(),
		}},
		event{"message_stop", map[string]any{"type": "message_stop"}},
	)
}
