package plans

import (
	"fmt"
	"strings"
)

// Schema is the JSON Schema of the front matter of plan.md, for editors and other programs. Keys that Tendril does not know
// are allowed: they are kept. What a schema cannot say (keys of plans, branches, globs) is left to Parse.
func Schema() map[string]any {
	text := []string{"string", "number", "boolean", "null"}
	agent := map[string]any{"type": "string", "pattern": `^[A-Za-z0-9][A-Za-z0-9._-]*(:[^-\s]\S*)?$`}
	texts := func(what map[string]any) map[string]any {
		return map[string]any{"type": []string{"array", "null"}, "items": what}
	}
	orNull := func(s map[string]any) map[string]any {
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
	}
	properties := map[string]any{
		"title":        map[string]any{"type": text},
		"status":       statusSchema(),
		"priority":     map[string]any{"type": []string{"integer", "null"}},
		"depends_on":   texts(map[string]any{"type": []string{"integer", "string"}, "minimum": 0}),
		"scope":        texts(map[string]any{"type": "string"}),
		"agent":        orNull(agent),
		"agents":       texts(agent),
		"profile":      map[string]any{"enum": []any{"deep", "balanced", "quick", nil}},
		"preset":       map[string]any{"type": text},
		"choose":       map[string]any{"type": text},
		"skip":         map[string]any{"type": []string{"object", "null"}, "additionalProperties": map[string]any{"type": text[:3], "minLength": 1}},
		"budget":       map[string]any{"type": []string{"number", "null"}, "minimum": 0},
		"max_attempts": map[string]any{"type": []string{"integer", "null"}, "minimum": 1},
		"base":         map[string]any{"type": text},
		"source":       map[string]any{"type": text},
	}
	return map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Tendril: the front matter of " + PlanFile,
		"type": "object", "required": []string{"status"}, "properties": properties,
	}
}

// statusSchema takes the states as they are written, and in any other way in which they are read.
func statusSchema() map[string]any {
	var names []any
	var patterns []string
	for _, s := range Statuses() {
		names = append(names, string(s))
		var b strings.Builder
		for _, c := range foldStatus(string(s)) {
			fmt.Fprintf(&b, "[ _-]*[%c%c]", c, c-'a'+'A')
		}
		patterns = append(patterns, b.String()+"[ _-]*")
	}
	return map[string]any{"anyOf": []any{
		map[string]any{"enum": names}, map[string]any{"type": "string", "pattern": "^(" + strings.Join(patterns, "|") + ")$"},
	}}
}
