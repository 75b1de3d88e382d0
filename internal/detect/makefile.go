package detect

import (
	"strings"
)

// makefile finds targets in the file that make itself would take.
func (p *place) makefile() {
	file, text := p.first("GNUmakefile", "makefile", "Makefile")
	if file == "" {
		return
	}
	targets, phony := makeTargets(text)
	p.Makes = append(p.Makes, makeProducts(text, phony)...)
	accept := func(_ wanted, t target) bool {
		// make would say that it is up to date, and everything would seem to pass.
		if !phony[t.name] && (p.has(t.name) || p.has(t.name+"/")) {
			p.note("%s: the target %s is the name of a file or folder and not .PHONY, so make does nothing for it", file, t.name)
			return false
		}
		return true
	}
	p.entries("make", file, targets, accept, map[Kind][]string{Build: {"all"}, Test: {"check", "verify"}})
}

// makeTargets lists the explicit targets of a makefile that do something, and the names that are .PHONY.
func makeTargets(text string) (targets []target, phony map[string]bool) {
	phony = map[string]bool{}
	lines := makeLines(text)
	for i, l := range lines {
		names, rest, ok := makeRule(l.text)
		if !ok {
			continue
		}
		for _, name := range names {
			switch {
			case name == ".PHONY":
				for _, dep := range strings.Fields(rest) {
					phony[dep] = true
				}
			case strings.HasPrefix(name, "."), strings.ContainsAny(name, "%$()*?"):
			default:
				recipe := i+1 < len(lines) && strings.HasPrefix(lines[i+1].text, "\t")
				if recipe || strings.TrimSpace(strings.TrimLeft(rest, ":&")) != "" {
					targets = append(targets, target{name: name, line: l.number})
				}
			}
		}
	}
	return targets, phony
}

// makeProducts are the files that rules write, as in .gitignore: targets whose recipe names its target, and what pattern
// rules make.
func makeProducts(text string, phony map[string]bool) []string {
	var out []string
	lines := makeLines(text)
	for i, l := range lines {
		names, _, ok := makeRule(l.text)
		writes := false
		for _, next := range lines[i+1:] {
			if !strings.HasPrefix(next.text, "\t") {
				break
			}
			writes = writes || strings.Contains(next.text, "$@")
		}
		for _, name := range names {
			ending, pattern := strings.CutPrefix(name, "%.")
			switch {
			case !ok || phony[name] || !writes && !pattern || !plainWord.MatchString(ending) || strings.Contains(ending, "%"):
			case strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"):
			case pattern:
				out = append(out, "*."+ending)
			default:
				out = append(out, name)
			}
		}
	}
	return out
}

// makeLine is a line of a makefile with its continuations.
type makeLine struct {
	text   string
	number int
}

// makeLines joins continued lines and leaves out comments, empty lines and what stands within define.
func makeLines(text string) []makeLine {
	var out []makeLine
	defining, continued := false, false
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		body, more := strings.CutSuffix(line, `\`)
		if continued {
			out[len(out)-1].text += " " + strings.TrimSpace(body)
			continued = more
			continue
		}
		word := ""
		if fields := strings.Fields(body); len(fields) > 0 {
			word = fields[0]
		}
		switch {
		case word == "define" && !strings.HasPrefix(line, "\t"):
			defining = true
		case word == "endef":
			defining = false
		case defining, strings.TrimSpace(body) == "", strings.HasPrefix(strings.TrimSpace(body), "#") && !strings.HasPrefix(line, "\t"):
		default:
			out = append(out, makeLine{body, i + 1})
			continued = more
		}
	}
	return out
}

// makeRule splits the first line of a rule; false for a recipe, an assignment or a directive.
func makeRule(line string) (names []string, rest string, ok bool) {
	if strings.HasPrefix(line, "\t") {
		return nil, "", false
	}
	if body, _, commented := strings.Cut(line, " #"); commented {
		line = body
	}
	left, rest, ok := strings.Cut(line, ":")
	if !ok || strings.Contains(left, "=") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") {
		return nil, "", false
	}
	// A variable for a target (`test: CFLAGS = -g`) is no rule.
	if before, _, _ := strings.Cut(rest, ";"); strings.Contains(before, "=") {
		return nil, "", false
	}
	return strings.Fields(strings.TrimSuffix(strings.TrimSpace(left), "&")), rest, true
}
