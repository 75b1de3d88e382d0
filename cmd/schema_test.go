package cmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"tendril/internal/config"
	"tendril/plans"
)

// compiled is a schema as another program reads it.
func compiled(t *testing.T, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid reads YAML as an editor does, and asks the schema.
func valid(t *testing.T, s *jsonschema.Schema, src string) error {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		t.Fatalf("%v in %s", err, src)
	}
	return s.Validate(asJSON(doc))
}

func asJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = asJSON(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = asJSON(item)
		}
		return out
	case time.Time:
		return v.Format(time.DateOnly)
	default:
		return v
	}
}

// yamlBlocks are the YAML examples of a page.
func yamlBlocks(text string) []string {
	var out []string
	for _, part := range strings.Split(text, "```yaml\n")[1:] {
		body, _, _ := strings.Cut(part, "\n```")
		out = append(out, body+"\n")
	}
	return out
}

// The schema of the configuration and the reader of the file agree, on the pages' examples and on what goes wrong.
func TestConfigSchemaAgreesWithTheReader(t *testing.T) {
	t.Parallel()
	s := compiled(t, config.Schema())
	examples := []string{
		page(t, ".tendril/config.yaml"), "", "# nothing\n", "agent:\n", "agent: 7\n", "runner: no\n",
		"parallel: 0\n", "parallel: many\n", "parallel: 2.5\n", "paralel: 3\n", "autonomy: none\n", "autonomy: full\n", "[]\n", "text\n",
		"time_limit: 90s\n", "time_limit: 1h30m\n", "time_limit: 90\n", "time_limit: soon\n", "stall: -5m\n",
		"checks: [{name: test, run: make}]\n", "checks: [{name: test}]\n", "checks: [{run: make}]\n", "checks: {name: test}\n", "checks: [~]\n",
		"checks: [{name: test, run: make, required: maybe}]\n", "checks: [{name: t, run: make, timeout: 10m, fix: true, required: false}]\n",
		"approvals: {approvers: [pat@example.com], signed: true}\n", "approvals: [pat@example.com]\n", "approvals: {signed: sometimes}\n",
		"agents: {claude: {parallel: 2, profile: deep, model: opus, args: [--x, 1]}}\n", "agents: {claude: {profile: deeper}}\n", "agents: {claude: {modle: x}}\n",
		"memory_limit: 8k\n", "memory_limit: 8000\n", "memory_limit: lots\n", "budget: 5\n", "budget: 2.50\n", "budget: -1\n", "budget: five\n",
		"prices: {opus: {input: 5, cache_read: 0.5}}\n", "prices: {opus: {input: -5}}\n", "sandbox: {mode: off}\n", "sandbox: {mode: on}\n",
		"env: {PORT: 3000}\n", "env: [PORT]\n", "copy: [.env]\n", "copy: .env\n", "ci: {skip: true}\n", "identity: {name: T, email: t@example.com}\n",
	}
	for _, name := range []string{"README.md", "docs/configuration.md"} {
		for _, example := range yamlBlocks(page(t, name)) {
			if !strings.HasPrefix(example, "---") {
				examples = append(examples, example)
			}
		}
	}
	for _, example := range examples {
		_, reads := config.Parse("c.yaml", []byte(example))
		says := valid(t, s, example)
		if (reads == nil) != (says == nil) {
			t.Errorf("%s\nthe reader: %v\nthe schema: %v", example, reads, says)
		}
	}
}

// The schema of the front matter knows the reader's keys, and agrees with it.
func TestPlanSchemaAgreesWithTheReader(t *testing.T) {
	t.Parallel()
	schema := plans.Schema()
	var keys []string
	for key := range schema["properties"].(map[string]any) {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if !slices.Equal(keys, plans.Keys()) {
		t.Errorf("keys of the schema %v, of the reader %v", keys, plans.Keys())
	}
	s := compiled(t, schema)
	front := []string{
		strings.TrimSuffix(strings.TrimPrefix(block(t, page(t, "docs/plans.md"), "## plan.md", "yaml"), "---\n"), "---\n"),
		"status: draft\n", "status: In Review\n", "status: in_review\n", "status: CHANGES-REQUESTED\n", "status: done\n", "priority: 1\n",
		"status: draft\npriority: high\n", "status: draft\npriority: -2\n", "status: draft\ndepends_on: [5, 0007-x]\n", "status: draft\ndepends_on: 5\n",
		"status: draft\nscope: [src/**]\n", "status: draft\nscope: src\n", "status: draft\nagent: claude:opus\n", "status: draft\nagent: -x\n",
		"status: draft\nagent: [claude]\n", "status: draft\nagents: [claude:opus, codex]\n", "status: draft\nprofile: deep\n", "status: draft\nprofile: deeper\n",
		"status: draft\nskip: {lint: generated}\n", "status: draft\nskip: [lint]\n", "status: draft\nbudget: 2.50\n", "status: draft\nbudget: much\n",
		"status: draft\nmax_attempts: 3\n", "status: draft\nmax_attempts: 0\n", "status: draft\nmine: {a: 1}\n", "status: draft\nbase: main\n", "status: [draft]\n",
	}
	for _, text := range front {
		_, reads := plans.Parse("0001-x", "plan.md", []byte("---\n"+text+"---\n# Title\n"), "sha1")
		says := valid(t, s, text)
		if (reads == nil) != (says == nil) {
			t.Errorf("%s\nthe reader: %v\nthe schema: %v", text, reads, says)
		}
	}
}
