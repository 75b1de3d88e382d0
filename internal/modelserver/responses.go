package modelserver

import (
	"encoding/json"
	"net/http"
)

// responses is the Responses protocol.
var responses = protocol{
	name: "responses", read: readResponses, whole: wholeResponses, events: eventsResponses, failure: failureOpenAI,
}

// failureOpenAI is how the OpenAI protocols say what went wrong.
func failureOpenAI(a Answer) any {
	kind, code := "invalid_request_error", any(nil)
	switch {
	case a.Status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case a.Status == http.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case a.Status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	return map[string]any{"error": map[string]any{"type": kind, "code": code, "message": a.Message}}
}

func readResponses(_ *http.Request, c *Call) error {
	var body struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []struct {
			Type       string          `json:"type"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.Body, &body); err != nil {
		return err
	}
	c.Model, c.Stream, c.schemas = body.Model, body.Stream, map[string]json.RawMessage{}
	for _, t := range body.Tools {
		name := t.Name
		if name == "" {
			name = t.Type
		}
		c.Tools = append(c.Tools, name)
		c.schemas[name] = t.Parameters
	}
	if body.Instructions != "" {
		c.Messages = append(c.Messages, Message{RoleSystem, body.Instructions})
	}
	var text string
	if json.Unmarshal(body.Input, &text) == nil {
		c.Messages = append(c.Messages, Message{RoleUser, text})
		return nil
	}
	var items []struct {
		Type      string          `json:"type"`
		Role      Role            `json:"role"`
		Content   json.RawMessage `json:"content"`
		Name      string          `json:"name"`
		Arguments string          `json:"arguments"`
		Input     string          `json:"input"`
		Output    json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(body.Input, &items); err != nil {
		return err
	}
	for _, it := range items {
		switch it.Type {
		case "message", "":
			role := it.Role
			if role == "developer" {
				role = RoleSystem
			}
			c.Messages = append(c.Messages, Message{role, textOf(it.Content)})
		case "function_call", "custom_tool_call":
			c.Messages = append(c.Messages, Message{RoleCall, it.Name + " " + it.Arguments + it.Input})
		case "function_call_output", "custom_tool_call_output":
			c.Messages = append(c.Messages, Message{RoleTool, textOf(it.Output)})
		}
	}
	return nil
}

// responsesItems are the items of an answer.
func (r *reply) responsesItems() []map[string]any {
	var items []map[string]any
	if r.answer.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "id": "msg_" + r.id, "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": r.answer.Text, "annotations": []any{}}},
		})
	}
	for i, t := range r.answer.Tools {
		name, input, _ := r.call.tool(t)
		id := r.id + "_" + string(rune('a'+i))
		items = append(items, map[string]any{
			"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": name,
			"arguments": string(encode(input)), "status": "completed",
		})
	}
	return items
}

func (r *reply) response(status string, items any) map[string]any {
	u := r.answer.Usage
	out := map[string]any{"id": "resp_" + r.id, "object": "response", "model": r.call.Model, "status": status, "output": items}
	if status == "completed" {
		input, output := u.Input+u.CacheRead+u.CacheWrite, u.Output+u.Reasoning
		out["usage"] = map[string]any{
			"input_tokens": input, "output_tokens": output, "total_tokens": input + output,
			"input_tokens_details":  map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
			"output_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
		}
	}
	return out
}

func wholeResponses(r *reply) any { return r.response("completed", r.responsesItems()) }

func eventsResponses(r *reply) []event {
	say := func(name string, more map[string]any) event {
		more["type"] = name
		return event{name, more}
	}
	events := []event{say("response.created", map[string]any{"response": r.response("in_progress", []any{})})}
	items := r.responsesItems()
	for i, item := range items {
		events = append(events, say("response.output_item.added", map[string]any{"output_index": i, "item": item}))
		if item["type"] == "message" {
			events = append(events, say("response.output_text.delta", map[string]any{
				"output_index": i, "item_id": item["id"], "content_index": 0, "delta": r.answer.Text,
			}))
		}
		events = append(events, say("response.output_item.done", map[string]any{"output_index": i, "item": item}))
	}
	return append(events, say("response.completed", map[string]any{"response": r.response("completed", items)}))
}
