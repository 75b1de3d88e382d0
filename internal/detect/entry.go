package detect

import (
	"fmt"
	"strings"
)

// target is a name by which a task runner or a manifest can be called.
type target struct {
	name string
	line int
	// command is what it runs, where that is known: it tells a formatter that looks from one that writes.
	command string
}

// wanted are the names under which a kind of command goes, the best first. They are compared in lower case, with -
// for each of _ : . and /.
type wanted struct {
	kind  Kind
	names []string
	fix   bool
}

// wantedNames are looked through in order; a kind that has been found is not looked for again.
var wantedNames = [...]wanted{
	{Format, []string{"fmt", "format", "format-fix", "fmt-fix", "format-write", "prettier", "prettier-write", "prettier-fix"}, true},
	{Format, []string{
		"fmt-check", "format-check", "check-fmt", "check-format", "check-formatting", "fmtcheck", "format-ci",
		"prettier-check", "check-prettier",
	}, false},
	{Lint, []string{"lint", "lint-check", "check-lint", "lint-ci", "linter", "eslint", "golangci-lint", "golangci", "staticcheck", "clippy", "vet", "analyse", "analyze"}, false},
	{Types, []string{"typecheck", "type-check", "types-check", "check-types", "types", "check-type", "tsc", "mypy", "pyright"}, false},
	{Build, []string{"build", "compile"}, false},
	{Test, []string{"test", "tests", "test-ci", "ci-test", "test-all", "test-unit", "unit-test", "unit", "test-run"}, false},
}

// plainName is a target's name as it is compared.
func plainName(name string) string {
	return strings.NewReplacer("_", "-", ":", "-", ".", "-", "/", "-").Replace(strings.ToLower(name))
}

// picked is one target chosen for a kind.
type picked struct {
	target
	kind Kind
	fix  bool
}

// pick chooses at most one target a kind; accept may refuse one that has the right name.
func pick(targets []target, accept func(wanted, target) bool) []picked {
	byName := map[string]target{}
	for _, t := range targets {
		if _, twice := byName[plainName(t.name)]; !twice {
			byName[plainName(t.name)] = t
		}
	}
	done := map[Kind]bool{}
	var out []picked
	for _, w := range wantedNames {
		for _, name := range w.names {
			t, there := byName[name]
			if done[w.kind] || !there || accept != nil && !accept(w, t) {
				continue
			}
			done[w.kind] = true
			out = append(out, picked{t, w.kind, w.fix && !onlyLooks(t.command) || w.kind == Lint && writes(t.command)})
		}
	}
	return out
}

// onlyLooks reports whether a formatter's command changes nothing, whatever its name.
func onlyLooks(command string) bool {
	return strings.Contains(command, "--check") || strings.Contains(command, "--list-different") || strings.Contains(command, "prettier -c ")
}

// writes reports whether a linter's command changes files.
func writes(command string) bool {
	return strings.Contains(command, "--fix") || strings.Contains(command, "--write") || strings.Contains(command, "--apply")
}

// entries takes the targets of a task runner. further are names for build and test that only this runner has.
func (p *place) entries(runner, file string, targets []target, accept func(wanted, target) bool, further map[Kind][]string) {
	chosen := pick(targets, accept)
	for _, kind := range []Kind{Build, Test} {
		chosen = append(chosen, also(chosen, targets, kind, further[kind], accept)...)
	}
	for _, c := range chosen {
		p.take(entry, "", Found{
			Kind: c.kind, Command: runner + " " + c.name, Where: fmt.Sprintf("%s:%d", file, c.line), Fix: c.fix, Needs: []string{runner},
		})
	}
}

// also looks for a kind under further names where it was not found under its own.
func also(chosen []picked, targets []target, kind Kind, names []string, accept func(wanted, target) bool) []picked {
	for _, c := range chosen {
		if c.kind == kind {
			return nil
		}
	}
	for _, name := range names {
		for _, t := range targets {
			if plainName(t.name) == name && (accept == nil || accept(wanted{kind: kind}, t)) {
				return []picked{{t, kind, false}}
			}
		}
	}
	return nil
}

// shellScripts finds scripts/test and the like. Such a name may stand for anything, so they come last.
func (p *place) shellScripts() {
	for _, dir := range []string{"scripts", "script", "bin", "."} {
		var targets []target
		for _, name := range p.list(dir) {
			base, isShell := strings.CutSuffix(name, ".sh")
			if dir == "." && !isShell || strings.HasSuffix(name, "/") {
				continue
			}
			targets = append(targets, target{name: base, command: strings.TrimPrefix(dir+"/"+name, "./")})
		}
		for _, c := range pick(targets, nil) {
			text, ok := p.read(c.command)
			if first, _, _ := strings.Cut(text, "\n"); !ok || !strings.HasPrefix(first, "#!") || !strings.Contains(first, "sh") {
				continue
			}
			p.take(lastly, "", Found{Kind: c.kind, Command: "bash " + c.command, Where: c.command, Fix: c.fix, Needs: []string{"bash"}})
		}
	}
}
