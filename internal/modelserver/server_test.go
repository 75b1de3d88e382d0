package modelserver

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"tendril/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, testkit.NoLeaks)) }

// start plays a script and returns a function that sends a request and gives what came back.
func start(t *testing.T, turns ...Turn) (*Server, func(path, body string) (int, string, error)) {
	t.Helper()
	s, err := Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, func(path, body string) (int, string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
		if err != nil {
			return 0, "", err
		}
		req.Header.Set("X-Api-Key", "any")
		resp, err := client.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(resp.Body)
		return resp.StatusCode, string(data), err
	}
}

const (
	asksAnthropic = `{"model":"m","stream":true,"system":"be good","tools":[{"name":"Write"}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"the \"plan\""}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"I will"},{"type":"tool_use","name":"Write","input":{"a":1}}]},` +
		`{"role":"user","content":[{"type":"tool_result","content":"written"}]}]}`
	asksResponses = `{"model":"m","stream":true,"instructions":"be good","tools":[{"type":"function","name":"exec_command"}],"input":[` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"the \"plan\""}]},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will"}]},` +
		`{"type":"function_call","name":"exec_command","arguments":"{}"},` +
		`{"type":"function_call_output","output":"written"}]}`
	asksChat = `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"write"}}],"messages":[` +
		`{"role":"system","content":"be good"},{"role":"user","content":[{"type":"text","text":"the \"plan\""}]},` +
		`{"role":"assistant","content":"I will","tool_calls":[{"function":{"name":"write","arguments":"{}"}}]},` +
		`{"role":"tool","content":"written"}]}`
	asksGemini = `{"systemInstruction":{"parts":[{"text":"be good"}]},"tools":[{"functionDeclarations":[{"name":"write_file"}]}],"contents":[` +
		`{"role":"user","parts":[{"text":"the \"plan\""}]},` +
		`{"role":"model","parts":[{"text":"I will"},{"functionCall":{"name":"write_file"}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"write_file","response":{"output":"written"}}}]}]}`
)

// whole is what each of the requests above holds.
func whole() Want {
	return Conversation(Part{RoleSystem, "be good"}, Part{RoleUser, `the "plan"`}, Part{RoleAssistant, "I will"}, Part{RoleCall, ""}, Part{RoleTool, "written"})
}

func TestEveryProtocolReadsTheConversationAndAnswers(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct {
		body  string
		holds []string
	}{
		"/v1/messages": {asksAnthropic, []string{
			`"text":"hello"`, `"name":"Write"`, `"cache_read_input_tokens":3001`, `"output_tokens":41`, "message_stop",
		}},
		"/v1/responses": {asksResponses, []string{
			`"text":"hello"`, `"name":"exec_command"`, `"input_tokens":5103`, `"reasoning_tokens":70`, "response.completed",
		}},
		"/v1/chat/completions": {asksChat, []string{
			`"content":"hello"`, `"name":"write"`, `"prompt_tokens":5103`, `"cached_tokens":3001`, "[DONE]",
		}},
		"/v1beta/models/m:streamGenerateContent": {asksGemini, []string{
			`"text":"hello"`, `"name":"write_file"`, `"promptTokenCount":5103`, `"thoughtsTokenCount":70`,
		}},
	} {
		s, ask := start(t, Turn{Name: "one", Want: []Want{whole(), Times(1, "plan"), Lacks("nothing")}, Answer: Write("hello", "a.txt", "a\n", FirstUsage)})
		status, said, err := ask(path, c.body)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d, %v: %s", path, status, err, said)
		}
		for _, want := range c.holds {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not in\n%s", path, want, said)
			}
		}
		if got := s.Turns(); len(got) != 1 || string(got[0].Body) != c.body || len(s.Problems())+len(s.Left()) != 0 {
			t.Errorf("%s: %v, %v, %v", path, got, s.Problems(), s.Left())
		}
	}
}

func TestWhatDoesNotFitIsRefusedAndExplained(t *testing.T) {
	t.Parallel()
	s, ask := start(t, Turn{Name: "one", Want: []Want{Holds(RoleUser, "another plan")}, Answer: Say("hello", FirstUsage)})
	status, said, err := ask("/v1/messages", asksAnthropic)
	if err != nil || status != http.StatusBadRequest || !strings.Contains(said, "another plan") {
		t.Errorf("%d, %v: %s", status, err, said)
	}
	problems := s.Problems()
	if len(problems) != 1 || !strings.Contains(problems[0], `part 1 of the conversation is missing`) || !strings.Contains(problems[0], `"I will"`) {
		t.Errorf("%q", problems)
	}
	if left := s.Left(); len(left) != 1 || left[0] != "one" {
		t.Errorf("left %v", left)
	}
}

func TestSideCallsDoNotDisturbTheScript(t *testing.T) {
	t.Parallel()
	s, ask := start(t, Turn{Name: "one", Answer: Say("hello", FirstUsage)})
	for _, c := range [][2]string{
		{"/v1/messages", `{"model":"small","messages":[{"role":"user","content":"quota"}]}`},
		{"/v1/messages/count_tokens", `{}`},
		{"/v1/responses", `{"model":"small","input":"a title for this"}`},
		{"/v1/chat/completions", `{"model":"small","messages":[{"role":"user","content":"a title"}]}`},
		{"/v1beta/models/m:countTokens", `{}`},
	} {
		if status, said, err := ask(c[0], c[1]); err != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v: %s", c[0], status, err, said)
		}
	}
	if status, _, _ := ask("/telemetry", `{}`); status != http.StatusNotFound {
		t.Errorf("an unknown path: %d", status)
	}
	if problems := s.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "POST /telemetry") || len(s.Left()) != 1 {
		t.Errorf("%q, left %v", problems, s.Left())
	}
}

func TestFailuresAndWhatComesAfterThem(t *testing.T) {
	t.Parallel()
	s, ask := start(t,
		Turn{Name: "overloaded", Answer: Fail(529, "too much")},
		Turn{Name: "cut", Want: []Want{Holds(RoleUser, "plan")}, Answer: Answer{Text: "half of this", Cut: true}},
	)
	const other = `{"model":"m","tools":[{"name":"Write"}],"messages":[{"role":"user","content":"another"}]}`
	for range 3 {
		if status, said, err := ask("/v1/messages", other); err != nil || status != 529 || !strings.Contains(said, "overloaded_error") {
			t.Errorf("%d, %v: %s", status, err, said)
		}
	}
	if _, said, err := ask("/v1/messages", asksAnthropic); !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(said, "message_stop") {
		t.Errorf("%v: %s", err, said)
	}
	if len(s.Problems())+len(s.Left()) != 0 {
		t.Errorf("%q, %v", s.Problems(), s.Left())
	}
}

func TestAnotherHostIsAComplaint(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	at, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at), DisableKeepAlives: true}}
	if resp, err := client.Get("http://elsewhere.example/x"); err != nil || resp.StatusCode != http.StatusBadGateway {
		t.Errorf("%v, %v", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	if _, err := client.Get("https://elsewhere.example/x"); err == nil {
		t.Error("a tunnel to another host")
	}
	if got := s.Problems(); len(got) != 2 || !strings.Contains(got[0], "elsewhere.example/x") || !strings.Contains(got[1], "elsewhere.example:443") {
		t.Errorf("%q", got)
	}
}
