package detect

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// justRecipe is the head of a recipe: a name, parameters, a colon that begins no assignment.
var justRecipe = regexp.MustCompile(`^@?([A-Za-z_][A-Za-z0-9_-]*)((?:\s+[^:=]*(?:=\s*(?:'[^']*'|"[^"]*"|\S+))?)*)\s*:(?:[^=]|$)`)

// justfile finds the recipes of a justfile that can be called without arguments.
func (p *place) justfile() {
	file, text := p.first("justfile", "Justfile", ".justfile", "JUSTFILE")
	if file == "" {
		return
	}
	p.entries("just", file, justRecipes(text), nil, map[Kind][]string{Test: {"check", "verify"}})
}

func justRecipes(text string) []target {
	var targets []target
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		m := justRecipe.FindStringSubmatch(line)
		if m == nil || needsArguments(m[2]) {
			continue
		}
		switch m[1] {
		case "set", "alias", "export", "import", "mod", "unexport":
			continue
		}
		targets = append(targets, target{name: m[1], line: i + 1})
	}
	return targets
}

// needsArguments reports whether a recipe's parameters hold one without a default; *name takes none or more.
func needsArguments(parameters string) bool {
	for field := range strings.FieldsSeq(parameters) {
		if !strings.Contains(field, "=") && !strings.HasPrefix(field, "*") && !strings.ContainsAny(field, `'"`) {
			return true
		}
	}
	return false
}

// taskfile finds the tasks of a Taskfile.
func (p *place) taskfile() {
	file, text := p.first("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "taskfile.dist.yml",
		"Taskfile.dist.yaml", "taskfile.dist.yaml")
	if file == "" {
		return
	}
	p.entries("task", file, tasks(text), nil, map[Kind][]string{Test: {"check", "verify"}})
}

// tasks lists a Taskfile's tasks that a person can call. A file that cannot be read has none.
func tasks(text string) []target {
	var doc struct {
		Tasks yaml.Node `yaml:"tasks"`
	}
	if yaml.Unmarshal([]byte(text), &doc) != nil || doc.Tasks.Kind != yaml.MappingNode {
		return nil
	}
	var targets []target
	for i := 0; i+1 < len(doc.Tasks.Content); i += 2 {
		key, value := doc.Tasks.Content[i], doc.Tasks.Content[i+1]
		var task struct {
			Internal bool `yaml:"internal"`
		}
		// A task may also be a plain command, or a list of them: then there is nothing to decode.
		if value.Kind == yaml.MappingNode && value.Decode(&task) == nil && task.Internal {
			continue
		}
		targets = append(targets, target{name: key.Value, line: key.Line})
	}
	return targets
}
