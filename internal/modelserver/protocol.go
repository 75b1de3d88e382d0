package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// protocol is one provider's way to ask a model.
type protocol struct {
	name string
	// read fills what the body says into a Call.
	read func(*http.Request, *Call) error
	// whole is the answer to a request that does not stream, events to one that does, failure what a status other than 200 says.
	whole   func(*reply) any
	events  func(*reply) []event
	failure func(Answer) any
}

// protocolOf finds the protocol of a request for the model; nil where it is none.
func protocolOf(r *http.Request) *protocol {
	if r.Method != http.MethodPost {
		return nil
	}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/v1/messages"):
		return &anthropic
	case strings.HasSuffix(path, "/responses"):
		return &responses
	case strings.HasSuffix(path, "/chat/completions"):
		return &chat
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return &gemini
	}
	return nil
}

// serveOther answers what agents ask beside the model, and keeps what no protocol has.
func (s *Server) serveOther(w http.ResponseWriter, c Call) {
	c.Kind = KindSide
	switch {
	case strings.HasSuffix(c.Path, "/count_tokens"):
		s.keep(&c, "")
		sendJSON(w, http.StatusOK, map[string]any{"input_tokens": 1000})
	case strings.HasSuffix(c.Path, ":countTokens"):
		s.keep(&c, "")
		sendJSON(w, http.StatusOK, map[string]any{"totalTokens": 1000})
	case strings.HasSuffix(c.Path, "/models"):
		s.keep(&c, "")
		sendJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{}, "models": []any{}})
	case (c.Method == http.MethodHead || c.Method == http.MethodGet) && c.Path == "/":
		// Is anybody there?
		s.keep(&c, "")
		w.WriteHeader(http.StatusOK)
	default:
		c.Kind = KindUnknown
		s.keep(&c, fmt.Sprintf("a path that the server does not know: %s %s", c.Method, c.Path))
		http.Error(w, "not found", http.StatusNotFound)
	}
}

// textOf is what a content says: a text, or a list of blocks that have some.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(raw, &blocks) != nil {
		return string(raw)
	}
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}
