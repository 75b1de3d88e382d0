package config

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
)

// schemaDialect is the JSON Schema that editors know best.
const schemaDialect = "http://json-schema.org/draft-07/schema#"

// choices are the keys that take one of a few words, by their name as in messages, with * for any name in a mapping.
func choices() map[string][]string {
	return map[string][]string{
		"autonomy": {AutonomyEdit, AutonomyFull}, "deliver": {DeliverMerge, DeliverPR, DeliverPush},
		"merge": {MergeCommit, MergeSquash, MergeRebase}, "take": {TakeMine, TakeAll}, "sandbox.mode": {SandboxAuto, SandboxOff},
		"agents.*.profile": profiles[:],
	}
}

// Schema is the JSON Schema of .tendril/config.yaml, for editors and other programs. It is made from the type that the file
// is decoded into, by the decoder's own rules; what a schema cannot say (names in git, globs, templates) is left to Parse.
func Schema() map[string]any {
	s := schemaOf(reflect.TypeFor[Config](), "")
	s["$schema"], s["title"] = schemaDialect, "Tendril: "+File
	// An empty file says nothing, and so does a comment.
	s["type"] = []string{"object", "null"}
	return s
}

// schemaOf is the schema of a value; where is its name in messages.
func schemaOf(t reflect.Type, where string) map[string]any {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var s map[string]any
	switch {
	case t == reflect.TypeFor[Duration]():
		s = map[string]any{"type": []string{"string", "null"}, "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case t == reflect.TypeFor[Tokens]():
		s = map[string]any{"type": []string{"integer", "string", "null"}, "minimum": 0, "pattern": "^(0|[1-9][0-9]*)[kK]?$"}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		s = map[string]any{"type": scalarTypes()}
	case t.Kind() == reflect.Struct:
		s = structSchema(t, where)
	case t.Kind() == reflect.Map:
		s = map[string]any{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem(), join(where, "*"))}
	case t.Kind() == reflect.Slice:
		s = map[string]any{"type": []string{"array", "null"}, "items": notNull(schemaOf(t.Elem(), where+"[]"))}
	case t.Kind() == reflect.Bool:
		s = map[string]any{"type": []string{"boolean", "null"}}
	case t.Kind() == reflect.Int:
		s = map[string]any{"type": []string{"integer", "null"}, "minimum": 1}
	case t.Kind() == reflect.Float64:
		s = map[string]any{"type": []string{"number", "null"}, "minimum": 0}
	default:
		s = map[string]any{"type": scalarTypes()}
	}
	if words := choices()[where]; words != nil {
		s = map[string]any{"enum": append(anys(words), nil)}
	}
	return s
}

// scalarTypes are what a text may look like to a reader of YAML: 007 and no are texts where a text is wanted.
func scalarTypes() []string { return []string{"string", "number", "boolean", "null"} }

func structSchema(t reflect.Type, where string) map[string]any {
	properties := map[string]any{}
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" && name != "-" {
			properties[name] = schemaOf(field.Type, join(where, name))
		}
	}
	s := map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if t == reflect.TypeFor[Check]() {
		s["required"] = []string{"name", "run"}
	}
	return s
}

// notNull is the schema of what may not be empty: an entry of a list.
func notNull(s map[string]any) map[string]any {
	if types, ok := s["type"].([]string); ok {
		s["type"] = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	}
	return s
}

func join(where, name string) string {
	if where == "" {
		return name
	}
	return where + "." + name
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}
