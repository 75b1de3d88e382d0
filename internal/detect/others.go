package detect

import (
	"encoding/json"
	"strings"
)

// others finds what is cheap to tell and seldom wrong.
func (p *place) others() {
	for _, look := range []func(){p.gradle, p.maven, p.ruby, p.elixir, p.php, p.cmake, p.dotnet, p.swift, p.deno} {
		look()
	}
}

func (p *place) gradle() {
	file, _ := p.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
	if file == "" {
		return
	}
	command, needs := "gradle", []string{"gradle"}
	if p.has("gradlew") {
		command, needs = "./gradlew", []string{"java"}
	}
	p.take(usual, "java", Found{Kind: Build, Command: command + " assemble", Where: file, Needs: needs})
	p.take(usual, "java", Found{Kind: Test, Command: command + " test", Where: file, Needs: needs})
	p.Makes = append(p.Makes, ".gradle/", "build/")
}

func (p *place) maven() {
	if !p.has("pom.xml") {
		return
	}
	command, needs := "mvn", []string{"mvn"}
	if p.has("mvnw") {
		command, needs = "./mvnw", []string{"java"}
	}
	p.take(usual, "java", Found{Kind: Build, Command: command + " -B -q test-compile", Where: "pom.xml", Needs: needs})
	p.take(usual, "java", Found{Kind: Test, Command: command + " -B test", Where: "pom.xml", Needs: needs})
	p.Makes = append(p.Makes, "target/")
}

func (p *place) ruby() {
	bundle, hasBundle := p.read("Gemfile")
	rake, hasRake := p.read("Rakefile")
	if !hasBundle && !hasRake {
		return
	}
	before, needs := "", []string{"ruby"}
	if hasBundle {
		before, needs = "bundle exec ", []string{"bundle"}
		p.setup("bundle install", "Gemfile", "bundle")
	}
	usually := func(kind Kind, command, where string) {
		p.take(usual, "ruby", Found{Kind: kind, Command: before + command, Where: where, Needs: needs})
	}
	switch {
	case p.has("spec/") && strings.Contains(bundle, "rspec"), p.has(".rspec"):
		usually(Test, "rspec", at("Gemfile", bundle, "rspec"))
	case strings.Contains(rake, "TestTask"), strings.Contains(rake, "task :test"), strings.Contains(rake, "task test"):
		usually(Test, "rake test", at("Rakefile", rake, "TestTask", "task :test", "task test"))
	case p.has("bin/rails") && p.has("test/"):
		usually(Test, "bin/rails test", "bin/rails")
	}
	if p.has(".rubocop.yml") {
		usually(Lint, "rubocop", ".rubocop.yml")
	}
}

func (p *place) elixir() {
	if !p.has("mix.exs") {
		return
	}
	usually := func(kind Kind, command, where string, fix bool) {
		p.take(usual, "elixir", Found{Kind: kind, Command: command, Where: where, Fix: fix, Needs: []string{"mix"}})
	}
	p.setup("mix deps.get", "mix.exs", "mix")
	if p.has(".formatter.exs") {
		usually(Format, "mix format", ".formatter.exs", true)
	}
	if p.has(".credo.exs") {
		usually(Lint, "mix credo", ".credo.exs", false)
	}
	usually(Build, "mix compile", "mix.exs", false)
	usually(Test, "mix test", "mix.exs", false)
	p.Makes = append(p.Makes, "_build/", "deps/")
}

func (p *place) php() {
	text, ok := p.read("composer.json")
	if !ok {
		return
	}
	var m struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		p.note("composer.json cannot be read: %v", err)
		return
	}
	p.setup("composer install --no-interaction", "composer.json", "composer")
	p.Makes = append(p.Makes, "vendor/")
	targets := make([]target, 0, len(m.Scripts))
	for name, command := range m.Scripts {
		targets = append(targets, target{name: name, command: string(command)})
	}
	for _, c := range pick(targets, nil) {
		p.take(script, "php", Found{
			Kind: c.kind, Command: "composer run " + shellWord(c.name), Where: at("composer.json", text, `"`+c.name+`"`), Fix: c.fix, Needs: []string{"composer"},
		})
	}
	if file, _ := p.first("phpunit.xml", "phpunit.xml.dist"); file != "" {
		p.take(usual, "php", Found{Kind: Test, Command: "vendor/bin/phpunit", Where: file, Needs: []string{"php"}})
	}
	if file, _ := p.first("phpstan.neon", "phpstan.neon.dist"); file != "" {
		p.take(usual, "php", Found{Kind: Types, Command: "vendor/bin/phpstan analyse", Where: file, Needs: []string{"php"}})
	}
}

func (p *place) cmake() {
	text, ok := p.read("CMakeLists.txt")
	if !ok {
		return
	}
	p.take(usual, "cmake", Found{Kind: Build, Command: "cmake -S . -B build && cmake --build build", Where: "CMakeLists.txt", Needs: []string{"cmake"}})
	if strings.Contains(text, "enable_testing") || strings.Contains(text, "include(CTest)") {
		p.take(usual, "cmake", Found{
			Kind: Test, Command: "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure", Where: at("CMakeLists.txt", text, "enable_testing", "include(CTest)"),
			Needs: []string{"ctest"},
		})
	}
	p.Makes = append(p.Makes, "build/")
}

func (p *place) dotnet() {
	for _, pattern := range []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj"} {
		if file, ok := p.hasLike("", pattern); ok {
			p.take(usual, "dotnet", Found{Kind: Build, Command: "dotnet build", Where: file, Needs: []string{"dotnet"}})
			p.take(usual, "dotnet", Found{Kind: Test, Command: "dotnet test", Where: file, Needs: []string{"dotnet"}})
			p.Makes = append(p.Makes, "bin/", "obj/")
			return
		}
	}
}

func (p *place) swift() {
	if !p.has("Package.swift") {
		return
	}
	p.take(usual, "swift", Found{Kind: Build, Command: "swift build", Where: "Package.swift", Needs: []string{"swift"}})
	p.take(usual, "swift", Found{Kind: Test, Command: "swift test", Where: "Package.swift", Needs: []string{"swift"}})
	p.Makes = append(p.Makes, ".build/")
}

func (p *place) deno() {
	file, text := p.first("deno.json", "deno.jsonc")
	if file == "" || p.has("package.json") {
		return
	}
	usually := func(kind Kind, command string, fix bool) {
		p.take(usual, "deno", Found{Kind: kind, Command: command, Where: file, Fix: fix, Needs: []string{"deno"}})
	}
	usually(Format, "deno fmt", true)
	usually(Lint, "deno lint", false)
	if strings.Contains(text, `"test"`) {
		usually(Test, "deno task test", false)
	} else {
		usually(Test, "deno test", false)
	}
}
