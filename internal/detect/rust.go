package detect

import (
	"github.com/BurntSushi/toml"
)

// rust finds the commands of a Cargo package or workspace.
func (p *place) rust() {
	const file, language = "Cargo.toml", "rust"
	text, ok := p.read(file)
	if !ok {
		return
	}
	var manifest map[string]any
	if err := toml.Unmarshal([]byte(text), &manifest); err != nil {
		p.note("%s cannot be read: %s", file, firstLine(err.Error()))
		return
	}
	where, all, formatAll := file, "", ""
	if manifest["workspace"] != nil {
		where, all, formatAll = at(file, text, "[workspace"), " --workspace", " --all"
	}
	usually := func(f Found) {
		f.Where = where
		p.take(usual, language, f)
	}
	usually(Found{Kind: Format, Command: "cargo fmt" + formatAll, Fix: true, Needs: []string{"cargo", "cargo-fmt"}})
	usually(Found{Kind: Lint, Name: "clippy", Command: "cargo clippy" + all + " --all-targets", Optional: true, Needs: []string{"cargo", "cargo-clippy"}})
	usually(Found{Kind: Build, Command: "cargo build" + all, Needs: []string{"cargo"}})
	tested := p.contains(".rs", "test]")
	usually(Found{Kind: Test, Command: "cargo test" + all, Optional: !tested, Needs: []string{"cargo"}})
	p.Makes = append(p.Makes, "target/")
	if !p.has("Cargo.lock") {
		p.First = append(p.First, Advice{
			Command: "cargo generate-lockfile && git add Cargo.lock && git commit -m 'Lock dependencies' Cargo.lock",
			Why:     "without Cargo.lock each check makes one, which then belongs to nobody", Unless: "Cargo.lock",
		})
	}
}
