package modelserver

import (
	"encoding/json"
	"net/http"
	"strings"
)

// gemini is the generateContent protocol; the path names the model and whether the answer streams.
var gemini = protocol{
	name: "gemini", read: readGemini, whole: wholeGemini, events: func(r *reply) []event { return []event{{"", wholeGemini(r)}} },
	failure: func(a Answer) any {
		word := map[int]string{
			400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE",
		}[a.Status]
		if word == "" {
			word = "INTERNAL"
		}
		return map[string]any{"error": map[string]any{"code": a.Status, "message": a.Message, "status": word}}
	},
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text         string          `json:"text"`
		Thought      bool            `json:"thought"`
		FunctionCall json.RawMessage `json:"functionCall"`
		Response     json.RawMessage `json:"functionResponse"`
	} `json:"parts"`
}

func (g geminiContent) messages(words Role) []Message {
	var out []Message
	for _, p := range g.Parts {
		switch {
		case len(p.FunctionCall) > 0:
			out = append(out, Message{RoleCall, string(p.FunctionCall)})
		case len(p.Response) > 0:
			out = append(out, Message{RoleTool, string(p.Response)})
		case !p.Thought:
			out = append(out, Message{words, p.Text})
		}
	}
	return out
}

func readGemini(req *http.Request, c *Call) error {
	var body struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.Body, &body); err != nil {
		return err
	}
	name, verb, _ := strings.Cut(req.URL.Path[strings.LastIndex(req.URL.Path, "/")+1:], ":")
	c.Model, c.Stream, c.schemas = name, verb == "streamGenerateContent", map[string]json.RawMessage{}
	for _, t := range body.Tools {
		for _, f := range t.Functions {
			c.Tools = append(c.Tools, f.Name)
			c.schemas[f.Name] = f.Schema
		}
	}
	c.Messages = body.System.messages(RoleSystem)
	for _, content := range body.Contents {
		role := RoleUser
		if content.Role == "model" {
			role = RoleAssistant
		}
		c.Messages = append(c.Messages, content.messages(role)...)
	}
	return nil
}

func wholeGemini(r *reply) any {
	var parts []any
	if r.answer.Text != "" {
		parts = append(parts, map[string]any{"text": r.answer.Text})
	}
	for _, t := range r.answer.Tools {
		name, input, _ := r.call.tool(t)
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": name, "args": input}})
	}
	u := r.answer.Usage
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return map[string]any{
		"candidates":   []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"modelVersion": r.call.Model, "responseId": r.id,
		"usageMetadata": map[string]any{
			"promptTokenCount": prompt, "cachedContentTokenCount": u.CacheRead, "candidatesTokenCount": u.Output,
			"thoughtsTokenCount": u.Reasoning, "totalTokenCount": prompt + u.Output + u.Reasoning,
		},
	}
}
