package runners

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed agents/*.yaml
var builtin embed.FS

// agentName is what an agent may be called: it becomes part of branch names and file names.
var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Names returns the names of the built-in agents, sorted.
func Names() []string {
	entries, err := builtin.ReadDir("agents")
	if err != nil {
		return nil // the folder is part of the binary; a test reads every file of it
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Builtin returns the built-in agent of that name, and whether there is one.
func Builtin(name string) (*Agent, bool) {
	if !agentName.MatchString(name) {
		return nil, false
	}
	src, err := builtin.ReadFile("agents/" + name + ".yaml")
	if err != nil {
		return nil, false
	}
	agent, err := ParseAgent(name, src)
	return agent, err == nil
}

// BuiltinSource returns the text of a built-in agent's file, to start one's own from.
func BuiltinSource(name string) ([]byte, bool) {
	if !agentName.MatchString(name) {
		return nil, false
	}
	src, err := builtin.ReadFile("agents/" + name + ".yaml")
	return src, err == nil
}

// ParseAgent reads an agent's file. Errors name the file as NAME.yaml and, where it can be told, the line.
func ParseAgent(name string, src []byte) (*Agent, error) {
	file := name + ".yaml"
	if !agentName.MatchString(name) {
		return nil, fmt.Errorf("agent %q: want a name of a-z, 0-9 and '-', at most 32", name)
	}
	agent := &Agent{}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	dec.KnownFields(true)
	if err := dec.Decode(agent); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty", file)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", file, oneLine(err.Error()))
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document", file)
	}
	agent.Name = name
	if err := agent.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return agent, nil
}

// oneLine brings yaml's list of errors into one line.
func oneLine(s string) string {
	s = strings.TrimPrefix(s, "yaml: ")
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "unmarshal errors:", "")), " ")
}

// check refuses an agent that could not be run.
func (a *Agent) check() error {
	if len(a.Command) == 0 {
		return errors.New("command: missing")
	}
	for _, c := range []struct {
		key, value string
		allowed    []string
	}{
		{"prompt", a.Prompt, []string{PromptStdin, PromptArg, PromptFile}},
		{"output", a.Output, []string{OutputJSONL, OutputText}},
		{"usage", a.Usage, []string{UsageTotal, UsagePerMessage, UsageCumulative, UsageNone}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return fmt.Errorf("%s: %q: want %s", c.key, c.value, strings.Join(c.allowed, ", "))
		}
	}
	if err := a.checkLists(); err != nil {
		return err
	}
	if (a.Output == OutputJSONL) != (strings.TrimSpace(a.Events) != "") {
		return errors.New("events: needed with output: jsonl, and only there")
	}
	if _, err := compileEvents(a.Events); err != nil {
		return fmt.Errorf("events: %w", err)
	}
	if _, err := compileLimits(a.Limits); err != nil {
		return err
	}
	for _, glob := range a.Secrets {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("secrets: %q: %w", glob, err)
		}
	}
	return nil
}

// checkLists refuses argument lists whose templates fail, or that do not fit the way of the prompt.
func (a *Agent) checkLists() error {
	for _, l := range []struct {
		key     string
		list    []string
		session bool
	}{
		{"command", a.Command, false},
		{"resume", a.Resume, true},
		{"attach", a.Attach, true},
		{"autonomy.edit", a.Autonomy.Edit, false},
		{"autonomy.full", a.Autonomy.Full, false},
	} {
		uses, err := fieldsOf(l.list)
		if err != nil {
			return fmt.Errorf("%s: %w", l.key, err)
		}
		if l.session && len(l.list) > 0 && !uses["Session"] {
			return fmt.Errorf("%s: has no {{.Session}}: it would begin a fresh session", l.key)
		}
		if l.key != "command" && l.key != "resume" || len(l.list) == 0 {
			continue
		}
		byArg, byFile := uses["Prompt"], uses["PromptFile"] || uses["ScriptFile"]
		switch {
		case byArg != (a.Prompt == PromptArg):
			return fmt.Errorf("%s: {{.Prompt}} belongs to prompt: arg, and only there", l.key)
		case byFile != (a.Prompt == PromptFile):
			return fmt.Errorf("%s: {{.PromptFile}} or {{.ScriptFile}} belongs to prompt: file, and only there", l.key)
		}
	}
	return nil
}

// compileLimits compiles the patterns of limits, deaf to case.
func compileLimits(patterns []string) ([]*regexp.Regexp, error) {
	var compiled []*regexp.Regexp
	for _, p := range patterns {
		re, err := regexp.Compile("(?i)" + p)
		if err != nil {
			return nil, fmt.Errorf("limits: %q: %w", p, err)
		}
		compiled = append(compiled, re)
	}
	return compiled, nil
}
