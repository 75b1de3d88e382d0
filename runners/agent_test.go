package runners

import (
	"slices"
	"strings"
	"testing"
)

func TestBuiltinAgents(t *testing.T) {
	t.Parallel()
	if want := []string{"claude", "codex", "copilot", "gemini", "opencode", "script"}; !slices.Equal(Names(), want) {
		t.Errorf("names %v, want %v", Names(), want)
	}
	for _, name := range Names() {
		src, ok := BuiltinSource(name)
		if !ok {
			t.Errorf("%s: no source", name)
		}
		if _, err := ParseAgent(name, src); err != nil {
			t.Error(err)
		}
		if a, ok := Builtin(name); !ok || a.Name != name {
			t.Errorf("Builtin(%s): %+v, %v", name, a, ok)
		}
	}
	for _, name := range []string{"", "nobody", "../agents/claude", "claude.yaml", "Claude"} {
		if _, ok := Builtin(name); ok {
			t.Errorf("Builtin(%q) has an answer", name)
		}
	}
}

func TestParseAgentRefuses(t *testing.T) {
	t.Parallel()
	const good = "command: [a]\nprompt: stdin\noutput: text\nusage: total\n"
	if _, err := ParseAgent("x", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ src, want string }{
		"nothing":                     {"", "empty"},
		"only a comment":              {"# hello\n", "empty"},
		"an unknown key":              {good + "promt: x\n", "line 5: field promt not found"},
		"a key twice":                 {good + "output: text\n", `"output" already defined`},
		"a wrong type":                {good + "env: [a]\n", "line 5: cannot unmarshal"},
		"a second document":           {good + "---\n" + good, "more than one"},
		"no command":                  {"prompt: stdin\noutput: text\nusage: total\n", "command: missing"},
		"no prompt":                   {"command: [a]\noutput: text\nusage: total\n", "prompt: \"\": want stdin, arg, file"},
		"an unknown output":           {"command: [a]\nprompt: stdin\noutput: xml\nusage: total\n", "output: \"xml\""},
		"an unknown usage":            {"command: [a]\nprompt: stdin\noutput: text\nusage: often\n", "usage: \"often\""},
		"events without jsonl":        {good + "events: .\n", "events: needed with"},
		"jsonl without events":        {"command: [a]\nprompt: stdin\noutput: jsonl\nusage: total\n", "events: needed with"},
		"jq that is none":             {"command: [a]\nprompt: stdin\noutput: jsonl\nusage: total\nevents: '{{'\n", "events: jq:"},
		"jq with an unknown function": {"command: [a]\nprompt: stdin\noutput: jsonl\nusage: total\nevents: 'nothing(1)'\n", "function not defined"},
		"a template with a typo":      {"command: [a, '{{.Modell}}']\nprompt: stdin\noutput: text\nusage: total\n", "Modell"},
		"a template left open":        {"command: [a, '{{.Model']\nprompt: stdin\noutput: text\nusage: total\n", "command:"},
		"a typo behind an if":         {"command: [a, '{{if .Model}}{{.Nodel}}{{end}}']\nprompt: stdin\noutput: text\nusage: total\n", "Nodel"},
		"a resume without a session":  {good + "resume: [a]\n", "resume: has no {{.Session}}"},
		"an attach without a session": {good + "attach: [a]\n", "attach: has no {{.Session}}"},
		"arg without the prompt":      {"command: [a]\nprompt: arg\noutput: text\nusage: total\n", "{{.Prompt}} belongs"},
		"stdin and the prompt":        {"command: [a, '{{.Prompt}}']\nprompt: stdin\noutput: text\nusage: total\n", "{{.Prompt}} belongs"},
		"file without a file":         {"command: [a]\nprompt: file\noutput: text\nusage: total\n", "{{.PromptFile}} or"},
		"a limit that is no pattern":  {good + "limits: ['(']\n", "limits: \"(\""},
		"a secret that is no glob":    {good + "secrets: ['[']\n", "secrets: \"[\""},
	} {
		_, err := ParseAgent("x", []byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.yaml: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, name := range []string{"", "../x", "X", "a b", "a/b", "-x", strings.Repeat("x", 40)} {
		if _, err := ParseAgent(name, []byte(good)); err == nil {
			t.Errorf("an agent may be called %q", name)
		}
	}
}

func FuzzParseAgent(f *testing.F) {
	for _, name := range Names() {
		src, _ := BuiltinSource(name)
		f.Add(string(src))
	}
	f.Add("command: [a]\nprompt: stdin\noutput: text\nusage: total\n")
	f.Fuzz(func(t *testing.T, src string) {
		a, err := ParseAgent("x", []byte(src))
		if err != nil {
			return
		}
		// Whatever is accepted can be called.
		for _, v := range []Values{{}, {Model: "m", Effort: "e", NewSession: "n", Prompt: "p", PromptFile: "f", ScriptFile: "s", UsageFile: "u"}} {
			if _, err := a.Argv(v, AutonomyFull, nil); err != nil {
				t.Errorf("%q: %v", src, err)
			}
		}
	})
}
