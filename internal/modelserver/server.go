package modelserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server plays one script. Its methods may be called from several goroutines.
type Server struct {
	url    string
	server *http.Server
	served chan error
	// ended is closed when the server closes: whoever waits for an answer gets none.
	ended chan struct{}

	mu       sync.Mutex
	turns    []Turn
	next     int
	again    int
	calls    []Call
	problems []string
}

// Start begins to play the script on a free port of 127.0.0.1.
func Start(turns ...Turn) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("model server: %w", err)
	}
	s := &Server{url: "http://" + listener.Addr().String(), turns: turns, served: make(chan error, 1), ended: make(chan struct{})}
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute}
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// URL is the server's address, without a slash at its end.
func (s *Server) URL() string { return s.url }

// Close ends the server and every answer that is under way.
func (s *Server) Close() error {
	close(s.ended)
	err := s.server.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Calls are the requests so far, in the order in which they came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Turns are the requests that the script answered.
func (s *Server) Turns() []Call {
	return slices.DeleteFunc(s.Calls(), func(c Call) bool { return c.Kind != KindTurn })
}

// Problems are what did not go by the script: requests that did not fit, unknown paths, other hosts asked for.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Left are the names of the turns that were not played. One that may be played without end counts as played.
func (s *Server) Left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for i := s.next; i < len(s.turns); i++ {
		if i > s.next || s.again == 0 || s.turns[i].Answer.Times > 0 {
			names = append(names, s.turns[i].Name)
		}
	}
	return names
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	call := Call{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if r.Method == http.MethodConnect || r.URL.IsAbs() && r.URL.Host != strings.TrimPrefix(s.url, "http://") {
		call.Kind, call.Path = KindElsewhere, r.URL.Host+r.URL.Path
		s.keep(&call, "the agent asked for another host: "+call.Path)
		http.Error(w, "there is no other host", http.StatusBadGateway)
		return
	}
	p := protocolOf(r)
	if p == nil {
		s.serveOther(w, call)
		return
	}
	call.Protocol = p.name
	if err := p.read(r, &call); err != nil {
		call.Kind = KindRefused
		s.keep(&call, fmt.Sprintf("%s %s: %s", call.Method, call.Path, err))
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !hasKey(r) {
		call.Kind = KindKeyless
		s.keep(&call, "")
		s.send(r.Context(), w, p, call, Answer{Status: http.StatusUnauthorized, Message: "no key was given"})
		return
	}
	if side(call) {
		call.Kind = KindSide
		s.keep(&call, "")
		s.send(r.Context(), w, p, call, Answer{Text: "A title", Usage: Usage{Input: 1, Output: 1}})
		return
	}
	answer := s.play(&call)
	s.send(r.Context(), w, p, call, answer)
}

// hasKey says whether a request brings a key, whichever it is.
func hasKey(r *http.Request) bool {
	bearer := strings.TrimSpace(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer"))
	return bearer != "" || r.Header.Get("X-Api-Key") != "" || r.Header.Get("X-Goog-Api-Key") != "" || r.URL.Query().Get("key") != ""
}

// side says whether a request to the model is none of the conversation: no tool is offered. Every agent offers tools where
// it works, and none where it asks for a title or whether the key is good.
func side(c Call) bool { return len(c.Tools) == 0 }

// keep writes a request down.
func (s *Server) keep(c *Call, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepLocked(c, problem)
}

func (s *Server) keepLocked(c *Call, problem string) {
	c.Number = len(s.calls) + 1
	s.calls = append(s.calls, *c)
	if problem != "" {
		s.problems = append(s.problems, problem)
	}
}

// play finds the turn that a request is, and its answer.
func (s *Server) play(c *Call) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Number = len(s.calls) + 1
	if s.next < len(s.turns) {
		turn := s.turns[s.next]
		endless := turn.Answer.Times < 0
		// What may come without end is over when a request fits the next turn.
		if endless && s.again > 0 && s.next+1 < len(s.turns) && len(s.turns[s.next+1].unmet(*c)) == 0 {
			s.next, s.again = s.next+1, 0
			turn = s.turns[s.next]
			endless = turn.Answer.Times < 0
		}
		missing := turn.unmet(*c)
		for _, t := range turn.Answer.Tools {
			if _, _, ok := c.tool(t); !ok {
				missing = append(missing, fmt.Sprintf("no tool is offered for %+v", t))
			}
		}
		if len(missing) == 0 {
			c.Kind = KindTurn
			s.keepLocked(c, "")
			s.again++
			if !endless && s.again > turn.Answer.Times {
				s.next, s.again = s.next+1, 0
			}
			return turn.Answer
		}
		return s.refuse(c, complaint(fmt.Sprintf("turn %d (%s)", s.next+1, turn.Name), missing, *c))
	}
	return s.refuse(c, complaint("any turn", []string{fmt.Sprintf("all %d turns were played", len(s.turns))}, *c))
}

func (s *Server) refuse(c *Call, problem string) Answer {
	c.Kind = KindRefused
	s.keepLocked(c, problem)
	return Answer{Status: http.StatusBadRequest, Message: problem}
}

// send sends an answer.
func (s *Server) send(ctx context.Context, w http.ResponseWriter, p *protocol, c Call, a Answer) {
	if a.Delay > 0 && !s.wait(ctx, a.Delay) {
		return
	}
	switch {
	case a.Silent:
		s.wait(ctx, time.Hour)
		hangUp(w)
	case a.Status != 0 && a.Status != http.StatusOK:
		for name, value := range a.Header {
			w.Header().Set(name, value)
		}
		var failure any = json.RawMessage(a.Body)
		if a.Body == "" {
			failure = p.failure(a)
		}
		sendJSON(w, a.Status, failure)
	default:
		reply := &reply{call: c, answer: a, id: fmt.Sprintf("%04d", c.Number)}
		if !c.Stream && a.Cut {
			hangUp(w)
			return
		}
		if !c.Stream {
			sendJSON(w, http.StatusOK, p.whole(reply))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		events := p.events(reply)
		if a.Cut {
			events = events[:len(events)/2]
		}
		for _, e := range events {
			e.write(w)
		}
		flush(w)
		if a.Cut {
			hangUp(w)
		}
	}
}

// wait waits, and says whether the time went by before the client or the server ended.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.ended:
	}
	return false
}

// reply is one answer on its way.
type reply struct {
	call   Call
	answer Answer
	id     string
}

// event is one server-sent event; name is left out where it is empty.
type event struct {
	name string
	data any
}

func (e event) write(w io.Writer) {
	var b bytes.Buffer
	if e.name != "" {
		fmt.Fprintf(&b, "event: %s\n", e.name)
	}
	if word, ok := e.data.(string); ok {
		fmt.Fprintf(&b, "data: %s\n\n", word)
	} else {
		fmt.Fprintf(&b, "data: %s\n\n", encode(e.data))
	}
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(`"` + err.Error() + `"`) // only values made here get in, all of which can be encoded
	}
	return data
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client may be gone
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// hangUp cuts the connection.
func hangUp(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			_ = conn.Close() // that is what it is for
		}
	}
}
