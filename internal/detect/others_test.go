package detect

import "testing"

func TestRust(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "package", tree: files{"Cargo.lock": "", "src/lib.rs": "#[tokio::test]\n", "Cargo.toml": "[package]\nname = \"x\"\n"}, want: `
format!: cargo fmt (Cargo.toml)
lint clippy?: cargo clippy --all-targets (Cargo.toml)
build: cargo build (Cargo.toml)
test: cargo test (Cargo.toml)
`},
		{name: "workspace", tree: files{"a/src/main.rs": "fn main() {}\n", "Cargo.toml": "\n[workspace]\nmembers = [\"a\"]\n"}, want: `
format!: cargo fmt --all (Cargo.toml:2)
lint clippy?: cargo clippy --workspace --all-targets (Cargo.toml:2)
build: cargo build --workspace (Cargo.toml:2)
test?: cargo test --workspace (Cargo.toml:2)
# cargo test --workspace would run no test yet, so it is not required: make it so once there is one
first: cargo generate-lockfile && git add Cargo.lock && git commit -m 'Lock dependencies' Cargo.lock
`},
	})
}

func TestOthers(t *testing.T) {
	t.Parallel()
	check(t, []detection{
		{name: "gradle by its wrapper", tree: files{"build.gradle.kts": "", "gradlew": ""}, want: `
build: ./gradlew assemble (build.gradle.kts)
test: ./gradlew test (build.gradle.kts)
`},
		{name: "maven", tree: files{"pom.xml": ""}, want: `
build: mvn -B -q test-compile (pom.xml)
test: mvn -B test (pom.xml)
`},
		{name: "ruby", tree: files{"Gemfile": "source 'https://rubygems.org'\ngem 'rspec'\n", "spec/a_spec.rb": "", ".rubocop.yml": ""}, want: `
setup: bundle install (Gemfile)
lint: bundle exec rubocop (.rubocop.yml)
test: bundle exec rspec (Gemfile:2)
`},
		{name: "rake alone", tree: files{"Rakefile": "require 'rake/testtask'\nRake::TestTask.new\n"}, want: `
test: rake test (Rakefile:2)
`},
		{name: "elixir", tree: files{"mix.exs": "", ".formatter.exs": ""}, want: `
setup: mix deps.get (mix.exs)
format!: mix format (.formatter.exs)
build: mix compile (mix.exs)
test: mix test (mix.exs)
`},
		{name: "php, a script before the usual command", tree: files{"composer.json": `{"scripts": {"test": "phpunit", "cs": "x"}}`, "phpunit.xml.dist": "", "phpstan.neon": ""}, want: `
setup: composer install --no-interaction (composer.json)
types: vendor/bin/phpstan analyse (phpstan.neon)
test: composer run test (composer.json:1)
`},
		{name: "cmake", tree: files{"CMakeLists.txt": "project(x)\nenable_testing()\n"}, want: `
build: cmake -S . -B build && cmake --build build (CMakeLists.txt)
test: cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure (CMakeLists.txt:2)
`},
		{name: "dotnet", tree: files{"App.sln": ""}, want: `
build: dotnet build (App.sln)
test: dotnet test (App.sln)
`},
		{name: "swift", tree: files{"Package.swift": ""}, want: `
build: swift build (Package.swift)
test: swift test (Package.swift)
`},
		{name: "deno", tree: files{"deno.json": `{"tasks": {"test": "deno test -A"}}`}, want: `
format!: deno fmt (deno.json)
lint: deno lint (deno.json)
test: deno task test (deno.json)
`},
	})
}
