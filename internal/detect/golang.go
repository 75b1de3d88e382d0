package detect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// golang finds the commands of a Go module or workspace.
func (p *place) golang() {
	where, packages := p.goPackages()
	if where == "" {
		return
	}
	const language = "go"
	usually := func(kind Kind, name, command string, fix bool, needs ...string) {
		p.take(usual, language, Found{Kind: kind, Name: name, Command: command, Where: where, Fix: fix, Needs: append([]string{"go"}, needs...)})
	}
	tools := p.goTools()
	// `go fmt` leaves vendor and testdata alone, which `gofmt -w .` does not.
	format := "go fmt " + packages
	if slices.Contains(tools, "mvdan.cc/gofumpt") {
		format = "go tool gofumpt -l -w ."
	}
	usually(Format, "", format, true)
	golangci, _ := p.first(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
	switch {
	case golangci == "":
	case slices.ContainsFunc(tools, func(t string) bool { return strings.HasSuffix(t, "/cmd/golangci-lint") }):
		p.take(usual, language, Found{Kind: Lint, Command: "go tool golangci-lint run", Where: golangci, Needs: []string{"go"}})
	default:
		p.take(usual, language, Found{Kind: Lint, Command: "golangci-lint run", Where: golangci, Needs: []string{"golangci-lint", "go"}})
	}
	if golangci == "" {
		usually(Lint, "vet", "go vet "+packages, false)
	}
	if slices.Contains(tools, "honnef.co/go/tools/cmd/staticcheck") {
		usually(Lint, "staticcheck", "go tool staticcheck "+packages, false)
	}
	// With a single main package, go build would leave the program in the worktree.
	usually(Build, "", "go build -o /dev/null "+packages, false)
	tested := p.contains("_test.go", "")
	p.take(usual, language, Found{Kind: Test, Command: "go test " + packages, Where: where, Optional: !tested, Needs: []string{"go"}})
}

// goPackages says where the module or workspace is described, and the pattern for its packages; empty without one.
func (p *place) goPackages() (where, packages string) {
	if text, ok := p.read("go.work"); ok && p.has("go.work") {
		if work, err := modfile.ParseWork("go.work", []byte(text), nil); err == nil && len(work.Use) > 0 {
			patterns := make([]string, len(work.Use))
			for i, use := range work.Use {
				patterns[i] = "./" + path.Join(use.Path, "...")
			}
			return fmt.Sprintf("go.work:%d", work.Use[0].Syntax.Start.Line), strings.Join(patterns, " ")
		}
	}
	if p.has("go.mod") {
		return "go.mod", "./..."
	}
	return "", ""
}

// goTools lists the tools that go.mod names.
func (p *place) goTools() []string {
	text, ok := p.read("go.mod")
	if !ok {
		return nil
	}
	mod, err := modfile.Parse("go.mod", []byte(text), nil)
	if err != nil {
		p.note("go.mod cannot be read: %v", err)
		return nil
	}
	tools := make([]string, len(mod.Tool))
	for i, t := range mod.Tool {
		tools[i] = t.Path
	}
	return tools
}
