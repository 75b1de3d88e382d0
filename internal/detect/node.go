package detect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// manifest is what is read of package.json.
type manifest struct {
	Scripts              map[string]string `json:"scripts"`
	PackageManager       string            `json:"packageManager"`
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	Workspaces           json.RawMessage   `json:"workspaces"`
}

func (m *manifest) dependsOn(name string) bool {
	for _, deps := range []map[string]string{m.Dependencies, m.DevDependencies} {
		if _, there := deps[name]; there {
			return true
		}
	}
	return false
}

// installs reports whether there is anything to install.
func (m *manifest) installs() bool {
	return len(m.Dependencies)+len(m.DevDependencies)+len(m.OptionalDependencies) > 0 || len(m.Workspaces) > 0
}

// packageManager is how one package manager is called.
type packageManager struct {
	name, where string
	install     string
	// run begins the call of a script, exec that of a package's program.
	run, exec string
}

// node finds the scripts of package.json, called through the package manager whose lock file is there.
func (p *place) node() {
	const file, language = "package.json", "node"
	text, ok := p.read(file)
	if !ok {
		return
	}
	var m manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		p.note("%s cannot be read: %v", file, err)
		return
	}
	pm := p.packageManager(&m, text)
	if m.installs() {
		p.setup(pm.install, pm.where, pm.name)
		p.Makes = append(p.Makes, "node_modules/")
	}
	targets := make([]target, 0, len(m.Scripts))
	for name, command := range m.Scripts {
		targets = append(targets, target{name: name, command: command})
	}
	accept := func(w wanted, t target) bool {
		switch {
		case w.kind != Test:
			return true
		case strings.Contains(t.command, "no test specified"), strings.TrimSpace(t.command) == "":
			p.note("%s: the script %s is only npm's placeholder", scriptLine(text, t.name), t.name)
			return false
		case watches(t.command):
			p.note("%s: the script %s watches and never ends", scriptLine(text, t.name), t.name)
			return false
		}
		return true
	}
	chosen := pick(targets, accept)
	typed := false
	for _, c := range chosen {
		typed = typed || c.kind == Types || c.kind == Build && strings.Contains(c.command, "tsc")
		p.take(script, language, Found{
			Kind: c.kind, Command: pm.script(c.name), Where: scriptLine(text, c.name), Fix: c.fix, Needs: []string{pm.name},
		})
	}
	if !typed && p.has("tsconfig.json") && m.dependsOn("typescript") {
		p.take(usual, language, Found{Kind: Types, Command: pm.exec + " tsc --noEmit", Where: "tsconfig.json", Optional: true, Needs: []string{pm.name}})
	}
}

// watching is what keeps a test runner from ending.
var watching = regexp.MustCompile(`(?:^|\s)--watch(?:All)?(?:\s|$)|^(?:vitest|jest) watch\b`)

func watches(command string) bool { return watching.MatchString(command) }

// script is the call of a script.
func (m packageManager) script(name string) string {
	if name == "test" && m.name != "bun" { // `bun test` is bun's own runner
		return m.name + " test"
	}
	return m.run + " " + shellWord(name)
}

// plainWord is what a shell reads as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+-]+$`)

// shellWord quotes a word where bash would read it as something else.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// scriptLine is where a script stands in package.json.
func scriptLine(text, name string) string {
	begin := strings.Index(text, `"scripts"`)
	if quoted, err := json.Marshal(name); err == nil && begin >= 0 {
		if i := strings.Index(text[begin:], string(quoted)); i >= 0 {
			return fmt.Sprintf("package.json:%d", 1+strings.Count(text[:begin+i], "\n"))
		}
	}
	return "package.json"
}

// lockFiles are by which a package manager is told, where package.json names none.
var lockFiles = [...]struct{ file, manager string }{
	{"pnpm-lock.yaml", "pnpm"},
	{"yarn.lock", "yarn"},
	{"bun.lock", "bun"},
	{"bun.lockb", "bun"},
	{"package-lock.json", "npm"},
	{"npm-shrinkwrap.json", "npm"},
}

// packageManager is what package.json names, else the one whose lock file is there, else npm.
func (p *place) packageManager(m *manifest, text string) packageManager {
	name, version, _ := strings.Cut(m.PackageManager, "@")
	where, lock := "package.json", ""
	var locks []string
	for _, l := range lockFiles {
		if p.has(l.file) {
			locks = append(locks, l.file)
			if lock == "" && (name == "" || name == l.manager) {
				lock, where = l.file, l.file
				if name == "" {
					name = l.manager
				}
			}
		}
	}
	if len(locks) > 1 {
		p.note("several lock files: %s; %s is taken", strings.Join(locks, ", "), where)
	}
	if lock == "" && m.PackageManager != "" {
		where = at("package.json", text, `"packageManager"`)
	}
	modernYarn := p.has(".yarnrc.yml") || version != "" && !strings.HasPrefix(version, "1.")
	switch name {
	case "pnpm":
		return packageManager{"pnpm", where, frozen("pnpm install", " --frozen-lockfile", lock) + " --prefer-offline", "pnpm run", "pnpm exec"}
	case "yarn":
		if modernYarn {
			return packageManager{"yarn", where, frozen("yarn install", " --immutable", lock), "yarn run", "yarn"}
		}
		return packageManager{"yarn", where, frozen("yarn install", " --frozen-lockfile", lock) + " --prefer-offline", "yarn run", "yarn"}
	case "bun":
		return packageManager{"bun", where, frozen("bun install", " --frozen-lockfile", lock), "bun run", "bunx"}
	}
	install := "npm ci --prefer-offline"
	if lock == "" {
		install = "npm install --no-package-lock --prefer-offline" // a lock file would be a change to commit
	}
	return packageManager{"npm", where, install, "npm run", "npx --no-install"}
}

// frozen adds the option that keeps the lock file as it is, where there is one.
func frozen(install, option, lock string) string {
	if lock == "" {
		return install
	}
	return install + option
}
