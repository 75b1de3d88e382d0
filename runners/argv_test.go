package runners

import (
	"slices"
	"strings"
	"testing"
)

func TestEmptyValuesInArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		list []string
		v    Values
		want []string
	}{
		{"everything set", []string{"a", "--model", "{{.Model}}", "-x"}, Values{Model: "opus"}, []string{"a", "--model", "opus", "-x"}},
		{"an empty value goes, with its flag", []string{"a", "--model", "{{.Model}}", "-x"}, Values{}, []string{"a", "-x"}},
		{"and so does one in the same element", []string{"a", "--model={{.Model}}"}, Values{}, []string{"a"}},
		{"and one behind a key", []string{"a", "-c", "effort={{.Effort}}", "-"}, Values{}, []string{"a", "-"}},
		{"a word before it stays", []string{"a", "resume", "{{.Model}}"}, Values{}, []string{"a", "resume"}},
		{"a flag with a template before it stays", []string{"a", "--m={{.Model}}", "{{.Effort}}"}, Values{Model: "x"}, []string{"a", "--m=x"}},
		{"only the nearest flag goes", []string{"-a", "-b", "{{.Model}}", "{{.Effort}}"}, Values{}, []string{"-a"}},
		{"one of two empty", []string{"-m", "{{.Model}}/{{.Effort}}"}, Values{Model: "x"}, nil},
		{"a condition is the author's", []string{"-m", "x{{if .Model}}{{.Model}}{{end}}"}, Values{}, []string{"-m", "x"}},
		{"but not when nothing comes out", []string{"-m", "{{with .Model}}{{.}}{{end}}"}, Values{}, nil},
		{"values are no templates", []string{"{{.Model}}"}, Values{Model: "{{.Effort}} $(x) `y`"}, []string{"{{.Effort}} $(x) `y`"}},
		{"values that begin with a dash stay one argument", []string{"--m={{.Model}}"}, Values{Model: "--evil -x"}, []string{"--m=--evil -x"}},
	} {
		got, err := render(c.list, c.v)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestArgvOfTheBuiltinAgents(t *testing.T) {
	t.Parallel()
	v := Values{NewSession: "new", ScriptFile: "/runs/r1/script.sh", PromptFile: "/runs/r1/prompt.md"}
	full := v
	full.Model, full.Effort, full.Session = "m", "high", "old"
	for _, c := range []struct {
		agent    string
		v        Values
		autonomy string
		extra    []string
		want     string
	}{
		{"script", v, "", nil, "bash -eo pipefail /runs/r1/script.sh"},
		{"claude", v, AutonomyEdit, nil, "claude -p --output-format stream-json --verbose --session-id new --permission-mode acceptEdits"},
		{"claude", full, AutonomyFull, []string{"--add-dir", "x"}, "claude -p --output-format stream-json --verbose --resume old --model m --effort high --dangerously-skip-permissions --add-dir x"},
		{"codex", v, AutonomyEdit, nil, "codex exec --json -c analytics.enabled=false -c check_for_update_on_startup=false -s workspace-write -"},
		{"codex", full, AutonomyFull, []string{"--strict-config"}, "codex exec --json -c analytics.enabled=false -c check_for_update_on_startup=false --dangerously-bypass-approvals-and-sandbox --strict-config --model m -c model_reasoning_effort=high resume old -"},
	} {
		a, _ := Builtin(c.agent)
		got, err := a.Argv(c.v, c.autonomy, c.extra)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v\nwant %q", c.agent, strings.Join(got, " "), err, c.want)
		}
	}
	script, _ := Builtin("script")
	if _, err := script.Argv(Values{Session: "x"}, "", nil); err == nil || script.CanResume() {
		t.Error("script goes on with a session")
	}
	if _, err := script.AttachArgv(Values{Session: "x"}); err == nil {
		t.Error("script has an interactive program")
	}
	claude, _ := Builtin("claude")
	if got, err := claude.AttachArgv(full); err != nil || strings.Join(got, " ") != "claude --resume old" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := claude.AttachArgv(v); err == nil {
		t.Error("attached to no session")
	}
	if !script.UsesScript() || claude.UsesScript() {
		t.Error("only script runs the plan's blocks")
	}
	if p, ok := claude.Profile("deep"); !ok || p != (Profile{Model: "opus", Effort: "max"}) {
		t.Errorf("%+v, %v", p, ok)
	}
	if _, ok := claude.Profile("dear"); ok {
		t.Error("an unknown profile has an answer")
	}
}
